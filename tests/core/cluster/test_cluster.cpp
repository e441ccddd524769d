// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/error.h"
#include "core/cluster/catalog.h"
#include "core/cluster/cluster.h"

#include <QtTest>

#include <cmath>
#include <functional>
#include <limits>
#include <set>

using namespace nnpiper;

namespace {

Device device(const char* id, const char* node)
{
    Device d;
    d.id = id;
    d.node = node;
    d.spec.memory_bytes = 24e9;
    d.spec.memory_bandwidth_bytes_per_s = 900e9;
    d.spec.peak_flop_per_s = {{"bf16", 70e12}};
    return d;
}

Link link(const char* id, const char* from, const char* to)
{
    Link l;
    l.id = id;
    l.from = from;
    l.to = to;
    l.bandwidth_bytes_per_s = 1e9;
    return l;
}

Cluster small()
{
    Cluster c;
    c.nodes.resize(2);
    c.nodes[0].id = "a";
    c.nodes[1].id = "b";
    c.devices = {device("a/0", "a"), device("b/0", "b"), device("alone", "")};
    c.switches = {{"sw", "Switch", 1e-6}};
    c.links = {link("l0", "a", "sw"), link("l1", "sw", "b"), link("l2", "alone", "sw")};
    return c;
}

struct Fault {
    const char* name;
    const char* pointer;
    const char* mentions;
    std::function<void(Cluster&)> make;
};

const double nan = std::numeric_limits<double>::quiet_NaN();

const std::vector<Fault>& faults()
{
    static const std::vector<Fault> all = {
        {"two devices with one id", "/cluster/devices/1/id", "\"a/0\" is also the id of /cluster/devices/0",
         [](Cluster& c) { c.devices[1].id = "a/0"; }},
        {"a node and a switch with one id", "/cluster/switches/0/id", "also the id of /cluster/nodes/0",
         [](Cluster& c) { c.switches[0].id = "a"; }},
        {"a link with a device's id", "/cluster/links/2/id", "also the id of /cluster/devices/2",
         [](Cluster& c) { c.links[2].id = "alone"; }},
        {"no id", "/cluster/nodes/1/id", "empty", [](Cluster& c) { c.nodes[1].id.clear(); }},
        {"a node that does not exist", "/cluster/devices/0/node", "\"z\" does not exist",
         [](Cluster& c) { c.devices[0].node = "z"; }},
        {"a link to nothing", "/cluster/links/1/to", "\"c\" does not exist", [](Cluster& c) { c.links[1].to = "c"; }},
        {"a link from nothing", "/cluster/links/0/from", "does not exist", [](Cluster& c) { c.links[0].from.clear(); }},
        {"a link to a link", "/cluster/links/1/to", "is a link", [](Cluster& c) { c.links[1].to = "l0"; }},
        {"a link to itself", "/cluster/links/0/to", "to itself", [](Cluster& c) { c.links[0].to = "a"; }},
        {"negative bandwidth", "/cluster/links/0/bandwidth_bytes_per_s", "-1 is not possible",
         [](Cluster& c) { c.links[0].bandwidth_bytes_per_s = -1; }},
        {"zero bandwidth", "/cluster/links/0/bandwidth_bytes_per_s", "above 0",
         [](Cluster& c) { c.links[0].bandwidth_bytes_per_s = 0; }},
        {"infinite bandwidth", "/cluster/links/0/bandwidth_bytes_per_s", "inf",
         [](Cluster& c) { c.links[0].bandwidth_bytes_per_s = INFINITY; }},
        {"link share", "/cluster/links/0/achieved_fraction", "fraction",
         [](Cluster& c) { c.links[0].achieved_fraction = 1.1; }},
        {"negative latency", "/cluster/links/0/latency_s", "-0.001", [](Cluster& c) { c.links[0].latency_s = -1e-3; }},
        {"switch latency", "/cluster/switches/0/latency_s", "nan", [](Cluster& c) { c.switches[0].latency_s = nan; }},
        {"interconnect", "/cluster/nodes/0/interconnect_bytes_per_s", "above 0",
         [](Cluster& c) { c.nodes[0].interconnect_bytes_per_s = 0; }},
        {"interconnect latency", "/cluster/nodes/0/interconnect_latency_s", "0 or",
         [](Cluster& c) { c.nodes[0].interconnect_latency_s = -1; }},
        {"host port", "/cluster/nodes/1/host_bytes_per_s", "above 0",
         [](Cluster& c) { c.nodes[1].host_bytes_per_s = -5; }},
        {"host latency", "/cluster/nodes/1/host_latency_s", "0 or", [](Cluster& c) { c.nodes[1].host_latency_s = -5; }},
        {"no memory", "/cluster/devices/0/memory_bytes", "above 0",
         [](Cluster& c) { c.devices[0].spec.memory_bytes = 0; }},
        {"memory bandwidth", "/cluster/devices/0/memory_bandwidth_bytes_per_s", "-1",
         [](Cluster& c) { c.devices[0].spec.memory_bandwidth_bytes_per_s = -1; }},
        {"unknown precision", "/cluster/devices/0/peak_flop_per_s/int4", "known are fp32",
         [](Cluster& c) { c.devices[0].spec.peak_flop_per_s["int4"] = 1; }},
        {"zero peak", "/cluster/devices/0/peak_flop_per_s/bf16", "above 0",
         [](Cluster& c) { c.devices[0].spec.peak_flop_per_s["bf16"] = 0; }},
        {"achieved fraction", "/cluster/devices/0/achieved_fraction", "fraction",
         [](Cluster& c) { c.devices[0].spec.achieved_fraction = 0; }},
        {"achieved memory fraction", "/cluster/devices/0/achieved_memory_fraction", "fraction",
         [](Cluster& c) { c.devices[0].spec.achieved_memory_fraction = 2; }},
        {"price", "/cluster/devices/0/price_dollars_per_h", "0 or",
         [](Cluster& c) { c.devices[0].spec.price_dollars_per_h = -1; }},
        {"power", "/cluster/devices/0/power_w", "0 or", [](Cluster& c) { c.devices[0].spec.power_w = -1; }},
        {"speed factor", "/cluster/devices/2/speed_factor", "above 0",
         [](Cluster& c) { c.devices[2].speed_factor = 0; }},
    };
    return all;
}

}  // namespace

