// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/findings.h"

#include "core/base/error.h"
#include "core/problem/cost_model.h"

#include <algorithm>
#include <map>
#include <type_traits>
#include <unordered_map>
#include <utility>

namespace nnpiper {

namespace {

using Kind = Finding::Kind;

double width_of(const Link& link)
{
    return std::min(link.bandwidth_bytes_per_s * link.achieved_fraction, top_speed(link.speed));
}

double interconnect_of(const Node& node)
{
    return std::min(node.interconnect_bytes_per_s, top_speed(node.interconnect_speed));
}

/// Who reaches whom, by the rules of routes(): devices are ends only, and two devices of one node meet over its
/// interconnect or over drawn links, never through the host port.
class Reach {
public:
    explicit Reach(const Cluster& cluster);

    /// [device]; the source itself counts as reached.
    std::vector<bool> from(std::size_t device) const;

private:
    struct Vertex {
        std::vector<std::size_t> links;  ///< neighbours over drawn links that carry something
        std::size_t node = none;         ///< of a device
        std::vector<std::size_t> cards;  ///< of a node
        bool meets = false;              ///< a node's cards reach each other
        bool host = false;               ///< a node's cards reach its network port
    };
    static constexpr std::size_t none = static_cast<std::size_t>(-1);
    std::size_t devices_ = 0;
    std::vector<Vertex> vertices_;
};

Reach::Reach(const Cluster& cluster)
    : devices_(cluster.devices.size())
{
    std::unordered_map<std::string, std::size_t> index;
    const auto number = [&](const auto& list) {
        for (const auto& item : list)
            index.emplace(item.id, index.size());
    };
    number(cluster.devices);
    number(cluster.nodes);
    number(cluster.switches);
    vertices_.resize(index.size());
    for (const Node& node : cluster.nodes) {
        Vertex& vertex = vertices_[index.at(node.id)];
        vertex.meets = interconnect_of(node) > 0;
        vertex.host = node.host_bytes_per_s > 0;
    }
    for (std::size_t d = 0; d < devices_; ++d) {
        const auto node = index.find(cluster.devices[d].node);
        if (cluster.devices[d].node.empty() || node == index.end())
            continue;
        vertices_[d].node = node->second;
        vertices_[node->second].cards.push_back(d);
    }
    for (const Link& link : cluster.links) {
        const auto from = index.find(link.from);
        const auto to = index.find(link.to);
        if (from == index.end() || to == index.end() || !(width_of(link) > 0))
            continue;
        vertices_[from->second].links.push_back(to->second);
        vertices_[to->second].links.push_back(from->second);
    }
}

std::vector<bool> Reach::from(std::size_t device) const
{
    std::vector<bool> reached(vertices_.size());
    std::vector<std::size_t> open{device};
    reached[device] = true;
    const auto visit = [&](std::size_t vertex) {
        if (reached[vertex])
            return;
        reached[vertex] = true;
        if (vertex >= devices_)
            open.push_back(vertex);
    };
    const std::size_t home = vertices_[device].node;
    while (!open.empty()) {
        const std::size_t at = open.back();
        open.pop_back();
        const Vertex& vertex = vertices_[at];
        for (const std::size_t other : vertex.links)
            visit(other);
        if (at == device && home != none) {
            if (vertices_[home].host)
                visit(home);
            if (vertices_[home].meets)
                for (const std::size_t card : vertices_[home].cards)
                    visit(card);
        }
        if (at != home && vertex.host)
            for (const std::size_t card : vertex.cards)
                visit(card);
    }
    reached.resize(devices_);
    return reached;
}

void add_routes(std::vector<Finding>& found, const Cluster& cluster)
{
    const std::size_t devices = cluster.devices.size();
    if (devices < 2)
        return;
    const Reach reach(cluster);
    std::vector<bool> best;
    std::size_t most = 0;
    std::size_t main = 0;
    for (std::size_t d = 0; d < devices && most < devices; ++d) {
        std::vector<bool> reached = reach.from(d);
        const auto count = static_cast<std::size_t>(std::count(reached.begin(), reached.end(), true));
        if (count > most) {
            most = count;
            main = d;
            best = std::move(reached);
        }
    }
    if (most == devices) {
        // One device reaches all; others may still be apart, since no way leads through it.
        for (std::size_t d = 0; d < devices; ++d) {
            const std::vector<bool> reached = reach.from(d);
            for (std::size_t e = d + 1; e < devices; ++e)
                if (!reached[e]) {
                    found.push_back({Kind::no_route, {cluster.devices[e].id, cluster.devices[d].id}});
                    return;
                }
        }
        return;
    }
    std::map<std::string, std::size_t> lost;   // by node
    std::map<std::string, std::size_t> cards;  // by node
    for (std::size_t d = 0; d < devices; ++d) {
        ++cards[cluster.devices[d].node];
        if (!best[d])
            ++lost[cluster.devices[d].node];
    }
    const std::string& other = cluster.devices[main].id;
    for (const Node& node : cluster.nodes)
        if (lost.count(node.id) && lost.at(node.id) == cards.at(node.id))
            found.push_back({Kind::no_route, {node.id, other}});
    for (std::size_t d = 0; d < devices; ++d) {
        const std::string& node = cluster.devices[d].node;
        if (!best[d] && (node.empty() || lost.at(node) != cards.at(node)))
            found.push_back({Kind::no_route, {cluster.devices[d].id, other}});
    }
}

void add_zero_bandwidth(std::vector<Finding>& found, const Cluster& cluster)
{
    for (const Link& link : cluster.links)
        if (!(width_of(link) > 0))
            found.push_back({Kind::zero_bandwidth, {link.id}});
    for (const Node& node : cluster.nodes) {
        const auto cards = std::count_if(cluster.devices.begin(), cluster.devices.end(),
                                         [&](const Device& device) { return device.node == node.id; });
        const bool linked = std::any_of(cluster.links.begin(), cluster.links.end(),
                                        [&](const Link& link) { return link.from == node.id || link.to == node.id; });
        if ((cards > 1 && !(interconnect_of(node) > 0)) || (cards > 0 && linked && !(node.host_bytes_per_s > 0)))
            found.push_back({Kind::zero_bandwidth, {node.id}});
    }
}

void add_state(std::vector<Finding>& found, const Project& project)
{
    try {
        const ParameterBytes bytes = parameter_bytes(project.job.optimizer, project.job.precision);
        double parameters = 0;
        for (const Layer& layer : layers_of(project.model, project.job.precision))
            parameters += layer.parameters;
        double memory = 0;
        for (const Device& device : project.cluster.devices)
            memory += device.spec.memory_bytes;
        if (parameters * bytes.state > memory)
            found.push_back({Kind::state_too_large, {}, parameters * bytes.state, memory});
    } catch (const Error&) {
        // The model page tells what is missing there.
    }
}

template <class T>
void add_double_names(std::vector<Finding>& found, const std::vector<T>& list)
{
    std::map<std::pair<std::string, std::string>, std::vector<std::string>> by_name;
    for (const T& item : list) {
        std::string within;
        if constexpr (std::is_same_v<T, Device>)
            within = item.node;
        if (!item.name.empty())
            by_name[{within, item.name}].push_back(item.id);
    }
    for (auto& [name, ids] : by_name)
        if (ids.size() > 1)
            found.push_back({Kind::duplicate_name, std::move(ids)});
}

}  // namespace

std::vector<Finding> findings(const Project& project)
{
    std::vector<Finding> found;
    const Cluster& cluster = project.cluster;
    if (cluster.devices.empty()) {
        found.push_back({Kind::no_device, {}});
    } else {
        add_routes(found, cluster);
        add_zero_bandwidth(found, cluster);
        for (const Device& device : cluster.devices)
            if (!matrix_rate(device.spec, project.job.precision))
                found.push_back({Kind::no_speed, {device.id}});
        add_state(found, project);
    }
    add_double_names(found, cluster.nodes);
    add_double_names(found, cluster.devices);
    add_double_names(found, cluster.switches);
    return found;
}

std::vector<Finding> memory_findings(const Timeline& timeline)
{
    std::vector<Finding> found;
    for (const DeviceMemory& memory : timeline.memory)
        if (!memory.fits())
            found.push_back({Kind::memory_short, {memory.device}, memory.needed_bytes(), memory.capacity_bytes});
    return found;
}

std::string_view name_of(Finding::Kind kind)
{
    static constexpr std::string_view names[] = {"no-device",       "no-route",     "zero-bandwidth", "no-speed",
                                                 "state-too-large", "memory-short", "duplicate-name"};
    return names[static_cast<std::size_t>(kind)];
}

}  // namespace nnpiper
