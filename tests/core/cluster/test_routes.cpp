// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/random.h"
#include "core/cluster/routes.h"

#include <QtTest>

#include <algorithm>
#include <set>

using namespace nnpiper;

namespace {

Device device(const std::string& id, const std::string& node = {})
{
    Device d;
    d.id = id;
    d.node = node;
    d.spec.memory_bytes = 1e9;
    return d;
}

Node node(const std::string& id, double interconnect, double host, double host_latency = 0)
{
    Node n;
    n.id = id;
    n.interconnect_bytes_per_s = interconnect;
    n.interconnect_latency_s = 6e-6;
    n.host_bytes_per_s = host;
    n.host_latency_s = host_latency;
    return n;
}

Link link(const std::string& id, const std::string& from, const std::string& to, double bandwidth, double latency,
          double share = 1)
{
    Link l;
    l.id = id;
    l.from = from;
    l.to = to;
    l.bandwidth_bytes_per_s = bandwidth;
    l.latency_s = latency;
    l.achieved_fraction = share;
    return l;
}

std::string path_of(const Route& route)
{
    std::string text;
    for (const Hop& hop : route.hops)
        text += (text.empty() ? "" : " ") + hop.resource + (hop.reverse ? "<" : ">");
    return text;
}

Route route(const Cluster& cluster, int from, int to)
{
    check(cluster);
    return routes(cluster)[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)];
}

}  // namespace

class TestRoutes : public QObject {
    Q_OBJECT

private slots:
    void direct_link_in_both_directions()
    {
        Cluster c;
        c.devices = {device("x"), device("y")};
        c.links = {link("l", "x", "y", 10e9, 3e-6, 0.9)};
        const Route there = route(c, 0, 1);
        QCOMPARE(path_of(there), std::string("link:l>"));
        QCOMPARE(there.bandwidth_bytes_per_s, 9e9);
        QCOMPARE(there.latency_s, 3e-6);
        QCOMPARE(path_of(route(c, 1, 0)), std::string("link:l<"));
        QVERIFY(routes(c)[0][0].hops.empty());
    }

    void through_a_switch()
    {
        Cluster c;
        c.devices = {device("x"), device("y")};
        c.switches = {{"sw", "", 2e-6}};
        c.links = {link("lx", "x", "sw", 10e9, 1e-6), link("ly", "y", "sw", 5e9, 4e-6)};
        const Route r = route(c, 0, 1);
        QCOMPARE(path_of(r), std::string("link:lx> link:ly<"));
        QCOMPARE(r.bandwidth_bytes_per_s, 5e9);
        QCOMPARE(r.latency_s, 7e-6);
        QCOMPARE(r.hops.size(), std::size_t{2});
    }

    void inside_a_node()
    {
        Cluster c;
        c.nodes = {node("n", 24e9, 100e9)};
        c.devices = {device("n/0", "n"), device("n/1", "n")};
        Route r = route(c, 0, 1);
        QCOMPARE(path_of(r), std::string("interconnect:n>"));
        QCOMPARE(r.bandwidth_bytes_per_s, 24e9);
        QCOMPARE(r.latency_s, 6e-6);
        QCOMPARE(path_of(route(c, 1, 0)), std::string("interconnect:n<"));

        // A drawn bridge wins where it is wider, and loses where it is not.
        c.links = {link("bridge", "n/0", "n/1", 50e9, 1e-5)};
        QCOMPARE(path_of(route(c, 0, 1)), std::string("link:bridge>"));
        c.links[0].bandwidth_bytes_per_s = 20e9;
        QCOMPARE(path_of(route(c, 0, 1)), std::string("interconnect:n>"));
    }

    void two_nodes_with_different_host_ports()
    {
        Cluster c;
        c.nodes = {node("a", 200e9, 12e9, 1e-6), node("b", 200e9, 3e9, 2e-6)};
        c.devices = {device("a/0", "a"), device("b/0", "b")};
        c.links = {link("wire", "b", "a", 12.5e9, 5e-6, 0.8)};
        const Route r = route(c, 0, 1);
        QCOMPARE(path_of(r), std::string("host:a> link:wire< host:b<"));
        QCOMPARE(r.bandwidth_bytes_per_s, 3e9);
        QCOMPARE(r.latency_s, 8e-6);
        QCOMPARE(r.hops[1].bandwidth_bytes_per_s, 10e9);
        QCOMPARE(path_of(route(c, 1, 0)), std::string("host:b> link:wire> host:a<"));
    }

