// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/simulator/simulate.h"

#include "core/base/error.h"
#include "core/base/quantity.h"
#include "core/schedule/orders.h"
#include "core/schedule/schedule.h"
#include "core/simulator/auto_order.h"
#include "core/simulator/evaluator.h"
#include "core/simulator/order_evaluator.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace nnpiper {

namespace {

std::size_t at(int index)
{
    return static_cast<std::size_t>(index);
}

std::string shortfall_of(const std::vector<DeviceMemory>& memory)
{
    const DeviceMemory* worst = nullptr;
    int over = 0;
    for (const DeviceMemory& device : memory) {
        if (device.fits())
            continue;
        ++over;
        if (!worst || device.needed_bytes() - device.capacity_bytes > worst->needed_bytes() - worst->capacity_bytes)
            worst = &device;
    }
    if (!worst)
        return {};
    std::string text = "stage " + std::to_string(worst->stage) + " needs "
                       + format_quantity(worst->needed_bytes(), Unit::bytes) + " on " + worst->device + ", which has "
                       + format_quantity(worst->capacity_bytes, Unit::bytes);
    if (over > 1)
        text += " (" + std::to_string(over) + " devices do not fit)";
    return text;
}

}  // namespace

namespace {

/// Most micro-batches that each device group can keep, at least 1; for the automatic order.
std::vector<int> held_limits(const Problem& problem, const Plan& plan, const Pipeline& pipeline)
{
    // One micro-batch in flight everywhere gives the terms; what is left of the capacity holds the rest.
    const OpOrder one = launch_order(std::vector<int>(at(pipeline.devices()), 1), 1);
    std::vector<int> limits(at(pipeline.devices()), pipeline.micro_batches);
    for (const DeviceMemory& memory : memory_of(problem, plan, one)) {
        int& limit = limits[at(pipeline.map.device(memory.stage))];
        const double room = memory.capacity_bytes - (memory.needed_bytes() - memory.stored_bytes);
        if (memory.stored_bytes > 0)
            limit = std::clamp(static_cast<int>(std::min(room / memory.stored_bytes, 1e6)), 1, limit);
    }
    return limits;
}

/// Every way in which a plan can be wrong, else its pipeline and order.
struct Laid {
    std::string fault;
    Pipeline pipeline;
    OpOrder order;
};

Laid lay(const Problem& problem, const Plan& plan, bool with_flows)
{
    Laid laid;
    if (auto faults = validate(problem, plan); !faults.empty()) {
        laid.fault = std::move(faults.front());
        return laid;
    }
    try {
        laid.pipeline = with_flows ? lay_out_with_flows(problem, plan) : lay_out(problem, plan);
        laid.order = order_of(problem, plan, laid.pipeline);
        if (plan.schedule == ScheduleKind::custom) {
            if (auto faults = check(laid.order, laid.pipeline.map, laid.pipeline.micro_batches); !faults.empty())
                laid.fault = "/order: " + faults.front();
        }
    } catch (const Error& error) {
        laid.fault = error.what();
    }
    return laid;
}

/// Once an iteration: gradient all-reduce and optimizer of the slowest device, and the fixed cost.
double step_s(const Pipeline& pipeline)
{
    std::vector<double> device(at(pipeline.devices()), 0.0);
    for (int s = 0; s < pipeline.stages(); ++s)
        device[at(pipeline.map.device(s))] += pipeline.all_reduce_s[at(s)] + pipeline.optimizer_s[at(s)];
    return *std::max_element(device.begin(), device.end()) + pipeline.fixed_step_s;
}

double busy_s(const Pipeline& pipeline, const OpOrder& order)
{
    double busy = 0;
    for (const auto& ops : order) {
        for (std::size_t i = 0; i < ops.size(); ++i) {
            const bool pair = ops[i].paired || (i > 0 && ops[i - 1].paired);
            const std::size_t s = at(ops[i].stage);
            const double length = ops[i].kind == OpKind::forward          ? pipeline.forward_s[s]
                                  : ops[i].kind == OpKind::backward       ? pipeline.backward_s(ops[i].stage)
                                  : ops[i].kind == OpKind::backward_input ? pipeline.backward_input_s[s]
                                                                          : pipeline.backward_weight_s[s];
            busy += length * (pair ? pipeline.pair_scale : 1);
        }
    }
    return busy;
}

bool has_wavefront(const Plan& plan, const Pipeline& pipeline)
{
    return (plan.schedule == ScheduleKind::gpipe || plan.schedule == ScheduleKind::one_f_one_b)
           && plan.launch_counts.empty() && !pipeline.blocking;
}

void fill(const Problem& problem, Plan& plan, const Laid& laid, double length)
{
    const Pipeline& pipeline = laid.pipeline;
    plan.makespan_s = length;
    const double round =
        plan.schedule == ScheduleKind::pipedream_2bw ? steady_period_s(pipeline, plan.schedule) : plan.makespan_s;
    plan.iteration_s = round + step_s(pipeline);
    plan.throughput_samples_per_s = plan.iteration_s > 0 ? pipeline.samples / plan.iteration_s : 0;
    plan.bubble_fraction =
        length > 0 ? std::max(0.0, 1 - busy_s(pipeline, laid.order) / (length * pipeline.devices())) : 0;
    std::string shortfall = shortfall_of(memory_of(problem, plan, laid.order));
    if (shortfall.empty() && !std::isfinite(plan.iteration_s))
        shortfall = "the times or bytes are too large, or a bandwidth too small, for an iteration to end";
    plan.feasible = shortfall.empty();
    if (!plan.feasible) {
        plan.status = "infeasible";
        plan.reason = shortfall;
    } else if (plan.status == "infeasible") {
        plan.status = "ok";
        plan.reason.clear();
    }
}

void predict_by(const Problem& problem, Plan& plan, bool with_flows)
{
    plan.feasible = false;
    const Laid laid = lay(problem, plan, with_flows);
    if (!laid.fault.empty()) {
        plan.status = "infeasible";
        plan.reason = laid.fault;
        return;
    }
    const double length = laid.pipeline.flows              ? run(laid.pipeline, laid.order).makespan_s
                          : has_wavefront(plan, laid.pipeline) ? makespan(plan.schedule, laid.pipeline)
                                                               : makespan(laid.pipeline, laid.order);
    fill(problem, plan, laid, length);
}

}  // namespace

