// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/simulator/simulate.h"

#include <algorithm>
#include <cstddef>
#include <map>

namespace nnpiper {

namespace {

/// Devices of a stage with the ends of their sample ranges.
struct Ranges {
    std::vector<int> devices;
    std::vector<int> ends;
};

Ranges ranges_of(const Problem& problem, const Stage& stage, int samples)
{
    Ranges ranges;
    int end = 0;
    const std::vector<int> shares = shares_of(stage, samples);
    for (std::size_t i = 0; i < stage.devices.size(); ++i) {
        ranges.devices.push_back(problem.device_index(stage.devices[i]));
        ranges.ends.push_back(end += shares[i]);
    }
    return ranges;
}

/// Sender i gives receiver j the overlap of their sample ranges, over the links of the route between them.
BoundaryFlow flow_between(const Problem& problem, double bytes, const Ranges& from, const Ranges& to, int samples)
{
    BoundaryFlow flow;
    flow.bytes = bytes;
    std::map<int, double> share;
    for (std::size_t i = 0; i < from.devices.size(); ++i) {
        for (std::size_t j = 0; j < to.devices.size(); ++j) {
            const int begin = std::max(i > 0 ? from.ends[i - 1] : 0, j > 0 ? to.ends[j - 1] : 0);
            const int overlap = std::min(from.ends[i], to.ends[j]) - begin;
            if (overlap <= 0)
                continue;
            for (const int link : problem.routes.route(from.devices[i], to.devices[j], problem.devices()))
                share[link] += static_cast<double>(overlap) / samples;
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

Pipeline lay_out_with_flows(const Problem& problem, const Plan& plan)
{
    Pipeline pipeline = lay_out(problem, plan);
    if (problem.routes.empty())
        return pipeline;
    const Variant& variant = variant_of(problem, plan);
    const int samples = variant.micro_batch_samples;
    const StageMap& map = pipeline.map;
    BoundaryFlows flows;
    flows.links = problem.routes.links;
    flows.capacity_bytes_per_s = problem.routes.capacity_bytes_per_s;
    // Stage k runs where the first stage of its group stands in the plan.
    std::vector<const Stage*> holder(static_cast<std::size_t>(map.devices), nullptr);
    for (int k = 0; k < map.stages; ++k) {
        const Stage*& stage = holder[static_cast<std::size_t>(map.device(k))];
        stage = stage ? stage : &plan.stages[static_cast<std::size_t>(k)];
    }
    for (int b = 0; b + 1 < map.all_stages(); ++b) {
        flows.forward.emplace_back();
        flows.backward.emplace_back();
        if (!map.crosses(b))
            continue;
        const Stage& stage = plan.stages[static_cast<std::size_t>(b % map.stages)];
        const double bytes = variant.output_bytes[static_cast<std::size_t>(stage.end_layer - 1)];
        const Ranges from = ranges_of(problem, *holder[static_cast<std::size_t>(map.device(b))], samples);
        const Ranges to = ranges_of(problem, *holder[static_cast<std::size_t>(map.device(b + 1))], samples);
        flows.forward.back() = flow_between(problem, bytes, from, to, samples);
        flows.backward.back() = flow_between(problem, bytes, to, from, samples);
    }
    if (any_shared(pipeline, flows))
        pipeline.flows = std::move(flows);
    return pipeline;
}

}  // namespace nnpiper
