// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/what_if.h"

#include <algorithm>

namespace nnpiper {

namespace {

bool taken(const Cluster& cluster, const std::string& id)
{
    return find_device(cluster, id) || find_node(cluster, id) || find_switch(cluster, id) || find_link(cluster, id);
}

/// `id` with its trailing number counted up until it is free.
std::string fresh_id(const Cluster& cluster, const std::string& id)
{
    const std::string stem = id.substr(0, id.find_last_not_of("0123456789") + 1);
    for (int i = 1;; ++i)
        if (const std::string candidate = (stem.empty() ? "device" : stem) + std::to_string(i);
            !taken(cluster, candidate))
            return candidate;
}

/// The part of an id behind the name of its node.
std::string last_part(const std::string& id)
{
    return id.substr(id.find_last_of('/') + 1);
}

WhatIf less(const Project& project, const Device& device)
{
    WhatIf change;
    change.kind = WhatIfKind::remove_device;
    change.subject = device.spec.type;
    change.elements = {device.id};
    change.node = device.node;
    if (device.spec.price_dollars_per_h)
        change.price_change_dollars_per_h = -*device.spec.price_dollars_per_h;
    change.after = project;
    Cluster& cluster = change.after.cluster;
    std::erase_if(cluster.links, [&](const Link& link) { return link.from == device.id || link.to == device.id; });
    std::erase_if(cluster.devices, [&](const Device& other) { return other.id == device.id; });
    std::erase_if(change.after.job.locks, [&](const Lock& lock) {
        return std::find(lock.devices.begin(), lock.devices.end(), device.id) != lock.devices.end();
    });
    change.after.layout.erase(device.id);
    return change;
}

WhatIf more(const Project& project, const Device& like)
{
    WhatIf change;
    change.kind = WhatIfKind::add_device;
    change.subject = like.spec.type;
    change.node = like.node;
    change.price_change_dollars_per_h = like.spec.price_dollars_per_h;
    change.after = project;
    Cluster& cluster = change.after.cluster;
    Device added = like;
    added.id = fresh_id(cluster, like.id);
    added.name = last_part(added.id);
    // Behind the last device of its node, so that lists keep their order.
    auto behind = std::find_if(cluster.devices.rbegin(), cluster.devices.rend(),
                               [&](const Device& other) { return other.node == like.node; });
    cluster.devices.insert(behind.base(), added);
    for (const Link& link : project.cluster.links) {
        if (link.from != like.id && link.to != like.id)
            continue;
        Link copy = link;
        copy.id = fresh_id(cluster, link.id + "-");
        (link.from == like.id ? copy.from : copy.to) = added.id;
        cluster.links.push_back(copy);
    }
    change.elements = {added.id};
    return change;
}

void double_speed(SpeedCurve& curve)
{
    for (SpeedPoint& point : curve)
        point.bytes_per_s *= 2;
}

bool same_class(const Link& a, const Link& b)
{
    return a.type == b.type && a.bandwidth_bytes_per_s == b.bandwidth_bytes_per_s
           && a.achieved_fraction == b.achieved_fraction;
}

bool same_class(const Node& a, const Node& b)
{
    return a.interconnect == b.interconnect && a.interconnect_bytes_per_s == b.interconnect_bytes_per_s;
}

void add_links(const Project& project, std::vector<WhatIf>& changes)
{
    const std::vector<Link>& links = project.cluster.links;
    for (auto link = links.begin(); link != links.end(); ++link) {
        if (std::any_of(links.begin(), link, [&](const Link& before) { return same_class(before, *link); }))
            continue;
        WhatIf change;
        change.kind = WhatIfKind::double_link;
        change.subject = link->type;
        change.bandwidth_bytes_per_s = link->bandwidth_bytes_per_s;
        change.after = project;
        for (Link& doubled : change.after.cluster.links) {
            if (!same_class(doubled, *link))
                continue;
            change.elements.push_back(doubled.id);
            doubled.bandwidth_bytes_per_s *= 2;
            double_speed(doubled.speed);
        }
        changes.push_back(std::move(change));
    }
}

void add_interconnects(const Project& project, std::vector<WhatIf>& changes)
{
    const std::vector<Device>& devices = project.cluster.devices;
    std::vector<const Node*> busy;
    for (const Node& node : project.cluster.nodes)
        if (std::count_if(devices.begin(), devices.end(), [&](const Device& d) { return d.node == node.id; }) > 1)
            busy.push_back(&node);
    for (auto node = busy.begin(); node != busy.end(); ++node) {
        if (std::any_of(busy.begin(), node, [&](const Node* before) { return same_class(*before, **node); }))
            continue;
        WhatIf change;
        change.kind = WhatIfKind::double_interconnect;
        change.subject = (*node)->interconnect;
        change.bandwidth_bytes_per_s = (*node)->interconnect_bytes_per_s;
        for (const Node* other : busy)
            if (same_class(*other, **node))
                change.elements.push_back(other->id);
        change.after = project;
        for (Node& doubled : change.after.cluster.nodes) {
            if (std::find(change.elements.begin(), change.elements.end(), doubled.id) == change.elements.end())
                continue;
            doubled.interconnect_bytes_per_s *= 2;
            double_speed(doubled.interconnect_speed);
        }
        changes.push_back(std::move(change));
    }
}

void add_micro_batches(const Project& project, std::vector<WhatIf>& changes)
{
    if (!project.job.micro_batch)
        return;
    const int now = *project.job.micro_batch;
    std::vector<std::optional<int>> sizes;
    if (now % 2 == 0 && project.job.global_batch % (now / 2) == 0)
        sizes.push_back(now / 2);
    if (project.job.global_batch / 2 >= now && project.job.global_batch % (2 * now) == 0)
        sizes.push_back(2 * now);
    sizes.push_back(std::nullopt);
    for (const std::optional<int>& size : sizes) {
        WhatIf change;
        change.kind = WhatIfKind::micro_batch;
        change.micro_batch = size;
        change.price_change_dollars_per_h = 0;
        change.after = project;
        change.after.job.micro_batch = size;
        changes.push_back(std::move(change));
    }
}

std::string counted(std::size_t count, const std::string& what)
{
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

}  // namespace

std::string_view name_of(WhatIfKind kind)
{
    switch (kind) {
    case WhatIfKind::remove_device:
        return "remove-device";
    case WhatIfKind::add_device:
        return "add-device";
    case WhatIfKind::double_link:
        return "double-link";
    case WhatIfKind::double_interconnect:
        return "double-interconnect";
    case WhatIfKind::micro_batch:
        return "micro-batch";
    }
    return {};
}

std::vector<WhatIf> what_ifs(const Project& project)
{
    std::vector<WhatIf> changes;
    const std::vector<Device>& devices = project.cluster.devices;
    std::vector<const Device*> first_of_type;
    for (const Device& device : devices)
        if (std::none_of(first_of_type.begin(), first_of_type.end(),
                         [&](const Device* known) { return known->spec.type == device.spec.type; }))
            first_of_type.push_back(&device);
    if (devices.size() > 1)
        for (const Device* first : first_of_type)
            changes.push_back(less(project, *std::find_if(devices.rbegin(), devices.rend(), [&](const Device& device) {
                                       return device.spec.type == first->spec.type;
                                   })));
    for (const Device* first : first_of_type)
        changes.push_back(more(project, *first));
    add_links(project, changes);
    add_interconnects(project, changes);
    add_micro_batches(project, changes);
    return changes;
}

std::string text_of(const WhatIf& change)
{
    const std::string place = change.node.empty() ? "standing alone" : "in " + change.node;
    switch (change.kind) {
    case WhatIfKind::remove_device:
        return "one " + change.subject + " less (" + change.elements.front() + ")";
    case WhatIfKind::add_device:
        return "one " + change.subject + " more (" + place + ")";
    case WhatIfKind::double_link:
        return change.subject + " twice as fast (" + counted(change.elements.size(), "link") + ")";
    case WhatIfKind::double_interconnect:
        return change.subject + " twice as fast (inside " + counted(change.elements.size(), "node") + ")";
    case WhatIfKind::micro_batch:
        return change.micro_batch ? "micro-batch of " + std::to_string(*change.micro_batch)
                                  : "micro-batch as the planner chooses";
    }
    return {};
}

}  // namespace nnpiper
