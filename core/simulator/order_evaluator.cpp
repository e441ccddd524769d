// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/simulator/order_evaluator.h"

#include "core/simulator/kernel.h"

#include <algorithm>
#include <cstddef>

namespace nnpiper {

namespace {

std::size_t at(int index)
{
    return static_cast<std::size_t>(index);
}

constexpr int no_wait = 0;     ///< slot that stays 0
constexpr int unread = 1;      ///< slot for messages that nobody waits for

/// Finds a sequence of all ops in which producers stand before consumers.
class Sequencer {
public:
    Sequencer(const OpOrder& order, const StageMap& map, int micro_batches)
        : order_(order), map_(map), micro_batches_(micro_batches),
          sent_(2 * at(map.all_stages()) * at(micro_batches), 0)
    {
    }

    /// Calls visit(device, first op, second op or nullptr).
    template <class Visit> void run(Visit visit)
    {
        std::vector<std::size_t> next(order_.size(), 0);
        std::vector<int> list;
        for (int d = map_.devices; d-- > 0;)
            list.push_back(d);
        std::vector<char> listed(order_.size(), 1);
        while (!list.empty()) {
            const int d = list.back();
            list.pop_back();
            listed[at(d)] = 0;
            const auto& ops = order_[at(d)];
            auto& i = next[at(d)];
            while (i < ops.size()) {
                const bool pair = ops[i].paired;
                if (!ready(ops[i]) || (pair && !ready(ops[i + 1])))
                    break;
                visit(d, ops[i], pair ? &ops[i + 1] : nullptr);
                for (const std::size_t end = i + (pair ? 2 : 1); i < end; ++i) {
                    const int receiver = deliver(ops[i]);
                    if (receiver >= 0 && !listed[at(receiver)]) {
                        listed[at(receiver)] = 1;
                        list.push_back(receiver);
                    }
                }
            }
        }
    }

private:
    std::size_t cell(bool backward, int stage, int micro_batch) const
    {
        return (at(stage) * 2 + (backward ? 1 : 0)) * at(micro_batches_) + at(micro_batch);
    }

    bool ready(const Op& op) const
    {
        if (op.kind == OpKind::backward_weight)
            return true;
        if (op.kind == OpKind::forward)
            return map_.first(op.stage) || !map_.crosses(op.stage - 1) || sent_[cell(false, op.stage, op.micro_batch)];
        return map_.last(op.stage) || !map_.crosses(op.stage) || sent_[cell(true, op.stage, op.micro_batch)];
    }

    /// The device that gets a message, or -1.
    int deliver(const Op& op)
    {
        if (op.kind == OpKind::backward_weight)
            return -1;
        const bool backward = op.kind != OpKind::forward;
        if (backward ? map_.first(op.stage) : map_.last(op.stage))
            return -1;
        const int receiver = op.stage + (backward ? -1 : 1);
        if (map_.device(receiver) == map_.device(op.stage))
            return -1;
        sent_[cell(backward, receiver, op.micro_batch)] = 1;
        return map_.device(receiver);
    }

