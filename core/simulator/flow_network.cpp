// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/simulator/flow_network.h"

#include <algorithm>
#include <cstddef>

namespace nnpiper {

namespace {

std::size_t at(int index)
{
    return static_cast<std::size_t>(index);
}

}  // namespace

FlowNetwork::FlowNetwork(std::vector<double> capacity_bytes_per_s)
{
    links_.resize(capacity_bytes_per_s.size());
    for (std::size_t i = 0; i < links_.size(); ++i)
        links_[i].capacity = capacity_bytes_per_s[i];
}

int FlowNetwork::start(double now_s, double bytes, double limit, std::span<const BoundaryFlow::Use> uses)
{
    int id = static_cast<int>(flows_.size());
    if (unused_.empty()) {
        flows_.emplace_back();
    } else {
        id = unused_.back();
        unused_.pop_back();
    }
    Flow& flow = flows_[at(id)];
    const int version = flow.version;
    flow = Flow{};
    flow.version = version;
    flow.remaining = bytes;
    flow.limit = limit;
    flow.updated_s = now_s;
    flow.uses = uses;
    bool shared = false;
    for (const BoundaryFlow::Use& use : uses) {
        Link& link = links_[at(use.link)];
        link.flows.push_back(id);
        link.wanted += limit * use.share;
        shared = shared || (link.flows.size() > 1 && binds(link)) || link.capacity < limit * use.share;
    }
    if (shared) {
        touched_flows_.push_back(id);
        flow.marked = true;
        gather(uses);
        share(now_s);
    } else {
        flow.rate = limit;
        ends_.push({now_s + bytes / limit, id, flow.version});
    }
    return id;
}

double FlowNetwork::next_end_s()
{
    while (!ends_.empty() && ends_.top().version != flows_[at(ends_.top().flow)].version)
        ends_.pop();
    return ends_.empty() ? std::numeric_limits<double>::infinity() : ends_.top().time_s;
}

int FlowNetwork::finish()
{
    const End end = ends_.top();
    ends_.pop();
    Flow& flow = flows_[at(end.flow)];
    ++flow.version;
    // Whoever shared a full link with it may run faster now.
    gather(flow.uses);
    for (const BoundaryFlow::Use& use : flow.uses) {
        Link& link = links_[at(use.link)];
        link.flows.erase(std::find(link.flows.begin(), link.flows.end(), end.flow));
        link.wanted = link.flows.empty() ? 0 : link.wanted - flow.limit * use.share;
    }
    std::erase(touched_flows_, end.flow);
    if (!touched_flows_.empty() || !touched_links_.empty())
        share(end.time_s);
    unused_.push_back(end.flow);
    return end.flow;
}

/// Marks the flows and full links that a change on `uses` can reach.
void FlowNetwork::gather(std::span<const BoundaryFlow::Use> uses)
{
    const auto reach = [&](std::span<const BoundaryFlow::Use> from) {
        for (const BoundaryFlow::Use& use : from) {
            Link& link = links_[at(use.link)];
            if (!link.marked && binds(link)) {
                link.marked = true;
                touched_links_.push_back(use.link);
            }
        }
    };
    reach(uses);
    for (std::size_t i = 0; i < touched_links_.size(); ++i) {
        for (const int id : links_[at(touched_links_[i])].flows) {
            Flow& flow = flows_[at(id)];
            if (!flow.marked) {
                flow.marked = true;
                touched_flows_.push_back(id);
                reach(flow.uses);
            }
        }
    }
}

/// New rates for the marked flows by progressive filling; unmarks everything.
void FlowNetwork::share(double now_s)
{
    for (const int id : touched_links_) {
        Link& link = links_[at(id)];
        link.left = link.capacity;
        link.growing = 0;
    }
    const auto each_marked_link = [&](const Flow& flow, auto visit) {
        for (const BoundaryFlow::Use& use : flow.uses) {
            Link& link = links_[at(use.link)];
            if (link.marked)
                visit(link, use.share);
        }
    };
    new_rates_.assign(touched_flows_.size(), 0);
    std::size_t open = touched_flows_.size();
    for (const int id : touched_flows_) {
        flows_[at(id)].fixed = false;
        each_marked_link(flows_[at(id)], [](Link& link, double part) { link.growing += part; });
    }
    double level = 0;
    while (open > 0) {
        double step = std::numeric_limits<double>::infinity();
        for (const int id : touched_links_) {
            const Link& link = links_[at(id)];
            if (link.growing > 1e-12)
                step = std::min(step, std::max(0.0, link.left) / link.growing);
        }
        for (const int id : touched_flows_) {
            if (!flows_[at(id)].fixed)
                step = std::min(step, flows_[at(id)].limit - level);
        }
        level += step;
        for (const int id : touched_links_)
            links_[at(id)].left -= step * links_[at(id)].growing;
        for (std::size_t i = 0; i < touched_flows_.size(); ++i) {
            Flow& flow = flows_[at(touched_flows_[i])];
            if (flow.fixed)
                continue;
            bool full = level >= flow.limit * (1 - 1e-12);
            each_marked_link(flow, [&](const Link& link, double) { full = full || link.left <= link.capacity * 1e-12; });
            if (!full)
                continue;
            flow.fixed = true;
            new_rates_[i] = std::min(level, flow.limit);
            each_marked_link(flow, [](Link& link, double part) { link.growing -= part; });
            --open;
        }
    }
    for (std::size_t i = 0; i < touched_flows_.size(); ++i) {
        const int id = touched_flows_[i];
        Flow& flow = flows_[at(id)];
        flow.marked = false;
        throttled_ = throttled_ || new_rates_[i] < flow.limit * (1 - 1e-9);
        if (flow.rate == new_rates_[i])
            continue;
        flow.remaining = std::max(0.0, flow.remaining - flow.rate * (now_s - flow.updated_s));
        flow.updated_s = now_s;
        flow.rate = new_rates_[i];
        ends_.push({now_s + flow.remaining / flow.rate, id, ++flow.version});
    }
    for (const int id : touched_links_)
        links_[at(id)].marked = false;
    touched_flows_.clear();
    touched_links_.clear();
}

}  // namespace nnpiper
