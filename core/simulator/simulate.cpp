// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/simulator/simulate.h"

#include "core/base/error.h"
#include "core/base/quantity.h"
#include "core/schedule/schedule.h"
#include "core/simulator/evaluator.h"

#include <algorithm>
#include <cstddef>

namespace nnpiper {

namespace {

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

Timeline simulate(const Problem& problem, const Plan& plan)
{
    if (const auto faults = validate(problem, plan); !faults.empty())
        throw Error("plan", faults.front());
    const Pipeline pipeline = lay_out(problem, plan);
    const OpOrder order = op_order(plan.schedule, pipeline.stages(), pipeline.micro_batches);
    Timeline timeline = run(pipeline, order);
    for (const Stage& stage : plan.stages)
        timeline.devices.push_back(stage.devices);
    timeline.memory = memory_of(problem, plan, peak_in_flight(order));
    timeline.shortfall = shortfall_of(timeline.memory);
    timeline.fits = timeline.shortfall.empty();
    return timeline;
}

void predict(const Problem& problem, Plan& plan)
{
    plan.feasible = false;
    if (const auto faults = validate(problem, plan); !faults.empty()) {
        plan.status = "infeasible";
        plan.reason = faults.front();
        return;
    }
    const Pipeline pipeline = lay_out(problem, plan);
    const int stages = pipeline.stages();
    plan.makespan_s = makespan(plan.schedule, pipeline);
    double step = 0;
    double busy = 0;
    for (int s = 0; s < stages; ++s) {
        const auto i = static_cast<std::size_t>(s);
        step = std::max(step, pipeline.all_reduce_s[i] + pipeline.optimizer_s[i]);
        busy += (pipeline.forward_s[i] + pipeline.backward_s(s)) * pipeline.micro_batches;
    }
    plan.iteration_s = plan.makespan_s + step + pipeline.fixed_step_s;
    plan.throughput_samples_per_s = plan.iteration_s > 0 ? pipeline.samples / plan.iteration_s : 0;
    plan.bubble_fraction = plan.makespan_s > 0 ? 1 - busy / (plan.makespan_s * stages) : 0;

    std::vector<int> in_flight;
    for (int s = 0; s < stages; ++s)
        in_flight.push_back(peak_in_flight(plan.schedule, stages, pipeline.micro_batches, s));
    const std::string shortfall = shortfall_of(memory_of(problem, plan, in_flight));
    plan.feasible = shortfall.empty();
    if (!plan.feasible) {
        plan.status = "infeasible";
        plan.reason = shortfall;
    } else if (plan.status == "infeasible") {
        plan.status = "ok";
        plan.reason.clear();
    }
}

}  // namespace nnpiper
