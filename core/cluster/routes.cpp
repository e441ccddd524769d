// SPDX-License-Identifier: GPL-3.0-or-later
// The widest path is found by Dijkstra's algorithm on the narrowest hop (Pollack 1960). "Widest, then quickest" has no
// optimal substructure in one label, so the quickest path is searched a second time among the hops that are at least as
// wide as the widest path's narrowest; latency is compared in whole femtoseconds, which makes ties exact.
// Devices are ends only. A node forwards between its own network ports; two devices of one node meet over its
// interconnect or over drawn links, never by leaving through the host port and coming back.
// O(D (D + w) E log V) for w different widths.
#include "core/cluster/routes.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <queue>
#include <set>
#include <tuple>
#include <unordered_map>

namespace nnpiper {

namespace {

struct Edge {
    int to = 0;
    Hop hop;
    std::int64_t cost_fs = 0;    ///< latency of the hop and of the switch behind it, femtoseconds
    double latency_s = 0;        ///< the same in seconds
    bool into_own_node = false;  ///< host port towards a device
};

struct Graph {
    int devices = 0;
    std::vector<int> node_of;              ///< [device] vertex of its node or -1
    std::vector<std::vector<Edge>> edges;  ///< [vertex]; devices come first
};

Graph graph_of(const Cluster& cluster)
{
    std::unordered_map<std::string, int> vertex;
    std::vector<double> passing_s;  // latency of entering a vertex
    const auto add_vertex = [&](const std::string& id, double latency_s) {
        vertex.emplace(id, static_cast<int>(passing_s.size()));
        passing_s.push_back(latency_s);
    };
    for (const Device& device : cluster.devices)
        add_vertex(device.id, 0);
    for (const Node& node : cluster.nodes)
        add_vertex(node.id, 0);
    for (const Switch& sw : cluster.switches)
        add_vertex(sw.id, sw.latency_s);

    Graph graph;
    graph.devices = static_cast<int>(cluster.devices.size());
    graph.edges.resize(passing_s.size());
    const auto add = [&](int from, int to, Hop hop, bool into_own_node = false) {
        const double latency_s = hop.latency_s + passing_s[static_cast<std::size_t>(to)];
        graph.edges[static_cast<std::size_t>(from)].push_back(
            {to, std::move(hop), std::llround(latency_s * 1e15), latency_s, into_own_node});
    };
    for (const Device& device : cluster.devices) {
        const auto node = vertex.find(device.node);
        graph.node_of.push_back(device.node.empty() || node == vertex.end() ? -1 : node->second);
    }
    for (const Node& node : cluster.nodes) {
        const int port = vertex.at(node.id);
        std::vector<int> members;
        for (int d = 0; d < graph.devices; ++d) {
            if (graph.node_of[static_cast<std::size_t>(d)] == port)
                members.push_back(d);
        }
        const double between = std::min(node.interconnect_bytes_per_s, top_speed(node.interconnect_speed));
        for (const int a : members) {
            add(a, port, {"host:" + node.id, false, node.host_bytes_per_s, node.host_latency_s});
            add(port, a, {"host:" + node.id, true, node.host_bytes_per_s, node.host_latency_s}, true);
            for (const int b : members) {
                if (a != b)
                    add(a, b, {"interconnect:" + node.id, b < a, between, node.interconnect_latency_s});
            }
        }
    }
    for (const Link& link : cluster.links) {
        const auto from = vertex.find(link.from);
        const auto to = vertex.find(link.to);
        if (from == vertex.end() || to == vertex.end())
            continue;
        const double effective = std::min(link.bandwidth_bytes_per_s * link.achieved_fraction, top_speed(link.speed));
        add(from->second, to->second, {"link:" + link.id, false, effective, link.latency_s});
        add(to->second, from->second, {"link:" + link.id, true, effective, link.latency_s});
    }
    return graph;
}

/// Calls `visit` for each edge that a path from `source` may take out of `vertex`.
template <class Visit>
void each_way(const Graph& graph, int source, int vertex, const Visit& visit)
{
    if (vertex < graph.devices && vertex != source)
        return;
    const int own_node = graph.node_of[static_cast<std::size_t>(source)];
    for (const Edge& edge : graph.edges[static_cast<std::size_t>(vertex)]) {
        if (!(edge.into_own_node && vertex == own_node))
            visit(edge);
    }
}

/// Narrowest hop of the widest path from `source` to every vertex; 0 where there is none.
std::vector<double> widths_from(const Graph& graph, int source)
{
    std::vector<double> width(graph.edges.size(), 0.0);
    std::priority_queue<std::pair<double, int>> open;
    width[static_cast<std::size_t>(source)] = std::numeric_limits<double>::infinity();
    open.emplace(width[static_cast<std::size_t>(source)], source);
    while (!open.empty()) {
        const auto [w, vertex] = open.top();
        open.pop();
        if (w < width[static_cast<std::size_t>(vertex)])
            continue;
        each_way(graph, source, vertex, [&](const Edge& edge) {
            const double through = std::min(w, edge.hop.bandwidth_bytes_per_s);
            double& best = width[static_cast<std::size_t>(edge.to)];
            if (through > best) {
                best = through;
                open.emplace(through, edge.to);
            }
        });
    }
    return width;
}

struct Step {
    std::int64_t cost_fs = std::numeric_limits<std::int64_t>::max();
    int hops = 0;
    int from = -1;
    const Edge* edge = nullptr;
};

/// Quickest, then shortest paths over hops of at least `least_width`.
std::vector<Step> quickest_from(const Graph& graph, int source, double least_width)
{
    std::vector<Step> steps(graph.edges.size());
    using Label = std::tuple<std::int64_t, int, int>;
    std::priority_queue<Label, std::vector<Label>, std::greater<>> open;
    steps[static_cast<std::size_t>(source)].cost_fs = 0;
    open.emplace(0, 0, source);
    while (!open.empty()) {
        const auto [cost, hops, vertex] = open.top();
        open.pop();
        const Step& here = steps[static_cast<std::size_t>(vertex)];
        if (std::tie(here.cost_fs, here.hops) < std::tie(cost, hops))
            continue;
        each_way(graph, source, vertex, [&, cost = cost, hops = hops, vertex = vertex](const Edge& edge) {
            if (edge.hop.bandwidth_bytes_per_s < least_width)
                return;
            Step& there = steps[static_cast<std::size_t>(edge.to)];
            const std::int64_t new_cost = cost + edge.cost_fs;
            const int new_hops = hops + 1;
            if (std::tie(new_cost, new_hops) < std::tie(there.cost_fs, there.hops)) {
                there = {new_cost, new_hops, vertex, &edge};
                open.emplace(new_cost, new_hops, edge.to);
            }
        });
    }
    return steps;
}

Route route_to(const std::vector<Step>& steps, int source, int target, double width)
{
    Route route;
    route.bandwidth_bytes_per_s = width;
    for (int vertex = target; vertex != source; vertex = steps[static_cast<std::size_t>(vertex)].from) {
        const Edge& edge = *steps[static_cast<std::size_t>(vertex)].edge;
        route.hops.push_back(edge.hop);
        route.latency_s += edge.latency_s;
    }
    std::reverse(route.hops.begin(), route.hops.end());
    return route;
}

}  // namespace

std::vector<std::vector<Route>> routes(const Cluster& cluster)
{
    const Graph graph = graph_of(cluster);
    const auto count = static_cast<std::size_t>(graph.devices);
    std::vector<std::vector<Route>> table(count, std::vector<Route>(count));
    for (int source = 0; source < graph.devices; ++source) {
        const std::vector<double> width = widths_from(graph, source);
        std::set<double> levels;
        for (int target = 0; target < graph.devices; ++target) {
            const double w = width[static_cast<std::size_t>(target)];
            if (target != source && w > 0)
                levels.insert(w);
        }
        for (const double level : levels) {
            const std::vector<Step> steps = quickest_from(graph, source, level);
            for (int target = 0; target < graph.devices; ++target) {
                if (target != source && width[static_cast<std::size_t>(target)] == level)
                    table[static_cast<std::size_t>(source)][static_cast<std::size_t>(target)] =
                        route_to(steps, source, target, level);
            }
        }
    }
    return table;
}

}  // namespace nnpiper
