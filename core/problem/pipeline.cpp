// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/problem/pipeline.h"

#include "core/base/error.h"

#include <algorithm>
#include <cstddef>

namespace nnpiper {

namespace {

std::vector<int> indices_of(const Problem& problem, const Stage& stage)
{
    std::vector<int> indices;
    for (const auto& id : stage.devices)
        indices.push_back(problem.device_index(id));
    return indices;
}

/// The variants of one recompute policy by micro-batch size, for times of a replica's share.
class ShareTimes {
public:
    ShareTimes(const Problem& problem, const Variant& whole) : whole_(whole)
    {
        for (const Variant& variant : problem.variants) {
            if (variant.recompute == whole.recompute && variant.tensor_parallel == whole.tensor_parallel
                && variant.micro_batch_samples <= whole.micro_batch_samples)
                sizes_.push_back(&variant);
        }
        std::sort(sizes_.begin(), sizes_.end(), [](const Variant* a, const Variant* b) {
            return a->micro_batch_samples < b->micro_batch_samples;
        });
    }

    /// Seconds of layers [first, end) of one matrix on a device for `samples` of the micro-batch: linear between the
    /// sizes that were priced, proportional below the smallest.
    double operator()(Matrix Variant::*matrix, int device, int first, int end, int samples) const
    {
        const auto sum = [&](const Variant& variant) {
            double total = 0;
            for (int l = first; l < end; ++l)
                total += (variant.*matrix)(l, device);
            return total;
        };
        if (samples == whole_.micro_batch_samples)
            return sum(whole_);
        const Variant* below = nullptr;
        for (const Variant* variant : sizes_) {
            const int size = variant->micro_batch_samples;
            if (size == samples)
                return sum(*variant);
            if (size > samples) {
                const double above = sum(*variant);
                const double base = below ? sum(*below) : 0;
                const int base_size = below ? below->micro_batch_samples : 0;
                return base + (above - base) * (samples - base_size) / (size - base_size);
            }
            below = variant;
        }
        return sum(whole_) * samples / whole_.micro_batch_samples;
    }

private:
    const Variant& whole_;
    std::vector<const Variant*> sizes_;
};

struct Message {
    double occupancy_s = 0;
    double latency_s = 0;
};

/// One boundary and direction between two groups: sender i gives receiver j the overlap of their sample ranges; a port
/// moves one message at a time, so the busiest port of either side sets the occupancy.
Message message(const Problem& problem, double bytes, const std::vector<int>& from, const std::vector<int>& from_shares,
                const std::vector<int>& to, const std::vector<int>& to_shares, int samples)
{
    Message result;
    std::vector<double> received(to.size(), 0);
    int begin = 0;
    for (std::size_t i = 0; i < from.size(); ++i) {
        const int end = begin + from_shares[i];
        double sent = 0;
        int other_begin = 0;
        for (std::size_t j = 0; j < to.size(); ++j) {
            const int other_end = other_begin + to_shares[j];
            const int overlap = std::min(end, other_end) - std::max(begin, other_begin);
            if (overlap > 0) {
                const double seconds = bytes * overlap / samples / problem.bandwidth_bytes_per_s(from[i], to[j]);
                sent += seconds;
                received[j] += seconds;
                result.latency_s = std::max(result.latency_s, problem.latency_s(from[i], to[j]));
            }
            other_begin = other_end;
        }
        result.occupancy_s = std::max(result.occupancy_s, sent);
        begin = end;
    }
    for (const double seconds : received)
        result.occupancy_s = std::max(result.occupancy_s, seconds);
    return result;
}

/// Ring all-reduce: 2 (n-1)/n S/B + 2 (n-1) alpha over the slowest neighbours (Patarasuk and Yuan 2009).
double ring_all_reduce_s(const Problem& problem, const std::vector<int>& devices, double bytes)
{
    const std::size_t n = devices.size();
    if (n < 2)
        return 0;
    double slowest = 0;
    double latency = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const int a = devices[i];
        const int b = devices[(i + 1) % n];
        slowest = std::max(slowest, 1 / problem.bandwidth_bytes_per_s(a, b));
        latency = std::max(latency, problem.latency_s(a, b));
    }
    const auto count = static_cast<double>(n);
    return 2 * (count - 1) / count * bytes * slowest + 2 * (count - 1) * latency;
}

}  // namespace

std::vector<int> shares_of(const Stage& stage, int samples)
{
    if (!stage.shares.empty())
        return stage.shares;
    const int n = static_cast<int>(stage.devices.size());
    std::vector<int> shares(static_cast<std::size_t>(n), samples / n);
    for (int i = 0; i < samples % n; ++i)
        ++shares[static_cast<std::size_t>(i)];
    return shares;
}

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
    if (plan.micro_batches < 1)
        throw Error("/micro_batches", "it is " + std::to_string(plan.micro_batches), "at least 1");
    const Recompute recompute = plan.stages.empty() ? Recompute::none : plan.stages.front().recompute;
    std::string known;
    for (const Variant& variant : problem.variants) {
        if ((problem.raw || variant.micro_batches == plan.micro_batches) && variant.recompute == recompute)
            return variant;
        known += (known.empty() ? "" : ", ") + std::to_string(variant.micro_batches) + " micro-batches with recompute "
                 + std::string(name_of(variant.recompute));
    }
    throw Error("/micro_batches",
                "the problem has no variant with " + std::to_string(plan.micro_batches) + " micro-batches and recompute "
                    + std::string(name_of(recompute)),
                "allowed: " + known);
}

