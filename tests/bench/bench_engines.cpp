// SPDX-License-Identifier: GPL-3.0-or-later
// Ops (forward or backward of one stage and micro-batch) per second of both engines, and of a plain loop over the same
// recurrence as the reference of this run: machines differ, ratios do not.
#include "core/schedule/schedule.h"
#include "core/simulator/evaluator.h"
#include "core/simulator/order_evaluator.h"
#include "core/simulator/simulate.h"
#include "tests/core/simulator/random_pipeline.h"

#include <benchmark/benchmark.h>

#include <algorithm>

namespace {

using namespace nnpiper;

struct Case {
    Pipeline pipeline;
    std::vector<double> backward;
    StageCosts costs;

    Case(int stages, int micro_batches)
    {
        Random random(1);
        pipeline = random_pipeline(random, stages, micro_batches);
        for (int s = 0; s < stages; ++s)
            backward.push_back(pipeline.backward_s(s));
        costs = {stages,
                 pipeline.forward_s.data(),
                 backward.data(),
                 pipeline.forward_occupancy_s.data(),
                 pipeline.forward_latency_s.data(),
                 pipeline.backward_occupancy_s.data(),
                 pipeline.backward_latency_s.data()};
    }
};

void count_ops(benchmark::State& state, int stages, int micro_batches)
{
    state.counters["ops/s"] = benchmark::Counter(2.0 * stages * micro_batches * static_cast<double>(state.iterations()),
                                                 benchmark::Counter::kIsRate);
}

/// 1F1B by walking every stage's list in wavefront order, one op after the other, branches and all.
void plain_loop(benchmark::State& state)
{
    const int stages = static_cast<int>(state.range(0));
    const int m = static_cast<int>(state.range(1));
    const Case c(stages, m);
    const auto n = static_cast<std::size_t>(stages);
    std::vector<double> free(n), input(n), gradient(n), forth(n), back(n);
    for (auto _ : state) {
        for (auto* v : {&free, &input, &gradient, &forth, &back})
            std::fill(v->begin(), v->end(), 0.0);
        for (int t = 0; t < 2 * (m + stages - 1); ++t) {
            for (int s = 0; s < stages; ++s) {
                const auto i = static_cast<std::size_t>(s);
                if ((t - s) % 2 == 0) {
                    const int k = (t - s) / 2;
                    if (t < s || k >= m)
                        continue;
                    free[i] = std::max(free[i], input[i]) + c.costs.forward_s[s];
                    if (s + 1 < stages) {
                        forth[i] = std::max(forth[i], free[i]) + c.costs.forward_occupancy_s[s];
                        input[i + 1] = forth[i] + c.costs.forward_latency_s[s];
                    }
                } else {
                    const int k = (t + s + 1) / 2 - stages;
                    if (t + s + 1 < 2 * stages || k >= m)
                        continue;
                    free[i] = std::max(free[i], gradient[i]) + c.costs.backward_s[s];
                    if (s > 0) {
                        back[i] = std::max(back[i], free[i]) + c.costs.backward_occupancy_s[s - 1];
                        gradient[i - 1] = back[i] + c.costs.backward_latency_s[s - 1];
                    }
                }
            }
        }
        benchmark::DoNotOptimize(free.data());
        benchmark::ClobberMemory();
    }
    count_ops(state, stages, m);
}

void fast_engine(benchmark::State& state)
{
    const int stages = static_cast<int>(state.range(0));
    const int m = static_cast<int>(state.range(1));
    const Case c(stages, m);
    Evaluator evaluator(stages);
    for (auto _ : state)
        benchmark::DoNotOptimize(evaluator.one_f_one_b(c.costs, m));
    count_ops(state, stages, m);
}

void detailed_engine(benchmark::State& state)
{
    const int stages = static_cast<int>(state.range(0));
    const int m = static_cast<int>(state.range(1));
    const Case c(stages, m);
    const OpOrder order = op_order(ScheduleKind::one_f_one_b, stages, m);
    for (auto _ : state)
        benchmark::DoNotOptimize(run(c.pipeline, order).makespan_s);
    count_ops(state, stages, m);
}

/// The same order through the engine for any static order; argument 2 picks the schedule.
ScheduleShape shape_of(const benchmark::State& state)
{
    constexpr ScheduleKind kinds[] = {ScheduleKind::one_f_one_b, ScheduleKind::zb_h1, ScheduleKind::interleaved};
    ScheduleShape shape;
    shape.kind = kinds[state.range(2)];
    shape.devices = static_cast<int>(state.range(0));
    shape.micro_batches = static_cast<int>(state.range(1));
    shape.chunks = default_chunks(shape.kind);
    return shape;
}

struct OrderCase {
    OpOrder order;
    Case costs;
    OrderEvaluator evaluator;

