// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/memory_curve.h"

#include "core/base/error.h"
#include "core/problem/pipeline.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

namespace nnpiper {

namespace {

std::size_t at(int index)
{
    return static_cast<std::size_t>(index);
}

/// The device of a group that needs the largest share of its capacity.
const DeviceMemory* fullest_of(const Timeline& t, int row)
{
    const DeviceMemory* fullest = nullptr;
    for (const DeviceMemory& memory : t.memory) {
        if (t.map.device(memory.stage) != row)
            continue;
        const auto share = [](const DeviceMemory& m) { return m.needed_bytes() / m.capacity_bytes; };
        if (!fullest || share(memory) > share(*fullest))
            fullest = &memory;
    }
    return fullest;
}

/// Follows the ops of one device, two that run together as one.
void follow(std::span<const TimelineOp> ops, const std::vector<StageBytes>& bytes, double share, MemoryCurve& curve)
{
    double held = 0;
    const auto step = [&](double time_s, double working) {
        const double now = curve.constant_bytes + share * (held + working);
        std::vector<MemoryCurve::Step>& steps = curve.steps;
        if (!steps.empty() && time_s <= steps.back().time_s)
            steps.back().bytes = now;
        else if (steps.empty() || steps.back().bytes != now)
            steps.push_back({time_s, now});
    };
    step(0, 0);
    for (std::size_t i = 0; i < ops.size();) {
        std::size_t end = i + 1;
        while (end < ops.size() && ops[i].overlapped && ops[end].start_s < ops[i].end_s)
            ++end;
        // As one after the other, which is how the peak of an order is counted: the larger of the two.
        double before = held, most = 0;
        for (std::size_t k = i; k < end; ++k) {
            const StageBytes& stage = bytes[at(ops[k].stage)];
            if (ops[k].kind == OpKind::forward)
                held += stage.stored;
            most = std::max(most, held + stage.transient - before);
            if (ops[k].kind == OpKind::backward || ops[k].kind == OpKind::backward_weight)
                held = std::max(0.0, held - stage.stored);
        }
        std::swap(before, held);
        step(ops[i].start_s, most);
        held = before;
        step(ops[end - 1].end_s, 0);
        i = end;
    }
}

}  // namespace

double MemoryCurve::peak_bytes() const
{
    double peak = constant_bytes;
    for (const Step& step : steps)
        peak = std::max(peak, step.bytes);
    return peak;
}

std::vector<MemoryCurve> memory_curves(const Problem& problem, const Plan& plan, const Timeline& t)
{
    const StageMap map = map_of(plan);
    if (map != t.map)
        throw Error("timeline", "a timeline of another plan", "the timeline that simulate() gives for this plan");
    const int samples = variant_of(problem, plan).micro_batch_samples;
    const std::vector<StageGroup> groups = groups_of(problem, plan, map, samples);
    const std::vector<StageBytes> bytes = stage_bytes(problem, plan);
    std::vector<MemoryCurve> curves(at(t.rows()));
    for (int row = 0; row < t.rows(); ++row) {
        const DeviceMemory* memory = fullest_of(t, row);
        if (!memory)
            continue;
        const Stage& stage = plan.stages[at(memory->stage % map.stages)];
        const auto place = static_cast<std::size_t>(
            std::find(stage.devices.begin(), stage.devices.end(), memory->device) - stage.devices.begin());
        const StageGroup& group = groups[at(row)];
        MemoryCurve& curve = curves[at(row)];
        curve.device = memory->device;
        curve.capacity_bytes = memory->capacity_bytes;
        curve.constant_bytes = memory->state_bytes + memory->buffer_bytes;
        const int first = t.first_op[at(row)];
        follow(std::span(t.ops).subspan(at(first), at(t.first_op[at(row) + 1] - first)), bytes,
               static_cast<double>(group.shares[at(group.replica_of(place))]) / samples, curve);
    }
    return curves;
}

}  // namespace nnpiper