OpOrder order_of(const Problem& problem, const Plan& plan, const Pipeline& pipeline)
{
    if (plan.schedule == ScheduleKind::custom)
        return plan.order;
    if (plan.schedule == ScheduleKind::zb_auto)
        return zero_bubble_order(pipeline, held_limits(problem, plan, pipeline));
    ScheduleShape shape;
    shape.kind = plan.schedule;
    shape.devices = pipeline.devices();
    shape.micro_batches = pipeline.micro_batches;
    shape.chunks = pipeline.map.chunks();
    shape.launch_counts = plan.launch_counts;
    return op_order(shape);
}

Timeline simulate(const Problem& problem, const Plan& plan)
{
    const Laid laid = lay(problem, plan, true);
    if (!laid.fault.empty())
        throw Error("plan", laid.fault);
    Timeline timeline = run(laid.pipeline, laid.order);
    timeline.devices.resize(at(timeline.rows()));
    for (int k = 0; k < timeline.map.stages; ++k)
        timeline.devices[at(timeline.map.device(k))] = plan.stages[at(k)].devices;
    if (plan.schedule == ScheduleKind::pipedream_2bw) {
        timeline.period_s = steady_period_s(laid.pipeline, plan.schedule);
        timeline.iteration_s = timeline.period_s + step_s(laid.pipeline);
        timeline.throughput_samples_per_s = timeline.iteration_s > 0 ? laid.pipeline.samples / timeline.iteration_s : 0;
    }
    timeline.memory = memory_of(problem, plan, laid.order);
    timeline.shortfall = shortfall_of(timeline.memory);
    timeline.fits = timeline.shortfall.empty();
    return timeline;
}

void predict(const Problem& problem, Plan& plan)
{
    predict_by(problem, plan, true);
}

void predict_fast(const Problem& problem, Plan& plan)
{
    predict_by(problem, plan, false);
}

double steady_period_s(const Pipeline& one_round, ScheduleKind kind)
{
    constexpr int settled = 4;   // rounds after which the pattern repeats, and over which it is then averaged
    const auto length = [&](int rounds) {
        ScheduleShape shape;
        shape.kind = kind;
        shape.devices = one_round.devices();
        shape.micro_batches = one_round.micro_batches;
        shape.rounds = rounds;
        Pipeline pipeline = one_round;
        pipeline.micro_batches *= rounds;
        if (kind == ScheduleKind::decode)
            pipeline.decode_groups = one_round.micro_batches;
        pipeline.flows.reset();
        return run(pipeline, op_order(shape)).makespan_s;
    };
    return (length(2 * settled) - length(settled)) / settled;
}

}  // namespace nnpiper