class TestCluster : public QObject {
    Q_OBJECT

private slots:
    /// Two A100 reach 13.6 GB/s at 1 MB, 130 at 16 MB and 236 at 1 GB (eth-easl/sailor).
    void speed_by_message_size_data()
    {
        QTest::addColumn<double>("bytes");
        QTest::addColumn<double>("speed");
        QTest::newRow("smaller") << 1e3 << 13.6e9;
        QTest::newRow("first") << 1e6 << 13.6e9;
        QTest::newRow("half way in the logarithm") << 4e6 << (13.6e9 + 130e9) / 2;
        QTest::newRow("second") << 16e6 << 130e9;
        QTest::newRow("last") << 1e9 << 236e9;
        QTest::newRow("larger") << 1e12 << 236e9;
    }
    void speed_by_message_size()
    {
        QFETCH(double, bytes);
        QFETCH(double, speed);
        QCOMPARE(speed_at({{1e6, 13.6e9}, {16e6, 130e9}, {1e9, 236e9}}, bytes), speed);
        QVERIFY(std::isinf(speed_at({}, bytes)));
    }

    void operations()
    {
        for (std::size_t i = 0; i < operation_count; ++i)
            QCOMPARE(operation_from_name(name_of(static_cast<Operation>(i))), static_cast<Operation>(i));
        QVERIFY_EXCEPTION_THROWN(operation_from_name("softmax"), Error);
        DeviceSpec spec;
        spec.achieved_fraction = 0.5;
        spec.achieved_by_operation = {{Operation::head, 0.7}};
        QCOMPARE(achieved_fraction(spec, Operation::head), 0.7);
        QCOMPARE(achieved_fraction(spec, Operation::matrix), 0.5);
    }

