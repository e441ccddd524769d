// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/measured_run.h"

#include "core/base/error.h"
#include "core/plan/stage_map.h"
#include "core/problem/compile.h"
#include "core/problem/pipeline.h"
#include "core/simulator/simulate.h"

#include <algorithm>
#include <limits>
#include <set>

namespace nnpiper {

namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// Times of a device share are cut into chunks, so an overhead of each chunk comes as often.
int chunks_in(const TextbookPipeline& pipeline, const std::vector<double>& times)
{
    const int chunks = pipeline.chunks.value_or(default_chunks(pipeline.kind));
    const bool cut = pipeline.kind == ScheduleKind::interleaved || pipeline.kind == ScheduleKind::zb_v
                     || pipeline.kind == ScheduleKind::hanayo;
    return cut && times.size() <= static_cast<std::size_t>(pipeline.devices) ? chunks : 1;
}

RunFigures predict_schedule(const ScheduleRun& run, const RunConstants& constants)
{
    TextbookPipeline pipeline = run.pipeline;
    const auto type = constants.time_scales.find({});
    const double scale = constants.time_scale * (type == constants.time_scales.end() ? 1 : type->second);
    for (auto* times : {&pipeline.forward_s, &pipeline.backward_input_s, &pipeline.backward_weight_s}) {
        const double overhead = times == &pipeline.backward_weight_s ? 0 : constants.op_overhead_s;
        for (double& time : *times)
            time = time * scale + overhead * chunks_in(pipeline, *times);
    }
    if (pipeline.pair_s)
        *pipeline.pair_s = *pipeline.pair_s * scale + 2 * constants.op_overhead_s;
    for (double& delay : pipeline.delay_s)
        delay += constants.transfer_overhead_s;

    const Timeline timeline = draw(pipeline);
    double behind = 0;
    for (int d = 0; d < timeline.rows(); ++d) {
        const auto at = static_cast<std::size_t>(d);
        behind = std::max(behind, (at < run.all_reduce_s.size() ? run.all_reduce_s[at] : 0)
                                      + (at < run.optimizer_s.size() ? run.optimizer_s[at] : 0));
    }
    RunFigures figures;
    const double lasts = run.rolling ? timeline.max_span_s : timeline.makespan_s;
    double busy = 0;
    for (const DeviceMetrics& metrics : timeline.metrics)
        busy += metrics.busy_s / timeline.rows();
    figures.makespan_s = timeline.makespan_s;
    figures.iteration_s = lasts + behind + run.fixed_step_s + constants.fixed_step_s;
    figures.bubble_fraction = 1 - busy / lasts;
    for (const DeviceMetrics& metrics : timeline.metrics)
        figures.peak_activations = std::max(figures.peak_activations, metrics.peak_in_flight);
    figures.peak_memory_bytes = figures.samples = unknown;
    figures.devices = pipeline.devices;
    return figures;
}

/// Times of the problem's devices under the constants.
void scale(Problem& problem, const RunConstants& constants)
{
    for (Variant& variant : problem.variants)
        for (Matrix* times : {&variant.forward_s, &variant.backward_input_s, &variant.backward_weight_s})
            for (int d = 0; d < problem.devices(); ++d) {
                const auto type = constants.time_scales.find(problem.device_types[static_cast<std::size_t>(d)]);
                const double by = constants.time_scale * (type == constants.time_scales.end() ? 1 : type->second);
                for (int l = 0; l < problem.layers() && by != 1; ++l)
                    (*times)(l, d) *= by;
            }
}

RunFigures predict_planned(const PlannedRun& run, const RunConstants& constants)
{
    Problem problem = run.problem;
    if (run.project && !constants.achieved_fractions.empty()) {
        Project project = *run.project;
        for (Device& device : project.cluster.devices)
            if (const auto it = constants.achieved_fractions.find(device.spec.type);
                it != constants.achieved_fractions.end())
                set_achieved_fraction(device.spec, it->second);
        problem = compile(project);
    }
    scale(problem, constants);
    problem.blocking_transfers = problem.blocking_transfers || run.blocking;
    if (const auto faults = validate(problem, run.plan); !faults.empty())
        throw Error("plan", faults.front());

    Pipeline pipeline = lay_out_with_flows(problem, run.plan);
    for (int s = 0; s < pipeline.stages() && constants.op_overhead_s > 0; ++s) {
        pipeline.forward_s[static_cast<std::size_t>(s)] += constants.op_overhead_s;
        pipeline.backward_input_s[static_cast<std::size_t>(s)] += constants.op_overhead_s;
    }
    for (int b = 0; b + 1 < pipeline.stages() && constants.transfer_overhead_s > 0; ++b) {
        pipeline.forward_latency_s[static_cast<std::size_t>(b)] += constants.transfer_overhead_s;
        pipeline.backward_latency_s[static_cast<std::size_t>(b)] += constants.transfer_overhead_s;
    }
    pipeline.fixed_step_s += constants.fixed_step_s;
    const OpOrder order = order_of(problem, run.plan, pipeline);
    const Timeline timeline = nnpiper::run(pipeline, order);

    RunFigures figures;
    figures.makespan_s = timeline.makespan_s;
    figures.iteration_s = timeline.iteration_s;
    figures.bubble_fraction = timeline.bubble_fraction;
    for (const DeviceMetrics& metrics : timeline.metrics)
        figures.peak_activations = std::max(figures.peak_activations, metrics.peak_in_flight);
    for (const DeviceMemory& memory : memory_of(problem, run.plan, order))
        figures.peak_memory_bytes = std::max(figures.peak_memory_bytes, memory.needed_bytes());
    figures.samples = problem.samples_known ? pipeline.samples : unknown;
    std::set<std::string> devices;
    for (const Stage& stage : run.plan.stages)
        devices.insert(stage.devices.begin(), stage.devices.end());
    figures.devices = static_cast<int>(devices.size());
    return figures;
}

}  // namespace

void set_achieved_fraction(DeviceSpec& spec, double fraction)
{
    for (auto& [operation, own] : spec.achieved_by_operation)
        own = std::min(1.0, own * fraction / spec.achieved_fraction);
    spec.achieved_fraction = fraction;
}

RunFigures predict_run(const MeasuredRun& run, const RunConstants& constants)
{
    const auto* schedule = std::get_if<ScheduleRun>(&run);
    return schedule ? predict_schedule(*schedule, constants) : predict_planned(std::get<PlannedRun>(run), constants);
}

}  // namespace nnpiper
