// SPDX-License-Identifier: GPL-3.0-or-later
// Ops (forward or backward of one stage and micro-batch) per second of both engines, and of a plain loop over the same
// recurrence as the reference of this run: machines differ, ratios do not.
#include "core/schedule/schedule.h"
#include "core/simulator/evaluator.h"
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

}  // namespace

BENCHMARK(plain_loop)->Args({8, 32})->Args({16, 64})->Args({48, 256});
BENCHMARK(fast_engine)->Args({8, 32})->Args({16, 64})->Args({48, 256});
BENCHMARK(detailed_engine)->Args({8, 32})->Args({16, 64})->Args({48, 256});
BENCHMARK_MAIN();
