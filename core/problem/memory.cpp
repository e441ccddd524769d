// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/problem/pipeline.h"

#include <algorithm>
#include <cstddef>

namespace nnpiper {

namespace {

std::size_t at(int index)
{
    return static_cast<std::size_t>(index);
}

double sum_of(const std::vector<double>& values, int first, int end)
{
    double total = 0;
    for (int i = first; i < end; ++i)
        total += values[at(i)];
    return total;
}

/// Weights that a pass may still read while the next version is being updated: PipeDream-2BW keeps two.
int extra_weight_versions(ScheduleKind kind)
{
    return kind == ScheduleKind::pipedream_2bw ? 1 : 0;
}

/// A distributed optimizer spreads its part of the state over all that hold the weights.
double state_of(const Problem& problem, const Stage& stage, std::size_t holders, int extra_versions)
{
    double bytes = 0;
    for (int l = stage.first_layer; l < stage.end_layer && !problem.weight_bytes.empty(); ++l)
        bytes += extra_versions * problem.held_share(l, stage.tensor_parallel) * problem.weight_bytes[at(l)];
    for (int l = stage.first_layer; l < stage.end_layer; ++l) {
        const double sharded = problem.sharded_bytes.empty() ? 0 : problem.sharded_bytes[at(l)];
        bytes += problem.held_share(l, stage.tensor_parallel)
                 * (problem.state_bytes[at(l)] - sharded + sharded / static_cast<double>(holders));
    }
    return bytes;
}

std::vector<StageBytes> stage_bytes(const Problem& problem, const Plan& plan, const StageMap& map,
                                    const std::vector<StageGroup>& groups)
{
    std::vector<StageBytes> result;
    for (int k = 0; k < map.all_stages(); ++k) {
        const Stage& stage = plan.stages[at(k % map.stages)];
        const Variant& variant = variant_of(problem, plan, stage);
        StageBytes bytes;
        bytes.state = state_of(problem, stage, holders_of(map, groups, k % map.stages).front().size(),
                               extra_weight_versions(plan.schedule));
        bytes.stored = sum_of(variant.stored_bytes, stage.first_layer, stage.end_layer);
        bytes.transient = *std::max_element(variant.transient_bytes.begin() + stage.first_layer,
                                            variant.transient_bytes.begin() + stage.end_layer);
        if (!map.first(k) && map.crosses(k - 1)) {
            bytes.buffers += variant.buffer_bytes[at(stage.first_layer - 1)];
            if (!variant.carried_bytes.empty())
                bytes.stored += variant.carried_bytes[at(stage.first_layer - 1)];
        }
        if (!map.last(k) && map.crosses(k))
            bytes.buffers += variant.buffer_bytes[at(stage.end_layer - 1)];
        result.push_back(bytes);
    }
    return result;
}

/// The moment of a device's list that needs most, activations and the working space of the op together.
struct Peak {
    double stored = 0;
    double transient = 0;
    double in_flight = 0;
};

Peak peak_of(const std::vector<Op>& ops, const std::vector<StageBytes>& bytes, int chunks)
{
    Peak peak;
    double held = 0;
    int count = 0;
    for (const Op& op : ops) {
        const StageBytes& stage = bytes[at(op.stage)];
        if (op.kind == OpKind::forward) {
            held += stage.stored;
            ++count;
        }
        if (held + stage.transient > peak.stored + peak.transient)
            peak = {held, stage.transient, static_cast<double>(count) / chunks};
        if (op.kind == OpKind::backward || op.kind == OpKind::backward_weight) {
            held -= stage.stored;
            --count;
        }
    }
    // Where nothing is stored, say how many are in flight all the same.
    if (peak.in_flight == 0) {
        count = 0;
        for (const Op& op : ops) {
            count += op.kind == OpKind::forward ? 1 : op.kind == OpKind::backward_input ? 0 : -1;
            peak.in_flight = std::max(peak.in_flight, static_cast<double>(count) / chunks);
        }
    }
    return peak;
}

}  // namespace

std::vector<StageBytes> stage_bytes(const Problem& problem, const Plan& plan)
{
    const StageMap map = map_of(plan);
    return stage_bytes(problem, plan, map, groups_of(problem, plan, map, variant_of(problem, plan).micro_batch_samples));
}

std::vector<DeviceMemory> memory_of(const Problem& problem, const Plan& plan, const OpOrder& order)
{
    const int samples = variant_of(problem, plan).micro_batch_samples;
    const StageMap map = map_of(plan);
    const std::vector<StageGroup> groups = groups_of(problem, plan, map, samples);
    const std::vector<StageBytes> bytes = stage_bytes(problem, plan, map, groups);
    std::vector<DeviceMemory> result;
    std::vector<char> told(at(map.devices), 0);
    for (int k = 0; k < map.stages; ++k) {
        const int group = map.device(k);
        if (told[at(group)])
            continue;
        told[at(group)] = 1;
        const Peak peak = peak_of(order[at(group)], bytes, map.chunks());
        double state = 0, buffers = 0;
        for (int other = 0; other < map.all_stages(); ++other) {
            if (map.device(other) == group) {
                state += bytes[at(other)].state;
                buffers += bytes[at(other)].buffers;
            }
        }
        const Stage& stage = plan.stages[at(k)];
        const StageGroup& where = groups[at(group)];
        for (std::size_t i = 0; i < stage.devices.size(); ++i) {
            const double share = static_cast<double>(where.shares[at(where.replica_of(i))]) / samples;
            DeviceMemory memory;
            memory.device = stage.devices[i];
            memory.stage = k;
            memory.state_bytes = state;
            memory.stored_bytes = share * peak.stored;
            memory.in_flight = peak.in_flight;
            memory.transient_bytes = share * peak.transient;
            memory.buffer_bytes = share * buffers;
            memory.capacity_bytes = problem.device_memory_bytes[at(problem.device_index(stage.devices[i]))];
            result.push_back(std::move(memory));
        }
    }
    return result;
}

}  // namespace nnpiper
