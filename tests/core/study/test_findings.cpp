// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/random.h"
#include "core/cluster/routes.h"
#include "core/study/findings.h"
#include "tests/widgets/sample_project.h"

#include <QtTest>

#include <algorithm>

using namespace nnpiper;
using Kind = Finding::Kind;

namespace {

std::vector<Finding> of_kind(const Project& project, Kind kind)
{
    std::vector<Finding> found;
    for (const Finding& finding : findings(project))
        if (finding.kind == kind)
            found.push_back(finding);
    return found;
}

/// Nodes, single cards and switches joined at random, some of it with no bandwidth.
Cluster random_cluster(Random& random)
{
    Cluster cluster;
    std::vector<std::string> ends;
    const int nodes = random.below(4);
    for (int n = 0; n < nodes; ++n) {
        Node node;
        node.id = "n" + std::to_string(n);
        if (random.uniform() < 0.2)
            node.interconnect_bytes_per_s = 0;
        if (random.uniform() < 0.2)
            node.host_bytes_per_s = 0;
        cluster.nodes.push_back(node);
        ends.push_back(node.id);
        for (int i = random.below(3); i >= 0; --i) {
            Device device;
            device.id = node.id + "/d" + std::to_string(i);
            device.node = node.id;
            cluster.devices.push_back(device);
            ends.push_back(device.id);
        }
    }
    for (int i = random.below(3); i >= 0; --i) {
        Device device;
        device.id = "d" + std::to_string(i);
        cluster.devices.push_back(device);
        ends.push_back(device.id);
    }
    for (int i = random.below(3); i > 0; --i) {
        cluster.switches.push_back({"s" + std::to_string(i), "", 0});
        ends.push_back(cluster.switches.back().id);
    }
    for (int i = random.below(8); i > 0; --i) {
        Link link;
        link.id = "l" + std::to_string(i);
        link.from = ends[static_cast<std::size_t>(random.below(static_cast<int>(ends.size())))];
        link.to = ends[static_cast<std::size_t>(random.below(static_cast<int>(ends.size())))];
        link.bandwidth_bytes_per_s = random.uniform() < 0.2 ? 0 : 1e9;
        // As the editor: nothing is joined to itself, and no node to its own card.
        if (link.from != link.to && !link.from.starts_with(link.to + "/") && !link.to.starts_with(link.from + "/"))
            cluster.links.push_back(link);
    }
    return cluster;
}

}  // namespace

class TestFindings : public QObject {
    Q_OBJECT

private slots:
    void aGoodProjectHasNone() { QVERIFY(findings(sampleProject()).empty()); }

    void emptyCluster()
    {
        Project project = sampleProject();
        project.cluster = {};
        QCOMPARE(findings(project), (std::vector<Finding>{{Kind::no_device, {}}}));
    }

    /// Missing routes are reported just where routes() finds none, and each one reported is one.
    void routesAgreeWithTheRouter()
    {
        Random random(7);
        int apart = 0;
        for (int round = 0; round < 2000; ++round) {
            Project project;
            project.cluster = random_cluster(random);
            const auto all = routes(project.cluster);
            const auto& devices = project.cluster.devices;
            const auto index = [&](const std::string& id) {
                return static_cast<std::size_t>(
                    std::find_if(devices.begin(), devices.end(), [&](const Device& d) { return d.id == id; })
                    - devices.begin());
            };
            bool missing = false;
            for (std::size_t a = 0; a < devices.size(); ++a)
                for (std::size_t b = 0; b < devices.size(); ++b)
                    missing |= a != b && !(all[a][b].bandwidth_bytes_per_s > 0);
            const auto found = of_kind(project, Kind::no_route);
            QCOMPARE(!found.empty(), missing);
            apart += missing;
            for (const Finding& finding : found) {
                const std::size_t to = index(finding.elements[1]);
                QVERIFY(to < devices.size());
                for (std::size_t d = 0; d < devices.size(); ++d)
                    if (devices[d].id == finding.elements[0] || devices[d].node == finding.elements[0])
                        QVERIFY(!(all[d][to].bandwidth_bytes_per_s > 0));
            }
        }
        QVERIFY(apart > 200 && apart < 1950);
    }

    void aNodeCutOffIsOneFinding()
    {
        Project project = sampleProject();
        project.cluster.links[1].bandwidth_bytes_per_s = 0;
        QCOMPARE(findings(project), (std::vector<Finding>{{Kind::no_route, {"node-b", "node-a/gpu0"}},
                                                          {Kind::zero_bandwidth, {"node-b--switch"}}}));
    }

    void zeroInsideANode()
    {
        Project project = sampleProject();
        project.cluster.nodes[0].interconnect_bytes_per_s = 0;
        QCOMPARE(of_kind(project, Kind::zero_bandwidth), (std::vector<Finding>{{Kind::zero_bandwidth, {"node-a"}}}));
        QVERIFY(!of_kind(project, Kind::no_route).empty());
    }

    void noSpeed()
    {
        Project project = sampleProject();
        project.cluster.devices[2].spec.peak_flop_per_s.clear();
        QCOMPARE(findings(project), (std::vector<Finding>{{Kind::no_speed, {"node-b/gpu0"}}}));
    }

    /// GPT-2 small has 124,439,808 parameters (its published count), 16 bytes each with Adam.
    void stateTooLarge()
    {
        Project project = sampleProject();
        const double needed = 124439808.0 * 16;
        for (Device& device : project.cluster.devices)
            device.spec.memory_bytes = needed / 4 * 1.2;
        QVERIFY(of_kind(project, Kind::state_too_large).empty());
        for (Device& device : project.cluster.devices)
            device.spec.memory_bytes = needed / 4 * 0.9;
        const auto found = of_kind(project, Kind::state_too_large);
        QCOMPARE(found.size(), std::size_t(1));
        QVERIFY(std::abs(found[0].needed_bytes / needed - 1) < 1e-9);
        QVERIFY(std::abs(found[0].available_bytes / needed - 0.9) < 1e-9);
    }

    void doubleNames()
    {
        Project project = sampleProject();
        project.cluster.nodes[1].name = "node-a";
        QCOMPARE(findings(project), (std::vector<Finding>{{Kind::duplicate_name, {"node-a", "node-b"}}}));
        QVERIFY(!findings(project)[0].is_error());
        // gpu0 of two nodes is not the same name; in one node it is.
        project = sampleProject();
        project.cluster.devices[1].name = "gpu0";
        QCOMPARE(findings(project), (std::vector<Finding>{{Kind::duplicate_name, {"node-a/gpu0", "node-a/gpu1"}}}));
    }

    void memoryOfAPlan()
    {
        Timeline timeline;
        DeviceMemory fits{"a", 0, 3, 2, 1, 1, 1, 7};
        DeviceMemory short_of{"b", 1, 3, 2, 1, 1, 1, 6};
        timeline.memory = {fits, short_of};
        QCOMPARE(memory_findings(timeline), (std::vector<Finding>{{Kind::memory_short, {"b"}, 7, 6}}));
    }
};

QTEST_APPLESS_MAIN(TestFindings)
#include "test_findings.moc"
