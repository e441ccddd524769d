// SPDX-License-Identifier: GPL-3.0-or-later
// What a search pays for looking at one more plan: pricing a whole chain (the reference of this run), a move that is
// priced where it changed and mostly told by its bound, and an order by its probe and by the throttle-aware split.
#include "core/planners/chains/chain_moves.h"
#include "core/planners/chains/device_orders.h"
#include "core/planners/chains/local_search.h"
#include "core/planners/chains/order_probe.h"
#include "core/problem/virtual_problem.h"

#include <benchmark/benchmark.h>

namespace {

using namespace nnpiper;

struct Case {
    Problem problem;
    ChainCosts costs;
    ScoredChain start;

    Case(int layers, int devices, int stages)
        : problem(virtual_problem(evaluation_seed(1, 0), {layers, devices, stages, 4 * stages}))
        , costs(problem, {0, stages, 4 * stages, ScheduleKind::one_f_one_b})
        , start(split_orders(costs, start_orders(costs, Look::close), {}).front())
    {
    }
};

Case make(const benchmark::State& state)
{
    return {static_cast<int>(state.range(0)), static_cast<int>(state.range(1)), static_cast<int>(state.range(2))};
}

void whole_chain(benchmark::State& state)
{
    const Case c = make(state);
    ChainEvaluator evaluator(c.costs);
    for (auto _ : state)
        benchmark::DoNotOptimize(evaluator.score(c.start.chain));
}

/// Thousand moves of an annealing at the heat of half its way.
void thousand_moves(benchmark::State& state)
{
    const Case c = make(state);
    Random random(1);
    for (auto _ : state)
        benchmark::DoNotOptimize(anneal(c.costs, c.start, random, 1000, 1e-3, {}).score);
}

void probed_order(benchmark::State& state)
{
    const Case c = make(state);
    OrderProbe probe(c.costs);
    for (auto _ : state)
        benchmark::DoNotOptimize(probe.value(c.start.chain.device));
}

void split_order(benchmark::State& state)
{
    const Case c = make(state);
    ChainEvaluator evaluator(c.costs);
    SplitSearch splitter(c.costs);
    Chain chain = c.start.chain;
    for (auto _ : state)
        benchmark::DoNotOptimize(splitter.split(c.start.chain.device, evaluator, chain));
}

void sizes(benchmark::internal::Benchmark* bench)
{
    bench->Args({32, 8, 8})->Args({64, 16, 16})->Args({96, 32, 24})->Args({128, 64, 48})->Unit(benchmark::kMicrosecond);
}

BENCHMARK(whole_chain)->Apply(sizes);
BENCHMARK(thousand_moves)->Apply(sizes);
BENCHMARK(probed_order)->Apply(sizes);
BENCHMARK(split_order)->Apply(sizes);

}  // namespace

BENCHMARK_MAIN();
