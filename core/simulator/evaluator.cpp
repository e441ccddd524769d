// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/simulator/evaluator.h"

#include "core/simulator/kernel.h"
#include "core/simulator/register_wavefront.h"

#include <algorithm>
#include <cstddef>
#include <memory>

namespace nnpiper {

namespace {

constexpr int lane = 4;
constexpr std::size_t cache_line = 64 / sizeof(double);

int padded(int count)
{
    return (count + lane - 1) / lane * lane;
}

/// The stages of one parity; entry i is stage 2i (+1). Arrays are padded to whole lanes, with zero costs behind the end,
/// and have one spare entry in front and behind for messages that nobody reads.
struct Half {
    double* free;        ///< device free
    double* arrived;     ///< [0] forward input, [1] gradient: arrival at the stage
    double* gradient;
    double* forward_channel;   ///< free again, of the boundary behind the stage
    double* backward_channel;  ///< of the boundary before it
    double* forward;
    double* backward;
    double* forward_occupancy;
    double* forward_latency;
    double* backward_occupancy;
    double* backward_latency;
    int count = 0;
};

constexpr int arrays_per_half = 11;

std::size_t half_stride(int max_stages)
{
    return static_cast<std::size_t>(padded((max_stages + 1) / 2) + 2 * lane);
}

Half take_half(double*& memory, std::size_t stride)
{
    Half half{};
    for (double** array : {&half.free, &half.arrived, &half.gradient, &half.forward_channel, &half.backward_channel,
                           &half.forward, &half.backward, &half.forward_occupancy, &half.forward_latency,
                           &half.backward_occupancy, &half.backward_latency}) {
        *array = memory + lane;
        memory += stride;
    }
    return half;
}

/// One step for stages [low, high): run an op, take the channel, deliver to `out`.
inline void step(int low, int high, double* __restrict free, const double* __restrict arrived,
                 const double* __restrict cost, double* __restrict channel, const double* __restrict occupancy,
                 const double* __restrict latency, double* __restrict out)
{
    for (int i = low; i < high; ++i) {
        const double start = free[i] > arrived[i] ? free[i] : arrived[i];
        const double end = start + cost[i];
        free[i] = end;
        const double taken = end > channel[i] ? end : channel[i];
        const double sent = taken + occupancy[i];
        channel[i] = sent;
        out[i] = sent + latency[i];
    }
}

/// Stage range [low, high) of a parity as a range of its entries.
inline int entry(int stage, int parity)
{
    return (stage - parity + 1) >> 1;
}

NNPIPER_KERNEL void run_one_f_one_b(Half& even, Half& odd, int stages, int micro_batches)
{
    const int last_step = 2 * (micro_batches - 1) + 2 * stages - 1;
    const int full_even = padded(even.count);
    const int full_odd = padded(odd.count);
    for (int t = 0; t <= last_step; ++t) {
        const bool steady = t >= 2 * stages - 1 && t <= 2 * micro_batches - 2;
        const int parity = t & 1;  // of the stages that run forward
        Half& f = parity == 0 ? even : odd;
        Half& b = parity == 0 ? odd : even;
        int f_low = 0, f_high = parity == 0 ? full_even : full_odd;
        int b_low = 0, b_high = parity == 0 ? full_odd : full_even;
        if (!steady) {
            const int first_forward = std::max(0, t - 2 * (micro_batches - 1));
            const int first_backward = std::max(0, 2 * stages - 1 - t);
            f_low = entry(first_forward, parity);
            f_high = entry(std::min(stages, t + 1), parity);
            b_low = entry(first_backward, 1 - parity);
            b_high = entry(std::min(stages, 2 * stages - 1 - t + 2 * (micro_batches - 1) + 1), 1 - parity);
        }
        // An even stage 2i hands forward to odd entry i and backward to odd entry i - 1; an odd stage 2i + 1 hands
        // forward to even entry i + 1 and backward to even entry i.
        double* forward_out = parity == 0 ? odd.arrived : even.arrived + 1;
        double* backward_out = parity == 0 ? even.gradient : odd.gradient - 1;
        step(f_low, f_high, f.free, f.arrived, f.forward, f.forward_channel, f.forward_occupancy, f.forward_latency,
             forward_out);
        step(b_low, b_high, b.free, b.gradient, b.backward, b.backward_channel, b.backward_occupancy, b.backward_latency,
             backward_out);
    }
}

}  // namespace

Evaluator::Evaluator(int max_stages)
    : scratch_(std::max(2 * arrays_per_half * half_stride(max_stages), RegisterWavefront::scratch_size(max_stages) + cache_line))
    , max_stages_(max_stages)
    , in_registers_(register_wavefronts().empty() ? nullptr : register_wavefronts().data())
{
}

double Evaluator::one_f_one_b(const StageCosts& costs, int micro_batches)
{
    const int stages = costs.stages;
    if (stages > max_stages_)
        *this = Evaluator(stages);
    if (in_registers_ && stages <= in_registers_->most_stages) {
        void* memory = scratch_.data();
        std::size_t space = scratch_.size() * sizeof(double);
        std::align(cache_line * sizeof(double), 1, memory, space);
        return in_registers_->makespan(costs, micro_batches, static_cast<double*>(memory));
    }
    std::fill(scratch_.begin(), scratch_.end(), 0.0);
    double* memory = scratch_.data();
    const std::size_t stride = half_stride(max_stages_);
    Half halves[2] = {take_half(memory, stride), take_half(memory, stride)};
    halves[0].count = (stages + 1) / 2;
    halves[1].count = stages / 2;
    for (int s = 0; s < stages; ++s) {
        Half& half = halves[s & 1];
        const int i = s >> 1;
        half.forward[i] = costs.forward_s[s];
        half.backward[i] = costs.backward_s[s];
        if (s + 1 < stages) {
            half.forward_occupancy[i] = costs.forward_occupancy_s[s];
            half.forward_latency[i] = costs.forward_latency_s[s];
        }
        if (s > 0) {
            half.backward_occupancy[i] = costs.backward_occupancy_s[s - 1];
            half.backward_latency[i] = costs.backward_latency_s[s - 1];
        }
    }
    run_one_f_one_b(halves[0], halves[1], stages, micro_batches);
    double end = 0;
    for (int s = 0; s < stages; ++s)
        end = std::max(end, halves[s & 1].free[s >> 1]);
    return end;
}

double Evaluator::gpipe(const StageCosts& costs, int micro_batches)
{
    const int stages = costs.stages;
    if (stages > max_stages_)
        *this = Evaluator(stages);
    double* free = scratch_.data();
    double* channel = free + stages;
    std::fill(free, free + 2 * stages, 0.0);
    for (int m = 0; m < micro_batches; ++m) {
        double arrived = 0;
        for (int s = 0; s < stages; ++s) {
            free[s] = std::max(free[s], arrived) + costs.forward_s[s];
            if (s + 1 < stages) {
                channel[s] = std::max(free[s], channel[s]) + costs.forward_occupancy_s[s];
                arrived = channel[s] + costs.forward_latency_s[s];
            }
        }
    }
    std::fill(channel, channel + stages, 0.0);
    for (int m = 0; m < micro_batches; ++m) {
        double arrived = 0;
        for (int s = stages - 1; s >= 0; --s) {
            free[s] = std::max(free[s], arrived) + costs.backward_s[s];
            if (s > 0) {
                channel[s] = std::max(free[s], channel[s]) + costs.backward_occupancy_s[s - 1];
                arrived = channel[s] + costs.backward_latency_s[s - 1];
            }
        }
    }
    return *std::max_element(free, free + stages);
}

double Evaluator::makespan(ScheduleKind kind, const StageCosts& costs, int micro_batches)
{
    return kind == ScheduleKind::gpipe ? gpipe(costs, micro_batches) : one_f_one_b(costs, micro_batches);
}

double makespan(ScheduleKind kind, const Pipeline& pipeline)
{
    const int stages = pipeline.stages();
    std::vector<double> backward;
    for (int s = 0; s < stages; ++s)
        backward.push_back(pipeline.backward_s(s));
    StageCosts costs;
    costs.stages = stages;
    costs.forward_s = pipeline.forward_s.data();
    costs.backward_s = backward.data();
    costs.forward_occupancy_s = pipeline.forward_occupancy_s.data();
    costs.forward_latency_s = pipeline.forward_latency_s.data();
    costs.backward_occupancy_s = pipeline.backward_occupancy_s.data();
    costs.backward_latency_s = pipeline.backward_latency_s.data();
    return Evaluator(stages).makespan(kind, costs, pipeline.micro_batches);
}

}  // namespace nnpiper