    const OpOrder& order_;
    const StageMap& map_;
    const int micro_batches_;
    std::vector<char> sent_;
};

/// All arrays are [index][lane].
struct Arrays {
    const double* durations;
    const double* occupancy;
    const double* latency;
    double* free;
    double* channel_free;
    double* arrived;
};

/// One pass over the sequence for `Lanes` cost sets.
template <int Lanes>
inline __attribute__((always_inline)) void pass(const OrderStep* __restrict steps, std::size_t count, bool blocking,
                                                double pair_scale, const Arrays& arrays)
{
    const double* __restrict durations = arrays.durations;
    const double* __restrict occupancy = arrays.occupancy;
    const double* __restrict latency = arrays.latency;
    double* __restrict free = arrays.free;
    double* __restrict channel_free = arrays.channel_free;
    double* __restrict arrived = arrays.arrived;
    for (std::size_t i = 0; i < count; ++i) {
        const OrderStep& step = steps[i];
        double end[Lanes];
        double* f = free + step.device * Lanes;
        const double* length = durations + step.duration[0] * Lanes;
        const double* input = arrived + step.wait[0] * Lanes;
        if (!step.pair) {
            for (int l = 0; l < Lanes; ++l)
                end[l] = (f[l] > input[l] ? f[l] : input[l]) + length[l];
        } else {
            const double* other = arrived + step.wait[1] * Lanes;
            const double* more = durations + step.duration[1] * Lanes;
            for (int l = 0; l < Lanes; ++l) {
                const double start = f[l] > input[l] ? f[l] : input[l];
                end[l] = (start > other[l] ? start : other[l]) + pair_scale * (length[l] + more[l]);
            }
        }
        double busy[Lanes];
        for (int l = 0; l < Lanes; ++l)
            busy[l] = end[l];
        for (int k = 0; k < (step.pair ? 2 : 1); ++k) {
            double* c = channel_free + step.channel[k] * Lanes;
            const double* o = occupancy + step.channel[k] * Lanes;
            const double* a = latency + step.channel[k] * Lanes;
            double* out = arrived + step.out[k] * Lanes;
            for (int l = 0; l < Lanes; ++l) {
                const double sent = (end[l] > c[l] ? end[l] : c[l]) + o[l];
                c[l] = sent;
                out[l] = sent + a[l];
                if (blocking && step.out[k] != unread)
                    busy[l] = sent > busy[l] ? sent : busy[l];
            }
        }
        for (int l = 0; l < Lanes; ++l)
            f[l] = busy[l];
    }
}

NNPIPER_KERNEL void run_one(const OrderStep* steps, std::size_t count, bool blocking, double pair_scale,
                            const Arrays& arrays)
{
    pass<1>(steps, count, blocking, pair_scale, arrays);
}

NNPIPER_KERNEL void run_lanes(const OrderStep* steps, std::size_t count, bool blocking, double pair_scale,
                              const Arrays& arrays)
{
    pass<OrderEvaluator::lanes>(steps, count, blocking, pair_scale, arrays);
}

}  // namespace

OrderEvaluator::OrderEvaluator(const OpOrder& order, const StageMap& map, int micro_batches, bool blocking,
                               double pair_scale)
    : map_(map), blocking_(blocking), pair_scale_(pair_scale)
{
    const int stages = map.all_stages();
    std::vector<int> slot(2 * at(stages) * at(micro_batches), no_wait);
    const auto cell = [&](bool backward, int stage, int m) -> int& {
        return slot[(at(stage) * 2 + (backward ? 1 : 0)) * at(micro_batches) + at(m)];
    };
    // Channel 2b sends activations over boundary b, 2b + 1 gradients; the last one is for ops that send nothing.
    const int idle_channel = 2 * stages;
    const auto fill = [&](OrderStep& step, int k, const Op& op) {
        const bool forward = op.kind == OpKind::forward;
        step.duration[k] = static_cast<int>(op.kind) * stages + op.stage;
        step.wait[k] = no_wait;
        step.channel[k] = idle_channel;
        step.out[k] = unread;
        if (op.kind == OpKind::backward_weight)
            return;
        step.wait[k] = cell(!forward, op.stage, op.micro_batch);
        const bool end = forward ? map.last(op.stage) : map.first(op.stage);
        const int receiver = op.stage + (forward ? 1 : -1);
        if (end || map.device(receiver) == map.device(op.stage))
            return;
        step.channel[k] = 2 * (forward ? op.stage : receiver) + (forward ? 0 : 1);
        step.out[k] = slots_;
        cell(!forward, receiver, op.micro_batch) = slots_++;
    };
    Sequencer(order, map, micro_batches).run([&](int device, const Op& first, const Op* second) {
        OrderStep step{};
        step.device = device;
        step.pair = second != nullptr;
        fill(step, 0, first);
        if (second)
            fill(step, 1, *second);
        steps_.push_back(step);
        ops_ += second ? 2 : 1;
    });
    const auto sized = [](int count) { return std::vector<double>(at(count) * lanes, 0.0); };
    durations_ = sized(4 * stages);
    occupancy_ = sized(idle_channel + 1);
    latency_ = sized(idle_channel + 1);
    free_ = sized(map.devices);
    channel_free_ = sized(idle_channel + 1);
    arrived_ = sized(slots_);
}

template <int Lanes> void OrderEvaluator::load(const StageCosts* const* costs)
{
    const int stages = map_.all_stages();
    for (int l = 0; l < Lanes; ++l) {
        const StageCosts& c = *costs[l];
        const double* parts[] = {c.forward_s, c.backward_s, c.backward_input_s, c.backward_weight_s};
        for (int kind = 0; kind < 4; ++kind) {
            for (int s = 0; s < stages && parts[kind]; ++s)
                durations_[at((kind * stages + s) * Lanes + l)] = parts[kind][s];
        }
        for (int b = 0; b + 1 < stages; ++b) {
            occupancy_[at(2 * b * Lanes + l)] = c.forward_occupancy_s[b];
            occupancy_[at((2 * b + 1) * Lanes + l)] = c.backward_occupancy_s[b];
            latency_[at(2 * b * Lanes + l)] = c.forward_latency_s[b];
            latency_[at((2 * b + 1) * Lanes + l)] = c.backward_latency_s[b];
        }
        for (const int channel : {2 * stages - 2, 2 * stages - 1, 2 * stages}) {
            occupancy_[at(channel * Lanes + l)] = 0;
            latency_[at(channel * Lanes + l)] = 0;
        }
    }
    std::fill(free_.begin(), free_.end(), 0.0);
    std::fill(channel_free_.begin(), channel_free_.end(), 0.0);
    std::fill(arrived_.begin(), arrived_.begin() + Lanes, 0.0);
}

void OrderEvaluator::run(int lane_count)
{
    const Arrays arrays{durations_.data(), occupancy_.data(), latency_.data(),
                        free_.data(),      channel_free_.data(), arrived_.data()};
    if (lane_count == 1)
        run_one(steps_.data(), steps_.size(), blocking_, pair_scale_, arrays);
    else
        run_lanes(steps_.data(), steps_.size(), blocking_, pair_scale_, arrays);
}

double OrderEvaluator::makespan(const StageCosts& costs)
{
    const StageCosts* one = &costs;
    load<1>(&one);
    run(1);
    return *std::max_element(free_.begin(), free_.begin() + map_.devices);
}

void OrderEvaluator::makespans(std::span<const StageCosts> costs, std::span<double> result)
{
    for (std::size_t first = 0; first < costs.size(); first += lanes) {
        const StageCosts* block[lanes];
        const std::size_t count = std::min<std::size_t>(lanes, costs.size() - first);
        for (std::size_t l = 0; l < lanes; ++l)
            block[l] = &costs[first + std::min(l, count - 1)];
        load<lanes>(block);
        run(lanes);
        for (std::size_t l = 0; l < count; ++l) {
            double end = 0;
            for (int d = 0; d < map_.devices; ++d)
                end = std::max(end, free_[at(d) * lanes + l]);
            result[first + l] = end;
        }
    }
}

double makespan(const Pipeline& pipeline, const OpOrder& order)
{
    const int stages = pipeline.stages();
    std::vector<double> backward;
    for (int s = 0; s < stages; ++s)
        backward.push_back(pipeline.backward_s(s));
    StageCosts costs;
    costs.stages = stages;
    costs.forward_s = pipeline.forward_s.data();
    costs.backward_s = backward.data();
    costs.backward_input_s = pipeline.backward_input_s.data();
    costs.backward_weight_s = pipeline.backward_weight_s.data();
    costs.forward_occupancy_s = pipeline.forward_occupancy_s.data();
    costs.forward_latency_s = pipeline.forward_latency_s.data();
    costs.backward_occupancy_s = pipeline.backward_occupancy_s.data();
    costs.backward_latency_s = pipeline.backward_latency_s.data();
    return OrderEvaluator(order, pipeline.map, pipeline.micro_batches, pipeline.blocking, pipeline.pair_scale)
        .makespan(costs);
}

}  // namespace nnpiper