namespace {

/// Where a stage of a plan runs: its devices with their shares of a micro-batch.
struct Group {
    std::vector<int> devices;
    std::vector<int> shares;
};

std::vector<Group> groups_of(const Problem& problem, const Plan& plan, const StageMap& map, int samples)
{
    std::vector<Group> groups(static_cast<std::size_t>(map.devices));
    for (int k = 0; k < map.stages; ++k) {
        Group& group = groups[static_cast<std::size_t>(map.device(k))];
        const Stage& stage = plan.stages[static_cast<std::size_t>(k)];
        if (group.devices.empty())
            group = {indices_of(problem, stage), shares_of(stage, samples)};
    }
    return groups;
}

/// Once an iteration: every device that holds the stage's weights takes part, of both directions.
double all_reduce_of(const Problem& problem, const StageMap& map, const std::vector<Group>& groups, int k,
                     const Stage& stage)
{
    std::vector<int> holders;
    for (int chain = 0; chain < map.chains; ++chain) {
        const auto& devices = groups[static_cast<std::size_t>(map.device(chain * map.stages + k))].devices;
        holders.insert(holders.end(), devices.begin(), devices.end());
    }
    if (holders.size() < 2 || problem.gradient_bytes.empty())
        return 0;
    double bytes = 0;
    for (int l = stage.first_layer; l < stage.end_layer; ++l)
        bytes += problem.gradient_bytes[static_cast<std::size_t>(l)];
    return ring_all_reduce_s(problem, holders, bytes);
}

}  // namespace

Pipeline lay_out(const Problem& problem, const Plan& plan)
{
    const Variant& variant = variant_of(problem, plan);
    const ShareTimes times(problem, variant);
    const int samples = variant.micro_batch_samples;
    Pipeline pipeline;
    pipeline.map = map_of(plan);
    pipeline.micro_batches = plan.micro_batches;
    pipeline.fixed_step_s = problem.fixed_step_s;
    pipeline.blocking = problem.blocking_transfers;
    pipeline.samples = static_cast<double>(plan.micro_batches) * samples;

    const StageMap& map = pipeline.map;
    const std::vector<Group> groups = groups_of(problem, plan, map, samples);
    const auto group_of = [&](int k) -> const Group& { return groups[static_cast<std::size_t>(map.device(k))]; };
    for (int k = 0; k < map.all_stages(); ++k) {
        const Stage& stage = plan.stages[static_cast<std::size_t>(k % map.stages)];
        const Group& group = group_of(k);
        double forward = 0, input = 0, weight = 0, optimizer = 0;
        for (std::size_t i = 0; i < group.devices.size(); ++i) {
            const auto seconds = [&](Matrix Variant::*matrix) {
                return times(matrix, group.devices[i], stage.first_layer, stage.end_layer, group.shares[i]);
            };
            const double b = seconds(&Variant::backward_input_s);
            const double w = seconds(&Variant::backward_weight_s);
            forward = std::max(forward, seconds(&Variant::forward_s));
            if (b + w > input + weight) {
                input = b;
                weight = w;
            }
            double update = 0;
            for (int l = stage.first_layer; l < stage.end_layer && !problem.optimizer_s.empty(); ++l)
                update += problem.optimizer_s(l, group.devices[i]);
            optimizer = std::max(optimizer, update);
        }
        pipeline.forward_s.push_back(forward);
        pipeline.backward_input_s.push_back(input);
        pipeline.backward_weight_s.push_back(weight);
        pipeline.optimizer_s.push_back(optimizer);
        pipeline.all_reduce_s.push_back(all_reduce_of(problem, map, groups, k % map.stages, stage));
        if (k + 1 == map.all_stages())
            break;
        Message forth, back;
        if (map.crosses(k)) {
            const double bytes = variant.output_bytes[static_cast<std::size_t>(stage.end_layer - 1)];
            const Group& next = group_of(k + 1);
            forth = message(problem, bytes, group.devices, group.shares, next.devices, next.shares, samples);
            back = message(problem, bytes, next.devices, next.shares, group.devices, group.shares, samples);
        }
        pipeline.forward_occupancy_s.push_back(forth.occupancy_s);
        pipeline.forward_latency_s.push_back(forth.latency_s);
        pipeline.backward_occupancy_s.push_back(back.occupancy_s);
        pipeline.backward_latency_s.push_back(back.latency_s);
    }
    return pipeline;
}

}  // namespace nnpiper
