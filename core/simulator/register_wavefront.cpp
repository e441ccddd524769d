// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/simulator/register_wavefront.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace nnpiper {

namespace {

#define NNPIPER_INLINE inline __attribute__((always_inline))

constexpr double never = -std::numeric_limits<double>::infinity();

/// Rows of costs, then of state, each a row of the even stages and one of the odd ones: entry i of a row is stage 2i (+1).
enum Cost : int { forward, backward, forward_occupancy, forward_latency, backward_occupancy, backward_latency, cost_rows };
enum State { device_free, arrived, gradient, forward_channel, backward_channel, state_rows };

/// Entries of a row: whole vectors of the widest processor.
int row_length(int stages)
{
    constexpr int widest = 8;
    return ((stages + 1) / 2 + widest - 1) / widest * widest;
}

using Four = double __attribute__((vector_size(32), aligned(32), may_alias));
using Eight = double __attribute__((vector_size(64), aligned(64), may_alias));

// The entries one stage on, with `before` as the vector in front; one stage back, with `behind` as the vector behind.
NNPIPER_INLINE void shift_up(Four& to, const Four& before, const Four& from)
{
    to = __builtin_shufflevector(before, from, 3, 4, 5, 6);
}
NNPIPER_INLINE void shift_up(Eight& to, const Eight& before, const Eight& from)
{
    to = __builtin_shufflevector(before, from, 7, 8, 9, 10, 11, 12, 13, 14);
}
NNPIPER_INLINE void shift_down(Four& to, const Four& from, const Four& behind)
{
    to = __builtin_shufflevector(from, behind, 1, 2, 3, 4);
}
NNPIPER_INLINE void shift_down(Eight& to, const Eight& from, const Eight& behind)
{
    to = __builtin_shufflevector(from, behind, 1, 2, 3, 4, 5, 6, 7, 8);
}
NNPIPER_INLINE void count_up(Four& to)
{
    to = Four{0, 1, 2, 3};
}
NNPIPER_INLINE void count_up(Eight& to)
{
    to = Eight{0, 1, 2, 3, 4, 5, 6, 7};
}

template <class Lanes>
struct Costs {
    const Lanes* rows;
    int vectors;
    const Lanes* operator[](Cost cost) const { return rows + cost * vectors; }
};

/// State of the stages of one parity; the number of vectors is fixed, so that the compiler keeps it in registers.
template <class Lanes, int Vectors>
struct Half {
    Lanes state[state_rows][Vectors];
    Lanes* operator[](State row) { return state[row]; }
};

/// One op of a vector of stages: it begins when the device is free and its input there, then its message takes the channel.
/// Of stages below `low` (their op lies outside the iteration) the device stays as it was and nothing is sent.
template <bool Masked, class Lanes>
NNPIPER_INLINE void run_op(Lanes& free, const Lanes& input, Lanes& channel, const Lanes& cost, const Lanes& occupancy,
                           const Lanes& latency, const Lanes& index, double low, Lanes& out)
{
    const Lanes start = free > input ? free : input;
    const Lanes end = start + cost;
    const Lanes sent = (end > channel ? end : channel) + occupancy;
    if constexpr (Masked) {
        const auto inside = index >= low;
        free = inside ? end : free;
        channel = inside ? sent : channel;
        out = inside ? sent + latency : Lanes{} + never;
    } else {
        free = end;
        channel = sent;
        out = sent + latency;
    }
}

/// Two steps: the even stages forward and the odd ones backward, then the other way round.
template <bool Masked, class Lanes, int Vectors>
NNPIPER_INLINE void run_steps(Half<Lanes, Vectors>& even, Half<Lanes, Vectors>& odd, const Costs<Lanes>& even_costs,
                              const Costs<Lanes>& odd_costs, int step, int stages, int micro_batches)
{
    constexpr int lanes = static_cast<int>(sizeof(Lanes) / sizeof(double));
    const int first_forward = step - 2 * (micro_batches - 1);
    const int first_backward = 2 * stages - 1 - step;
    Lanes index;
    count_up(index);
    const auto low = [&](int first, int parity, int v) { return static_cast<double>(((first - parity + 1) >> 1) - v * lanes); };
#pragma GCC unroll 4
    for (int v = 0; v < Vectors; ++v) {
        run_op<Masked>(even[device_free][v], even[arrived][v], even[forward_channel][v], even_costs[forward][v],
                       even_costs[forward_occupancy][v], even_costs[forward_latency][v], index, low(first_forward, 0, v),
                       odd[arrived][v]);
    }
#pragma GCC unroll 4
    for (int v = 0; v < Vectors; ++v) {
        run_op<Masked>(odd[device_free][v], odd[gradient][v], odd[backward_channel][v], odd_costs[backward][v],
                       odd_costs[backward_occupancy][v], odd_costs[backward_latency][v], index, low(first_backward, 1, v),
                       even[gradient][v]);
    }
    Lanes before = Lanes{};   // samples are there from the beginning
#pragma GCC unroll 4
    for (int v = 0; v < Vectors; ++v) {
        Lanes out;
        run_op<Masked>(odd[device_free][v], odd[arrived][v], odd[forward_channel][v], odd_costs[forward][v],
                       odd_costs[forward_occupancy][v], odd_costs[forward_latency][v], index,
                       low(first_forward + 1, 1, v), out);
        shift_up(even[arrived][v], before, out);
        before = out;
    }
#pragma GCC unroll 4
    for (int v = 0; v < Vectors; ++v) {
        Lanes out;
        run_op<Masked>(even[device_free][v], even[gradient][v], even[backward_channel][v], even_costs[backward][v],
                       even_costs[backward_occupancy][v], even_costs[backward_latency][v], index,
                       low(first_backward - 1, 0, v), out);
        if (v > 0)
            shift_down(odd[gradient][v - 1], before, out);
        before = out;
    }
    shift_down(odd[gradient][Vectors - 1], before, Lanes{} + never);
}

template <class Lanes, int Vectors>
NNPIPER_INLINE double run_stages(double* scratch, int length, int stages, int micro_batches)
{
    const int vectors = length / static_cast<int>(sizeof(Lanes) / sizeof(double));
    const Costs<Lanes> even_costs{reinterpret_cast<const Lanes*>(scratch), vectors};
    const Costs<Lanes> odd_costs{reinterpret_cast<const Lanes*>(scratch + cost_rows * length), vectors};
    Half<Lanes, Vectors> even, odd;
    for (const State row : {device_free, arrived, gradient, forward_channel, backward_channel}) {
#pragma GCC unroll 4
        for (int v = 0; v < Vectors; ++v)
            even[row][v] = odd[row][v] = Lanes{} + never;
    }
    even[arrived][0][0] = 0;
    const int steps = 2 * (micro_batches - 1) + 2 * stages;
    const int steady = std::min(2 * stages, steps);            // from here no backward pass is missing,
    const int ending = std::max(steady, 2 * micro_batches - 2);   // and from here forward passes are
    int step = 0;
    for (; step < steady; step += 2)
        run_steps<true>(even, odd, even_costs, odd_costs, step, stages, micro_batches);
    for (; step < ending; step += 2)
        run_steps<false>(even, odd, even_costs, odd_costs, step, stages, micro_batches);
    for (; step < steps; step += 2)
        run_steps<true>(even, odd, even_costs, odd_costs, step, stages, micro_batches);
    return even[device_free][0][0];   // the first stage's last backward pass waits for all others
}

template <class Lanes>
NNPIPER_INLINE double run_vectors(double* scratch, int length, int stages, int micro_batches)
{
    constexpr int lanes = static_cast<int>(sizeof(Lanes) / sizeof(double));
    switch (((stages + 1) / 2 + lanes - 1) / lanes) {
    case 1: return run_stages<Lanes, 1>(scratch, length, stages, micro_batches);
    case 2: return run_stages<Lanes, 2>(scratch, length, stages, micro_batches);
    case 3: return run_stages<Lanes, 3>(scratch, length, stages, micro_batches);
    default: return run_stages<Lanes, 4>(scratch, length, stages, micro_batches);
    }
}

constexpr int most_vectors = 4;

#ifdef __x86_64__
__attribute__((target("avx2"))) double run_avx2(double* scratch, int length, int stages, int micro_batches)
{
    return run_vectors<Four>(scratch, length, stages, micro_batches);
}

__attribute__((target("avx512f,avx512vl,avx512dq"))) double run_avx512(double* scratch, int length, int stages,
                                                                        int micro_batches)
{
    return run_vectors<Eight>(scratch, length, stages, micro_batches);
}
#endif

std::vector<RegisterWavefront> choose()
{
    std::vector<RegisterWavefront> versions;
#ifdef __x86_64__
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))
        versions.push_back({8, 2 * most_vectors * 8, run_avx512});
    if (__builtin_cpu_supports("avx2"))
        versions.push_back({4, 2 * most_vectors * 4, run_avx2});