    explicit OrderCase(const ScheduleShape& shape)
        : order(op_order(shape)), costs(shape.devices * shape.chunks, shape.micro_batches),
          evaluator(order, stage_map(shape.kind, shape.devices, shape.chunks), shape.micro_batches)
    {
        costs.costs.backward_input_s = costs.pipeline.backward_input_s.data();
        costs.costs.backward_weight_s = costs.pipeline.backward_weight_s.data();
    }
};

void count_order_ops(benchmark::State& state, const OrderCase& c, double evaluations)
{
    state.counters["ops/s"] =
        benchmark::Counter(static_cast<double>(c.evaluator.ops()) * evaluations, benchmark::Counter::kIsRate);
}

void any_order(benchmark::State& state)
{
    OrderCase c(shape_of(state));
    for (auto _ : state)
        benchmark::DoNotOptimize(c.evaluator.makespan(c.costs.costs));
    count_order_ops(state, c, static_cast<double>(state.iterations()));
}

void any_order_in_lanes(benchmark::State& state)
{
    OrderCase c(shape_of(state));
    const std::vector<StageCosts> costs(64, c.costs.costs);
    std::vector<double> lengths(costs.size());
    for (auto _ : state) {
        c.evaluator.makespans(costs, lengths);
        benchmark::DoNotOptimize(lengths.data());
    }
    count_order_ops(state, c, 64.0 * static_cast<double>(state.iterations()));
}

/// The detailed engine with a clock: neighbouring boundaries share links as they do behind the ports of nodes.
void detailed_engine_with_flows(benchmark::State& state)
{
    const int stages = static_cast<int>(state.range(0));
    const int m = static_cast<int>(state.range(1));
    Case c(stages, m);
    const OpOrder order = op_order(ScheduleKind::one_f_one_b, stages, m);
    BoundaryFlows flows;
    flows.capacity_bytes_per_s.assign(static_cast<std::size_t>(2 * stages), 100);
    for (int b = 0; b + 1 < stages; ++b) {
        const auto i = static_cast<std::size_t>(b);
        // Out of device b and into b + 1, and back: a port carries one activation and one gradient flow.
        flows.forward.push_back({100 * c.pipeline.forward_occupancy_s[i], {{2 * b, 1}, {2 * b + 3, 1}}});
        flows.backward.push_back({100 * c.pipeline.backward_occupancy_s[i], {{2 * b + 2, 1}, {2 * b + 1, 1}}});
    }
    c.pipeline.flows = flows;
    std::size_t events = 0;
    for (auto _ : state) {
        const Timeline timeline = run(c.pipeline, order);
        events = timeline.ops.size() + 2 * timeline.transfers.size();
        benchmark::DoNotOptimize(timeline.makespan_s);
    }
    state.counters["events/s"] = benchmark::Counter(
        static_cast<double>(events) * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
    count_ops(state, stages, m);
}

}  // namespace

BENCHMARK(plain_loop)->Args({8, 32})->Args({16, 64})->Args({48, 256});
BENCHMARK(fast_engine)->Args({8, 32})->Args({16, 64})->Args({48, 256});
BENCHMARK(any_order)->Args({16, 64, 0})->Args({16, 64, 1})->Args({16, 64, 2})->Args({48, 256, 0});
BENCHMARK(any_order_in_lanes)->Args({16, 64, 0})->Args({16, 64, 1})->Args({16, 64, 2});
BENCHMARK(detailed_engine)->Args({8, 32})->Args({16, 64})->Args({48, 256})->Args({1024, 512})->Unit(benchmark::kMicrosecond);
BENCHMARK(detailed_engine_with_flows)->Args({16, 64})->Args({48, 256})->Args({1024, 512})->Unit(benchmark::kMicrosecond);
BENCHMARK_MAIN();
