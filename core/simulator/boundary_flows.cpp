// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/simulator/simulate.h"

#include <algorithm>
#include <cstddef>
#include <map>

namespace nnpiper {

namespace {

/// Sender i gives receiver j the overlap of their sample ranges, over the links of the route between them.
BoundaryFlow flow_between(const Problem& problem, double bytes, const StageGroup& from, const StageGroup& to, int samples)
{
    BoundaryFlow flow;
    flow.bytes = bytes;
    const auto from_ranges = from.ranges();
    const auto to_ranges = to.ranges();
    std::map<int, double> share;
    for (std::size_t i = 0; i < from.devices.size(); ++i) {
        for (std::size_t j = 0; j < to.devices.size(); ++j) {
            const double overlap = std::min(from_ranges[i].second, to_ranges[j].second)
                                   - std::max(from_ranges[i].first, to_ranges[j].first);
            if (overlap <= 1e-9 || problem.routes.empty())
                continue;
            for (const int link : problem.routes.route(from.devices[i], to.devices[j], problem.devices()))
                share[link] += overlap / samples;
        }
    }
    for (const auto& [link, part] : share)
        flow.uses.push_back({link, part});
    return flow;
}

/// Whether some link could be asked for more than it carries when every boundary is busy at once.
bool any_shared(const Pipeline& pipeline, const BoundaryFlows& flows)
{
    std::vector<double> wanted(flows.capacity_bytes_per_s.size(), 0.0);
    const auto add = [&](const std::vector<BoundaryFlow>& side, const std::vector<double>& occupancy) {
        for (std::size_t b = 0; b < side.size(); ++b) {
            for (const BoundaryFlow::Use& use : side[b].uses) {
                if (occupancy[b] > 0)
                    wanted[static_cast<std::size_t>(use.link)] += side[b].bytes / occupancy[b] * use.share;
            }
        }
    };
    add(flows.forward, pipeline.forward_occupancy_s);
    add(flows.backward, pipeline.backward_occupancy_s);
    for (std::size_t l = 0; l < wanted.size(); ++l) {
        if (wanted[l] > flows.capacity_bytes_per_s[l] * (1 + 1e-9))
            return true;
    }
    return false;
}

}  // namespace

BoundaryFlows flows_of(const Problem& problem, const Plan& plan, const Pipeline& pipeline)
{
    const Variant& variant = variant_of(problem, plan);
    const int samples = variant.micro_batch_samples;
    const StageMap& map = pipeline.map;
    BoundaryFlows flows;
    flows.links = problem.routes.links;
    flows.capacity_bytes_per_s = problem.routes.capacity_bytes_per_s;
    const std::vector<StageGroup> groups = groups_of(problem, plan, map, samples);
    for (int b = 0; b + 1 < map.all_stages(); ++b) {
        flows.forward.emplace_back();
        flows.backward.emplace_back();
        if (!map.crosses(b))
            continue;
        const Stage& stage = plan.stages[static_cast<std::size_t>(b % map.stages)];
        const double bytes = variant.output_bytes[static_cast<std::size_t>(stage.end_layer - 1)];
        const StageGroup& from = groups[static_cast<std::size_t>(map.device(b))];
        const StageGroup& to = groups[static_cast<std::size_t>(map.device(b + 1))];
        flows.forward.back() = flow_between(problem, bytes, from, to, samples);
        flows.backward.back() = flow_between(problem, bytes, to, from, samples);
    }
    return flows;
}

Pipeline lay_out_with_flows(const Problem& problem, const Plan& plan)
{
    Pipeline pipeline = lay_out(problem, plan);
    if (problem.routes.empty())
        return pipeline;
    BoundaryFlows flows = flows_of(problem, plan, pipeline);
    if (any_shared(pipeline, flows))
        pipeline.flows = std::move(flows);
    return pipeline;
}

}  // namespace nnpiper
