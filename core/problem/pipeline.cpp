// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/problem/pipeline.h"

#include "core/base/error.h"
#include "core/problem/group_costs.h"
#include "core/problem/share_times.h"

#include <algorithm>
#include <cstddef>

namespace nnpiper {

namespace {

struct Message {
    double occupancy_s = 0;
    double latency_s = 0;
};

/// One boundary and direction between two groups: sender i gives receiver j the overlap of their ranges; a port moves
/// one message at a time, so the busiest port of either side sets the occupancy.
Message message(const Problem& problem, double bytes, const StageGroup& from, const StageGroup& to, int samples)
{
    const auto from_ranges = from.ranges();
    const auto to_ranges = to.ranges();
    Message result;
    std::vector<double> received(to.devices.size(), 0);
    for (std::size_t i = 0; i < from.devices.size(); ++i) {
        double sent = 0;
        for (std::size_t j = 0; j < to.devices.size(); ++j) {
            const double overlap = std::min(from_ranges[i].second, to_ranges[j].second)
                                   - std::max(from_ranges[i].first, to_ranges[j].first);
            if (overlap <= 1e-9)
                continue;
            const double part = bytes * overlap / samples;
            const double seconds = part / bandwidth_of(problem, from.devices[i], to.devices[j], part);
            sent += seconds;
            received[j] += seconds;
            result.latency_s = std::max(result.latency_s, problem.latency_s(from.devices[i], to.devices[j]));
        }
        result.occupancy_s = std::max(result.occupancy_s, sent);
    }
    for (const double seconds : received)
        result.occupancy_s = std::max(result.occupancy_s, seconds);
    return result;
}

/// Seconds that the group of one replica spends on exchanging what layers [first, end) need; equal layers are priced
/// once.
double exchanged_s(const Problem& problem, const std::vector<int>& members, const std::vector<GroupTraffic>& traffic,
                   const Stage& stage, double share)
{
    if (members.size() < 2 || traffic.empty())
        return 0;
    double total = 0, last = 0;
    for (int l = stage.first_layer; l < stage.end_layer; ++l) {
        const GroupTraffic& here = traffic[static_cast<std::size_t>(l)];
        if (l == stage.first_layer || !(here == traffic[static_cast<std::size_t>(l) - 1]))
            last = traffic_s(problem, members, here, share);
        total += last;
    }
    return total;
}

}  // namespace

StageMap map_of(const Plan& plan)
{
    const int stages = static_cast<int>(plan.stages.size());
    const int chunks = std::max(1, plan.chunks_per_device);
    if (stages % chunks != 0)
        throw Error("/chunks_per_device",
                    std::to_string(stages) + " stages do not make " + std::to_string(chunks) + " chunks a device",
                    "a divisor of the number of stages");
    if (plan.schedule == ScheduleKind::custom)
        return map_of_order(plan.order, "/order");
    return stage_map(plan.schedule, stages / chunks, chunks);
}

const Variant& variant_of(const Problem& problem, const Plan& plan)
{
    static const Stage alone;
    return variant_of(problem, plan, plan.stages.empty() ? alone : plan.stages.front());
}

const Variant& variant_of(const Problem& problem, const Plan& plan, const Stage& stage)
{
    if (plan.micro_batches < 1)
        throw Error("/micro_batches", "it is " + std::to_string(plan.micro_batches), "at least 1");
    const auto described = [](int micro_batches, int tensor_parallel, Recompute recompute) {
        return std::to_string(micro_batches) + " micro-batches"
               + (tensor_parallel == 1 ? "" : " on groups of " + std::to_string(tensor_parallel))
               + " with recompute " + std::string(name_of(recompute));
    };
    std::string known;
    for (const Variant& variant : problem.variants) {
        if ((problem.raw || variant.micro_batches == plan.micro_batches) && variant.recompute == stage.recompute
            && variant.tensor_parallel == stage.tensor_parallel)
            return variant;
        known += (known.empty() ? "" : ", ")
                 + described(variant.micro_batches, variant.tensor_parallel, variant.recompute);
    }
    throw Error("/micro_batches",
                "the problem has no variant with "
                    + described(plan.micro_batches, stage.tensor_parallel, stage.recompute),
                "allowed: " + known);
}

std::vector<StageGroup> groups_of(const Problem& problem, const Plan& plan, const StageMap& map, int samples)
{
    std::vector<StageGroup> groups(static_cast<std::size_t>(map.devices));
    for (int k = 0; k < map.stages; ++k) {
        StageGroup& group = groups[static_cast<std::size_t>(map.device(k))];
        if (group.devices.empty())
            group = stage_group(problem, plan.stages[static_cast<std::size_t>(k)], samples);
    }
    return groups;
}

std::vector<std::vector<int>> holders_of(const StageMap& map, const std::vector<StageGroup>& groups, int stage)
{
    std::vector<std::vector<int>> rings;
    for (int chain = 0; chain < map.chains; ++chain) {
        const StageGroup& group = groups[static_cast<std::size_t>(map.device(chain * map.stages + stage))];
        rings.resize(std::max(rings.size(), static_cast<std::size_t>(group.tensor_parallel)));
        for (int slice = 0; slice < group.tensor_parallel; ++slice) {
            const std::vector<int> peers = group.peers(slice);
            std::vector<int>& ring = rings[static_cast<std::size_t>(slice)];
            ring.insert(ring.end(), peers.begin(), peers.end());
        }
    }
    return rings;
}

namespace {

/// Once an iteration, among all devices that hold the stage's weights.
double sync_of(const Problem& problem, const std::vector<std::vector<int>>& rings, const Stage& stage)
{
    if (rings.front().size() < 2 || problem.gradient_bytes.empty())
        return 0;
    double scattered = 0, gathered = 0;
    for (int l = stage.first_layer; l < stage.end_layer; ++l) {
        const auto i = static_cast<std::size_t>(l);
        const double held = problem.held_share(l, stage.tensor_parallel);
        scattered += held * problem.gradient_bytes[i];
        gathered += held * (problem.sharded_bytes.empty() ? problem.gradient_bytes[i] : problem.weight_bytes[i]);
    }
    return replica_sync_s(problem, rings, scattered, gathered);
}

/// Passes of one stage on its slowest replica, with what tensor-parallel groups exchange.
struct StageTimes {
    double forward = 0;
    double backward_input = 0;
    double backward_weight = 0;
};

StageTimes times_of(const Problem& problem, const Variant& variant, const Stage& stage, const StageGroup& group)
{
    StageTimes slowest;
    for (int r = 0; r < group.replicas(); ++r) {
        const int samples = group.shares[static_cast<std::size_t>(r)];
        const std::vector<int> members = group.members(r);
        const ShareTime time = share_time(problem, variant, samples);
        const double share = static_cast<double>(samples) / variant.micro_batch_samples;
        const double forth = exchanged_s(problem, members, variant.forward_traffic, stage, share);
        const double back = exchanged_s(problem, members, variant.backward_traffic, stage, share);
        for (const int device : members) {
            const auto seconds = [&](Matrix Variant::*matrix) {
                return time.seconds(matrix, device, stage.first_layer, stage.end_layer);
            };
            const double b = seconds(&Variant::backward_input_s) + back;
            const double w = seconds(&Variant::backward_weight_s);
            slowest.forward = std::max(slowest.forward, seconds(&Variant::forward_s) + forth);
            if (b + w > slowest.backward_input + slowest.backward_weight) {
                slowest.backward_input = b;
                slowest.backward_weight = w;
            }
        }
    }
    return slowest;
}

/// Each holder updates its slice, with a distributed optimizer its part of it.
double update_of(const Problem& problem, const Stage& stage, const StageGroup& group, std::size_t replicas)
{
    if (problem.optimizer_s.empty())
        return 0;
    double slowest = 0;
    for (const int device : group.devices) {
        double update = 0;
        for (int l = stage.first_layer; l < stage.end_layer; ++l)
            update += problem.held_share(l, group.tensor_parallel) * problem.optimizer_s(l, device);
        slowest = std::max(slowest, update);
    }
    return problem.sharded_bytes.empty() ? slowest : slowest / static_cast<double>(replicas);
}

}  // namespace

Pipeline lay_out(const Problem& problem, const Plan& plan)
{
    const Variant& variant = variant_of(problem, plan);
    const int samples = variant.micro_batch_samples;
    Pipeline pipeline;
    pipeline.map = map_of(plan);
    pipeline.micro_batches = plan.micro_batches;
    pipeline.fixed_step_s = problem.fixed_step_s;
    pipeline.blocking = problem.blocking_transfers;
    pipeline.samples = static_cast<double>(plan.micro_batches) * samples;

    const StageMap& map = pipeline.map;
    const std::vector<StageGroup> groups = groups_of(problem, plan, map, samples);
    const auto group_of = [&](int k) -> const StageGroup& { return groups[static_cast<std::size_t>(map.device(k))]; };
    for (int k = 0; k < map.all_stages(); ++k) {
        const Stage& stage = plan.stages[static_cast<std::size_t>(k % map.stages)];
        const StageGroup& group = group_of(k);
        const StageTimes times = times_of(problem, variant_of(problem, plan, stage), stage, group);
        const std::vector<std::vector<int>> rings = holders_of(map, groups, k % map.stages);
        pipeline.forward_s.push_back(times.forward);
        pipeline.backward_input_s.push_back(times.backward_input);
        pipeline.backward_weight_s.push_back(times.backward_weight);
        pipeline.optimizer_s.push_back(update_of(problem, stage, group, rings.front().size()));
        pipeline.all_reduce_s.push_back(sync_of(problem, rings, stage));
        if (k + 1 == map.all_stages())
            break;
        Message forth, back;
        if (map.crosses(k)) {
            const double bytes = variant.output_bytes[static_cast<std::size_t>(stage.end_layer - 1)];
            const StageGroup& next = group_of(k + 1);
            forth = message(problem, bytes, group, next, samples);
            back = message(problem, bytes, next, group, samples);
        }
        pipeline.forward_occupancy_s.push_back(forth.occupancy_s);
        pipeline.forward_latency_s.push_back(forth.latency_s);
        pipeline.backward_occupancy_s.push_back(back.occupancy_s);
        pipeline.backward_latency_s.push_back(back.latency_s);
    }
    return pipeline;
}

}  // namespace nnpiper