    void accepts()
    {
        check(small());
        check(Cluster{});
        Cluster unknown = small();
        unknown.devices[0].spec.peak_flop_per_s.clear();
        unknown.devices[0].spec.memory_bandwidth_bytes_per_s = 0;
        check(unknown);
    }

    void refuses_data()
    {
        QTest::addColumn<int>("index");
        for (std::size_t i = 0; i < faults().size(); ++i)
            QTest::newRow(faults()[i].name) << static_cast<int>(i);
    }
    void refuses()
    {
        QFETCH(int, index);
        const Fault& fault = faults()[static_cast<std::size_t>(index)];
        Cluster cluster = small();
        fault.make(cluster);
        try {
            check(cluster);
            QFAIL("accepted");
        } catch (const Error& error) {
            QCOMPARE(error.place(), std::string(fault.pointer));
            QVERIFY2(std::string(error.what()).find(fault.mentions) != std::string::npos, error.what());
            QVERIFY2(std::string(error.what()).find('\n') == std::string::npos, error.what());
        }
    }

    void place_is_put_first()
    {
        Cluster cluster = small();
        cluster.links[0].to = "nowhere";
        try {
            check(cluster, "file.json: /cluster");
            QFAIL("accepted");
        } catch (const Error& error) {
            QCOMPARE(error.place(), std::string("file.json: /cluster/links/0/to"));
        }
    }

    void finds()
    {
        const Cluster c = small();
        QCOMPARE(find_device(c, "b/0"), &c.devices[1]);
        QCOMPARE(find_node(c, "b"), &c.nodes[1]);
        QCOMPARE(find_switch(c, "sw"), &c.switches[0]);
        QCOMPARE(find_link(c, "l2"), &c.links[2]);
        QVERIFY(!find_device(c, "a") && !find_node(c, "a/0") && !find_switch(c, "") && !find_link(c, "l3"));
    }

    void device_catalogue()
    {
        QVERIFY(device_catalog().size() >= 40);
        std::set<std::string> names;
        int unconfirmed = 0;
        for (const DeviceEntry& entry : device_catalog()) {
            QVERIFY2(names.insert(entry.name).second, entry.name.c_str());
            QCOMPARE(entry.spec.type, entry.name);
            QVERIFY2(!entry.source.empty() && !entry.vendor.empty(), entry.name.c_str());
            // A catalogue device can stand in a cluster as it is.
            Cluster one;
            one.devices.push_back({"d", "", "", entry.spec, 1});
            check(one);
            for (const auto& [precision, peak] : entry.spec.peak_flop_per_s)
                QVERIFY2(peak > 1e12 && peak < 1e16, entry.name.c_str());
            QVERIFY2(entry.spec.memory_bytes >= 8e9 && entry.spec.memory_bytes <= 300e9, entry.name.c_str());
            for (const std::string& field : entry.unconfirmed) {
                ++unconfirmed;
                const std::set<std::string> fields = {"memory_bytes",         "memory_bandwidth_bytes_per_s",
                                                      "interconnect",         "peak_flop_per_s/fp32",
                                                      "peak_flop_per_s/tf32", "peak_flop_per_s/fp16",
                                                      "peak_flop_per_s/bf16", "peak_flop_per_s/fp8"};
                QVERIFY2(fields.count(field), (entry.name + ": " + field).c_str());
            }
        }
        QVERIFY(unconfirmed > 30);
    }

    void achieved_is_not_peak()
    {
        int measured = 0;
        for (const DeviceEntry& entry : device_catalog()) {
            QVERIFY(entry.spec.achieved_fraction > 0 && entry.spec.achieved_fraction < 1);
            if (entry.achieved_basis == "default")
                QCOMPARE(entry.spec.achieved_fraction, 0.45);
            if (!entry.measured_matmul_flop_per_s)
                continue;
            ++measured;
            const double peak = entry.spec.peak_flop_per_s.at("bf16");
            QVERIFY2(*entry.measured_matmul_flop_per_s < peak, entry.name.c_str());
            QVERIFY2(std::abs(entry.spec.achieved_fraction - 0.62 * *entry.measured_matmul_flop_per_s / peak) < 0.0051,
                     entry.name.c_str());
        }
        QVERIFY(measured >= 10);
    }

