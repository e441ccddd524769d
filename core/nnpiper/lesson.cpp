// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nnpiper/lesson.h"

#include "core/planners/chains/order_probe.h"
#include "core/planners/chains/split.h"
#include "core/problem/virtual_problem.h"

#include <algorithm>
#include <cmath>

namespace nnpiper {

std::vector<Lesson> make_lessons(std::uint64_t run_seed, std::uint64_t index, int max_devices)
{
    Random random(training_seed(run_seed, index));
    VirtualSize size = random_virtual_size(random, max_devices);
    const int count = std::clamp(2000 / (size.devices * size.stages), 1, 16);
    std::vector<Lesson> lessons;
    for (int i = 0; i < count; ++i) {
        const auto seed = random.next() & ~std::uint64_t{1};
        if (i > 0)  // other depths on the same number of devices and stages
            size.layers = random_virtual_depth(random, size.stages);
        Lesson lesson;
        lesson.problem = std::make_unique<Problem>(virtual_problem(seed, size));
        lesson.setting = {0, size.stages, lesson.problem->variants.front().micro_batches,
                          random.below(16) == 0 ? ScheduleKind::gpipe : ScheduleKind::one_f_one_b};
        lesson.problem->schedule = lesson.setting.schedule;
        lesson.costs = std::make_unique<ChainCosts>(*lesson.problem, lesson.setting);
        lesson.features = features_of({lesson.problem.get(), 0, lesson.setting.schedule, size.stages, 1, 0});
        lessons.push_back(std::move(lesson));
    }
    return lessons;
}

ScoredChain improved_plan(const ChainCosts& costs, std::uint64_t seed, long moves_per_stage)
{
    const Control unlimited;
    Random random(seed);
    auto starts = split_orders(costs, start_orders(costs, Look::quick), unlimited, 2);
    ScoredChain best = starts.front();
    const long moves = moves_per_stage * costs.stages();
    for (std::size_t i = 0; i < std::min<std::size_t>(2, starts.size()); ++i) {
        auto found = anneal(costs, starts[i], random, moves, 1e-2, unlimited);
        if (found.score < best.score)
            best = std::move(found);
    }
    best = anneal(costs, best, random, moves, 2e-3, unlimited);
    best.score = shift_boundaries(costs, best.chain, best.score, unlimited);
    return best;
}

std::vector<ScoredChain> judge(const Lesson& lesson, const std::vector<std::vector<int>>& orders, Reward reward)
{
    std::vector<std::vector<int>> distinct;
    for (const auto& order : orders)
        if (std::find(distinct.begin(), distinct.end(), order) == distinct.end())
            distinct.push_back(order);
    if (reward == Reward::split)
        return split_orders(*lesson.costs, distinct, Control{}, 1);
    OrderProbe probe(*lesson.costs);
    std::vector<ScoredChain> judged;
    for (auto& order : distinct) {
        ScoredChain chain;
        chain.score = probe.value(order);
        chain.chain.device = std::move(order);
        judged.push_back(std::move(chain));
    }
    std::stable_sort(judged.begin(), judged.end(), [](const auto& a, const auto& b) { return a.score < b.score; });
    return judged;
}

LoadBounds load_bounds(const ChainCosts& costs, const Chain& chain)
{
    SplitSearch cuts(costs);
    cuts.prepare(chain.device);
    const int stages = costs.stages();
    std::vector<double> loads;
    for (int s = 0; s < stages; ++s)
        loads.push_back(cuts.load(s, chain.first(s), chain.end[static_cast<std::size_t>(s)]));
    const double highest = std::max(1e-300, *std::max_element(loads.begin(), loads.end()));
    LoadBounds bounds;
    for (int s = 0; s < stages; ++s) {
        const int first = chain.first(s), end = chain.end[static_cast<std::size_t>(s)];
        double more = highest;
        if (s + 1 < stages && chain.end[static_cast<std::size_t>(s) + 1] - end > 1)
            more = std::min(more, cuts.load(s, first, end + 1));
        if (s > 0 && first - chain.first(s - 1) > 1)
            more = std::min(more, cuts.load(s, first - 1, end));
        const auto log_of = [&](double load) { return static_cast<float>(std::log(std::max(load / highest, 1e-6))); };
        bounds.low.push_back(log_of(loads[static_cast<std::size_t>(s)]));
        bounds.high.push_back(std::max(bounds.low.back(), log_of(more)));
    }
    return bounds;
}

}  // namespace nnpiper