    void no_way()
    {
        Cluster c;
        c.nodes = {node("a", 1e9, 1e9), node("b", 1e9, 1e9)};
        c.devices = {device("a/0", "a"), device("b/0", "b"), device("z")};
        for (int i = 0; i < 3; ++i) {
            for (int k = 0; k < 3; ++k) {
                const Route r = route(c, i, k);
                QVERIFY(r.hops.empty());
                QCOMPARE(r.bandwidth_bytes_per_s, 0.0);
            }
        }
        QVERIFY(routes(Cluster{}).empty());
    }

    void devices_do_not_forward()
    {
        Cluster c;
        c.devices = {device("x"), device("y"), device("z")};
        c.links = {link("xy", "x", "y", 10e9, 0), link("yz", "y", "z", 10e9, 0)};
        QCOMPARE(route(c, 0, 2).bandwidth_bytes_per_s, 0.0);
        QCOMPARE(path_of(route(c, 0, 1)), std::string("link:xy>"));

        // Nor do they inside a node: n/0 has a bridge to n/1 and n/1 one to n/2, the interconnect stays the only way.
        c = {};
        c.nodes = {node("n", 5e9, 1e9)};
        c.devices = {device("n/0", "n"), device("n/1", "n"), device("n/2", "n")};
        c.links = {link("01", "n/0", "n/1", 50e9, 0), link("12", "n/1", "n/2", 50e9, 0)};
        QCOMPARE(path_of(route(c, 0, 2)), std::string("interconnect:n>"));
    }

    void never_out_of_the_node_and_back()
    {
        // The network would be wider than the interconnect; the port does not loop.
        Cluster c;
        c.nodes = {node("n", 5e9, 100e9)};
        c.devices = {device("n/0", "n"), device("n/1", "n")};
        c.switches = {{"sw", "", 0}};
        c.links = {link("up", "n", "sw", 100e9, 0)};
        const Route r = route(c, 0, 1);
        QCOMPARE(path_of(r), std::string("interconnect:n>"));
        QCOMPARE(r.bandwidth_bytes_per_s, 5e9);
    }

    void widest_before_quickest_before_shortest()
    {
        Cluster c;
        c.devices = {device("x"), device("y")};
        c.switches = {{"s1", "", 0}, {"s2", "", 0}};
        // Narrow and instant against wide and slow.
        c.links = {link("direct", "x", "y", 1e9, 0), link("a", "x", "s1", 2e9, 1e-3), link("b", "s1", "y", 2e9, 1e-3)};
        QCOMPARE(path_of(route(c, 0, 1)), std::string("link:a> link:b>"));
        // Equally wide: the quicker one, though it has more hops.
        c.links[0] = link("direct", "x", "y", 2e9, 3e-3);
        QCOMPARE(path_of(route(c, 0, 1)), std::string("link:a> link:b>"));
        // Equally wide and quick: fewer hops. 1 ms + 2 ms is not 3 ms in binary, and must tie all the same.
        c.links[2].latency_s = 2e-3;
        QCOMPARE(path_of(route(c, 0, 1)), std::string("link:direct>"));
        // A tie in everything goes to the link drawn first, both ways.
        c.links = {link("first", "x", "y", 2e9, 1e-3), link("second", "y", "x", 2e9, 1e-3)};
        QCOMPARE(path_of(route(c, 0, 1)), std::string("link:first>"));
        QCOMPARE(path_of(route(c, 1, 0)), std::string("link:first<"));
    }

    /// The widest prefix is not always part of the best path: what lies behind may be narrow anyway.
    void no_width_is_bought_that_a_later_hop_wastes()
    {
        Cluster c;
        c.devices = {device("x"), device("y"), device("z")};
        c.switches = {{"sw", "", 0}};
        c.links = {link("wide-slow", "x", "sw", 100e9, 1e-3), link("narrow-quick", "x", "sw", 10e9, 1e-6),
                   link("thin", "sw", "y", 1e9, 1e-6), link("fat", "sw", "z", 100e9, 1e-6)};
        const Route to_thin = route(c, 0, 1);
        QCOMPARE(path_of(to_thin), std::string("link:narrow-quick> link:thin>"));
        QCOMPARE(to_thin.bandwidth_bytes_per_s, 1e9);
        QCOMPARE(to_thin.latency_s, 2e-6);
        QCOMPARE(path_of(route(c, 0, 2)), std::string("link:wide-slow> link:fat>"));
    }

