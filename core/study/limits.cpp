// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/limits.h"

#include "core/simulator/simulate.h"

#include <algorithm>
#include <cstddef>
#include <map>

namespace nnpiper {

namespace {

std::size_t at(int index)
{
    return static_cast<std::size_t>(index);
}

void add_path(PlanLimits& limits, const Timeline& timeline)
{
    double compute = 0, link = 0, now = 0;
    for (const CriticalStep& step : critical_path(timeline)) {
        const double end = step.transfer ? timeline.transfers[at(step.index)].arrive_s : timeline.ops[at(step.index)].end_s;
        (step.transfer ? link : compute) += std::max(0.0, end - now);
        now = std::max(now, end);
    }
    const double total = compute + link;
    limits.compute_share = total > 0 ? compute / total : 0;
    limits.link_share = total > 0 ? link / total : 0;
}

void add_device(PlanLimits& limits, const Timeline& timeline)
{
    for (int d = 0; d < timeline.rows(); ++d) {
        const DeviceMetrics& metrics = timeline.metrics[at(d)];
        if (metrics.busy_s <= limits.busy_s)
            continue;
        limits.busy_s = metrics.busy_s;
        limits.busy_share = timeline.makespan_s > 0 ? metrics.busy_s / timeline.makespan_s : 0;
        limits.busiest_device = at(d) < timeline.devices.size() && !timeline.devices[at(d)].empty()
                                    ? timeline.devices[at(d)].front()
                                    : std::to_string(d);
    }
}

void add_memory(PlanLimits& limits, const Timeline& timeline)
{
    double fullest = -1;
    for (const DeviceMemory& memory : timeline.memory) {
        const double share = memory.capacity_bytes > 0 ? memory.needed_bytes() / memory.capacity_bytes : 0;
        if (share <= fullest)
            continue;
        fullest = share;
        limits.fullest_device = memory.device;
        limits.needed_bytes = memory.needed_bytes();
        limits.capacity_bytes = memory.capacity_bytes;
    }
}

void add_links(PlanLimits& limits, const Problem& problem, const Plan& plan)
{
    const Pipeline pipeline = lay_out(problem, plan);
    const BoundaryFlows flows = flows_of(problem, plan, pipeline);
    std::map<std::string, LinkLoad> loads;
    const auto add = [&](const std::string& name, double bytes, double busy_s) {
        LinkLoad& load = loads[name];
        load.link = name;
        load.bytes += bytes;
        load.busy_s += busy_s;
    };
    const double times = static_cast<double>(plan.micro_batches) / pipeline.map.chains;
    for (int b = 0; b + 1 < pipeline.stages(); ++b) {
        if (!pipeline.map.crosses(b))
            continue;
        const int stage = b % pipeline.map.stages;
        for (const bool backward : {false, true}) {
            const BoundaryFlow& flow = (backward ? flows.backward : flows.forward)[at(b)];
            if (flow.uses.empty()) {
                const int from = backward ? stage + 1 : stage;
                add("stage " + std::to_string(from) + " to " + std::to_string(backward ? stage : stage + 1),
                    times * flow.bytes,
                    times * (backward ? pipeline.backward_occupancy_s : pipeline.forward_occupancy_s)[at(b)]);
            }
            for (const BoundaryFlow::Use& use : flow.uses) {
                const double bytes = times * flow.bytes * use.share;
                add(flows.links[at(use.link)], bytes, bytes / flows.capacity_bytes_per_s[at(use.link)]);
            }
        }
    }
    for (auto& [name, load] : loads) {
        if (load.bytes > 0)
            limits.links.push_back(std::move(load));
    }
    std::stable_sort(limits.links.begin(), limits.links.end(),
                     [](const LinkLoad& a, const LinkLoad& b) { return a.busy_s > b.busy_s; });
}

}  // namespace

PlanLimits limits_of(const Problem& problem, const Plan& plan, const Timeline& timeline)
{
    PlanLimits limits;
    add_path(limits, timeline);
    add_device(limits, timeline);
    add_memory(limits, timeline);
    add_links(limits, problem, plan);
    limits.kind = !timeline.fits                              ? PlanLimits::Kind::memory
                  : limits.link_share > limits.compute_share ? PlanLimits::Kind::link
                                                              : PlanLimits::Kind::compute;
    limits.basis = problem.raw ? CostBasis::given : problem.basis;
    const double cells = static_cast<double>(problem.layers()) * problem.devices();
    limits.measured_share = cells > 0 ? problem.measured_cells / cells : 0;
    return limits;
}

std::string_view name_of(PlanLimits::Kind kind)
{
    switch (kind) {
    case PlanLimits::Kind::compute: return "compute";
    case PlanLimits::Kind::link: return "link";
    case PlanLimits::Kind::memory: return "memory";
    }
    return "?";
}

}  // namespace nnpiper