#endif
    return versions;
}

}  // namespace

std::span<const RegisterWavefront> register_wavefronts()
{
    static const std::vector<RegisterWavefront> versions = choose();
    return versions;
}

std::size_t RegisterWavefront::scratch_size(int stages)
{
    return static_cast<std::size_t>(2 * (int{cost_rows} + int{state_rows}) * row_length(stages));
}

double RegisterWavefront::makespan(const StageCosts& costs, int micro_batches, double* scratch) const
{
    const int stages = costs.stages;
    const int length = row_length(stages);
    // Values of the stages from `first` on; those that have none cost nothing.
    const auto spread = [&](Cost row, const double* values, int first, int count) {
        double* const even = scratch + row * length;
        double* const odd = even + cost_rows * length;
        double* const one = first == 0 ? even : odd;
        double* const other = first == 0 ? odd : even + 1;
        even[0] = 0;
        for (int i = 0; 2 * i < count; ++i)
            one[i] = values[2 * i];
        for (int i = 0; 2 * i + 1 < count; ++i)
            other[i] = values[2 * i + 1];
        const int end = first + count;
        std::fill(even + (end + 1) / 2, even + length, 0.0);
        std::fill(odd + end / 2, odd + length, 0.0);
    };
    spread(forward, costs.forward_s, 0, stages);
    spread(backward, costs.backward_s, 0, stages);
    spread(forward_occupancy, costs.forward_occupancy_s, 0, stages - 1);
    spread(forward_latency, costs.forward_latency_s, 0, stages - 1);
    spread(backward_occupancy, costs.backward_occupancy_s, 1, stages - 1);
    spread(backward_latency, costs.backward_latency_s, 1, stages - 1);
    return run(scratch, length, stages, micro_batches);
}

}  // namespace nnpiper