    void wide_area()
    {
        Cluster c;
        c.nodes = {node("east", 24e9, 24e9), node("west", 24e9, 24e9)};
        c.devices = {device("east/0", "east"), device("east/1", "east"), device("west/0", "west")};
        c.switches = {{"router-e", "", 1e-4}, {"router-w", "", 1e-4}};
        c.links = {link("lan-e", "east", "router-e", 1.25e9, 5e-5), link("wan", "router-e", "router-w", 0.14e9, 0.067),
                   link("lan-w", "router-w", "west", 1.25e9, 5e-5)};
        const Route r = route(c, 1, 2);
        QCOMPARE(path_of(r), std::string("host:east> link:lan-e> link:wan> link:lan-w> host:west<"));
        QCOMPARE(r.bandwidth_bytes_per_s, 0.14e9);
        QCOMPARE(r.latency_s, 0.067 + 3e-4);
    }

    void nodes_forward_between_their_ports()
    {
        Cluster c;
        c.nodes = {node("a", 9e9, 9e9), node("b", 9e9, 2e9), node("c", 9e9, 9e9)};
        c.devices = {device("a/0", "a"), device("c/0", "c")};
        c.links = {link("ab", "a", "b", 4e9, 1e-6), link("bc", "b", "c", 3e9, 1e-6)};
        const Route r = route(c, 0, 1);
        QCOMPARE(path_of(r), std::string("host:a> link:ab> link:bc> host:c<"));
        QCOMPARE(r.bandwidth_bytes_per_s, 3e9);
    }

    /// Against an exhaustive walk over all simple paths of small random networks.
    void agrees_with_exhaustive_search()
    {
        for (std::uint64_t seed = 1; seed <= 60; ++seed) {
            Random random(seed);
            Cluster c;
            const int devices = 2 + random.below(3), switches = 1 + random.below(3);
            for (int i = 0; i < devices; ++i)
                c.devices.push_back(device("d" + std::to_string(i)));
            for (int i = 0; i < switches; ++i)
                c.switches.push_back({"s" + std::to_string(i), "", 1e-6 * random.below(3)});
            const auto name = [&](int v) {
                return v < devices ? c.devices[static_cast<std::size_t>(v)].id
                                   : c.switches[static_cast<std::size_t>(v - devices)].id;
            };
            const int links = 2 + random.below(7);
            for (int i = 0; i < links; ++i) {
                const int from = random.below(devices + switches), to = random.below(devices + switches);
                if (from != to)
                    c.links.push_back(link("l" + std::to_string(i), name(from), name(to), 1e9 * (1 + random.below(4)),
                                           1e-6 * (1 + random.below(4))));
            }
            const auto table = routes(c);
            for (int from = 0; from < devices; ++from) {
                for (int to = 0; to < devices; ++to) {
                    if (from == to)
                        continue;
                    const Route& r = table[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)];
                    double bandwidth = 0, latency = 0;
                    std::size_t hops = 0;
                    std::set<std::string> seen;
                    walk(c, name(from), name(to), 1e18, 0, 0, seen, bandwidth, latency, hops);
                    QCOMPARE(r.bandwidth_bytes_per_s, bandwidth);
                    QVERIFY(std::abs(r.latency_s - latency) < 1e-12);
                    QCOMPARE(r.hops.size(), hops);
                }
            }
        }
    }

private:
    static void walk(const Cluster& c, const std::string& at, const std::string& to, double width, double latency,
                     std::size_t hops, std::set<std::string>& seen, double& best_width, double& best_latency,
                     std::size_t& best_hops)
    {
        if (at == to) {
            const bool better =
                width > best_width
                || (width == best_width
                    && (latency < best_latency - 1e-12 || (latency < best_latency + 1e-12 && hops < best_hops)));
            if (better) {
                best_width = width;
                best_latency = latency;
                best_hops = hops;
            }
            return;
        }
        if (hops > 0 && find_device(c, at))
            return;
        seen.insert(at);
        for (const Link& l : c.links) {
            if (l.from != at && l.to != at)
                continue;
            const std::string& next = l.from == at ? l.to : l.from;
            if (seen.count(next))
                continue;
            const Switch* sw = find_switch(c, next);
            walk(c, next, to, std::min(width, l.bandwidth_bytes_per_s * l.achieved_fraction),
                 latency + l.latency_s + (sw ? sw->latency_s : 0), hops + 1, seen, best_width, best_latency, best_hops);
        }
        seen.erase(at);
    }
};

QTEST_APPLESS_MAIN(TestRoutes)
#include "test_routes.moc"
