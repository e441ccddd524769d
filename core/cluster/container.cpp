// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cluster/container.h"

#include "core/base/error.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace nnpiper {

namespace {

bool is_in_cluster(const Cluster& cluster, const std::string& id)
{
    return find_node(cluster, id) || find_device(cluster, id) || find_switch(cluster, id) || find_link(cluster, id);
}

void check_member(const std::vector<Container>& containers, const Cluster& cluster, const Container& container,
                  const std::string& id, const std::string& place)
{
    if (const Container* inner = find_container(containers, id)) {
        if (inner->kind == ContainerKind::site || container.kind == ContainerKind::rack)
            throw Error(place, "\"" + id + "\" is a " + std::string(name_of(inner->kind)),
                        container.kind == ContainerKind::rack ? "a rack holds no other container"
                                                              : "a site holds no other site");
        return;
    }
    const Device* device = find_device(cluster, id);
    if (device && !device->node.empty())
        throw Error(place, "\"" + id + "\" stands in node \"" + device->node + "\"", "the node is expected instead");
    if (!device && !find_node(cluster, id) && !find_switch(cluster, id))
        throw Error(place, "\"" + id + "\" is no element that a container can hold",
                    "the id of a node, a switch, a device without node or a rack is expected");
}

}  // namespace

std::string_view name_of(ContainerKind kind)
{
    return kind == ContainerKind::rack ? "rack" : "site";
}

ContainerKind container_kind_from_name(std::string_view name, const std::string& place)
{
    if (name == "rack")
        return ContainerKind::rack;
    if (name == "site")
        return ContainerKind::site;
    throw Error(place, "\"" + std::string(name) + "\" is no kind of container", "known are rack, site");
}

void check(const std::vector<Container>& containers, const Cluster& cluster, const std::string& place)
{
    std::map<std::string, std::string> holder;
    for (std::size_t i = 0; i < containers.size(); ++i) {
        const Container& container = containers[i];
        const std::string here = place + "/" + std::to_string(i);
        if (container.id.empty())
            throw Error(here + "/id", "the id is empty", "a text that no other element has is expected");
        if (is_in_cluster(cluster, container.id) || find_container(containers, container.id) != &container)
            throw Error(here + "/id", "\"" + container.id + "\" is also the id of another element", "ids must differ");
        for (std::size_t m = 0; m < container.members.size(); ++m) {
            const std::string& member = container.members[m];
            const std::string at = here + "/members/" + std::to_string(m);
            check_member(containers, cluster, container, member, at);
            const auto [known, added] = holder.emplace(member, container.id);
            if (!added)
                throw Error(at, "\"" + member + "\" already stands in \"" + known->second + "\"",
                            "an element stands in one container");
        }
        const auto bandwidth = container.link_bandwidth_bytes_per_s;
        if (bandwidth && !(std::isfinite(*bandwidth) && *bandwidth > 0))
            throw Error(here + "/link_bandwidth_bytes_per_s", "the bandwidth is not possible",
                        "a number above 0 is expected");
        const auto latency = container.link_latency_s;
        if (latency && !(std::isfinite(*latency) && *latency >= 0))
            throw Error(here + "/link_latency_s", "the latency is not possible",
                        "0 or a number above it is expected");
    }
}

const Container* find_container(const std::vector<Container>& containers, std::string_view id)
{
    const auto found = std::find_if(containers.begin(), containers.end(), [&](const Container& c) { return c.id == id; });
    return found == containers.end() ? nullptr : &*found;
}

const Container* container_of(const std::vector<Container>& containers, const Cluster& cluster, std::string_view member)
{
    const Device* device = containers.empty() ? nullptr : find_device(cluster, member);
    const std::string_view id = device && !device->node.empty() ? std::string_view(device->node) : member;
    const auto holds = [&](const Container& container) {
        return std::find(container.members.begin(), container.members.end(), id) != container.members.end();
    };
    const auto found = std::find_if(containers.begin(), containers.end(), holds);
    return found == containers.end() ? nullptr : &*found;
}

}  // namespace nnpiper