    void known_devices_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<double>("memory");
        QTest::addColumn<double>("bandwidth");
        QTest::addColumn<QString>("precision");
        QTest::addColumn<double>("peak");
        QTest::newRow("A100") << "A100 SXM4 80GB" << 80e9 << 2039e9 << "bf16" << 312e12;
        QTest::newRow("4090") << "RTX 4090" << 24e9 << 1008e9 << "bf16" << 165.2e12;
        QTest::newRow("2080 Ti") << "RTX 2080 Ti" << 11e9 << 616e9 << "fp16" << 56.9e12;
        QTest::newRow("K80") << "K80 (one of two GPUs on board)" << 12e9 << 240.6e9 << "fp32" << 4.11e12;
        QTest::newRow("TPU") << "TPU v3 (chip, 2 cores)" << 32e9 << 900e9 << "bf16" << 123e12;
        QTest::newRow("H100 fp8") << "H100 SXM5" << 80e9 << 3350e9 << "fp8" << 1979e12;
    }
    void known_devices()
    {
        QFETCH(QString, name);
        QFETCH(double, memory);
        QFETCH(double, bandwidth);
        QFETCH(QString, precision);
        QFETCH(double, peak);
        const DeviceEntry* entry = find_device_entry(name.toStdString());
        QVERIFY(entry);
        QCOMPARE(entry->spec.memory_bytes, memory);
        QCOMPARE(entry->spec.memory_bandwidth_bytes_per_s, bandwidth);
        QCOMPARE(entry->spec.peak_flop_per_s.at(precision.toStdString()), peak);
    }

    void unknown_is_empty_not_zero()
    {
        const DeviceEntry* v100 = find_device_entry("V100 PCIe 16GB");
        QVERIFY(v100);
        QVERIFY(!v100->spec.peak_flop_per_s.count("bf16") && !v100->spec.peak_flop_per_s.count("fp8"));
        QVERIFY(!v100->spec.price_dollars_per_h);
        QVERIFY(!find_device_entry("TPU v4")->spec.power_w);
        QVERIFY(!find_device_entry("RTX 9999"));
    }

    void link_catalogue()
    {
        QVERIFY(link_catalog().size() >= 56);
        std::set<std::string> names, groups;
        for (const LinkEntry& entry : link_catalog()) {
            QVERIFY2(names.insert(entry.name).second, entry.name.c_str());
            groups.insert(entry.group);
            QVERIFY2(!entry.source.empty() && !entry.status.empty(), entry.name.c_str());
            QVERIFY2(entry.nominal_bytes_per_s >= 0 && entry.nominal_bytes_per_s < 1e12, entry.name.c_str());
            QVERIFY2(entry.effective_bytes_per_s.value_or(1) > 0, entry.name.c_str());
            QVERIFY2(entry.latency_s.value_or(1e-6) > 0 && entry.latency_s.value_or(0) < 0.3, entry.name.c_str());
        }
        for (const char* group : {"NVLink", "PCIe", "Ethernet", "InfiniBand", "WAN", "XGMI"})
            QVERIFY2(groups.count(group), group);
        const LinkEntry* pcie = find_link_entry("PCIe 4.0 x16");
        QVERIFY(pcie);
        QCOMPARE(pcie->nominal_bytes_per_s, 31.5e9);
        QCOMPARE(pcie->effective_bytes_per_s.value(), 24e9);
        QCOMPARE(pcie->latency_s.value(), 5.7e-6);
        QVERIFY(!find_link_entry("XGMI MI300X (GPU total)")->effective_bytes_per_s);
        QVERIFY(!find_link_entry("carrier pigeon"));
    }
};

QTEST_APPLESS_MAIN(TestCluster)
#include "test_cluster.moc"
