// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/error.h"
#include "core/cluster/catalog.h"
#include "core/cluster/container.h"
#include "core/cluster/device_types.h"

#include <QTest>

using namespace nnpiper;

namespace {

Cluster cluster()
{
    Cluster cluster;
    cluster.nodes.push_back({});
    cluster.nodes.back().id = "n";
    for (const char* id : {"n/0", "alone"}) {
        Device device;
        device.id = id;
        device.node = device.id == "alone" ? "" : "n";
        device.spec.memory_bytes = 1e9;
        cluster.devices.push_back(device);
    }
    cluster.switches.push_back({"s", "", 0});
    return cluster;
}

Container made(const char* id, ContainerKind kind, std::vector<std::string> members)
{
    Container container;
    container.id = id;
    container.kind = kind;
    container.members = std::move(members);
    return container;
}

}  // namespace

using Containers = std::vector<Container>;
Q_DECLARE_METATYPE(Containers)

class TestContainer : public QObject {
    Q_OBJECT

private slots:
    void memberships()
    {
        const Containers containers{made("rack", ContainerKind::rack, {"n", "s"}),
                                    made("site", ContainerKind::site, {"rack", "alone"})};
        check(containers, cluster());
        QCOMPARE(container_of(containers, cluster(), "n")->id, std::string("rack"));
        QCOMPARE(container_of(containers, cluster(), "n/0")->id, std::string("rack"));
        QCOMPARE(container_of(containers, cluster(), "rack")->id, std::string("site"));
        QCOMPARE(container_of(containers, cluster(), "alone")->id, std::string("site"));
        QVERIFY(!container_of(containers, cluster(), "site"));
        QVERIFY(!find_container(containers, "n"));
    }

    void faults_data()
    {
        QTest::addColumn<Containers>("containers");
        QTest::addColumn<QString>("place");
        using enum ContainerKind;
        QTest::newRow("no id") << Containers{made("", rack, {})} << "/containers/0/id";
        QTest::newRow("id of a switch") << Containers{made("s", rack, {})} << "/containers/0/id";
        QTest::newRow("id twice") << Containers{made("r", rack, {}), made("r", site, {})} << "/containers/1/id";
        QTest::newRow("nothing") << Containers{made("r", rack, {"x"})} << "/containers/0/members/0";
        QTest::newRow("card of a node") << Containers{made("r", rack, {"n/0"})} << "/containers/0/members/0";
        QTest::newRow("itself") << Containers{made("r", rack, {"r"})} << "/containers/0/members/0";
        QTest::newRow("site in a site") << Containers{made("a", site, {}), made("b", site, {"a"})}
                                        << "/containers/1/members/0";
        QTest::newRow("two places") << Containers{made("a", rack, {"n"}), made("b", rack, {"s", "n"})}
                                    << "/containers/1/members/1";
        Container slow = made("r", rack, {});
        slow.link_bandwidth_bytes_per_s = 0;
        QTest::newRow("no bandwidth") << Containers{slow} << "/containers/0/link_bandwidth_bytes_per_s";
    }

    void faults()
    {
        QFETCH(Containers, containers);
        QFETCH(QString, place);
        try {
            check(containers, cluster());
            QFAIL("no error");
        } catch (const Error& error) {
            QVERIFY2(QString(error.what()).startsWith(place + ":"), error.what());
        }
    }

    void ownTypesComeFirst()
    {
        DeviceSpec own = find_device_entry("T4")->spec;
        own.type = "T4 with a fan";
        QCOMPARE(find_device_type({own}, "T4 with a fan")->memory_bytes, own.memory_bytes);
        QCOMPARE(find_device_type({own}, "T4"), &find_device_entry("T4")->spec);
        QVERIFY(!find_device_type({own}, "T5"));
        own.memory_bytes = -1;
        QVERIFY_EXCEPTION_THROWN(check(std::vector{own}), Error);
    }
};

QTEST_APPLESS_MAIN(TestContainer)
#include "test_container.moc"
