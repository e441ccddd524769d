// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planners/planner.h"
#include "core/planners/settings.h"
#include "core/simulator/simulate.h"
#include "random_problem.h"

#include <QtTest>

#include <cmath>
#include <limits>
#include <functional>
#include <numeric>

using namespace nnpiper;

namespace {

/// Best score of all cuts for one order.
double best_cut(const ChainCosts& costs, const std::vector<int>& order)
{
    ChainEvaluator evaluator(costs);
    Chain chain{order, std::vector<int>(order.size(), costs.layers())};
    double best = std::numeric_limits<double>::infinity();
    const std::function<void(std::size_t, int)> choose = [&](std::size_t stage, int from) {
        if (stage + 1 == order.size()) {
            if (const double score = evaluator.score(chain); ChainEvaluator::fits(score))
                best = std::min(best, score);
            return;
        }
        for (int end = from; end < costs.layers(); ++end) {
            chain.end[stage] = end;
            choose(stage + 1, end + 1);
        }
    };
    choose(0, 1);
    return best;
}

}  // namespace

class TestSearch : public QObject {
    Q_OBJECT

private slots:
    void chain_costs_agree_with_the_simulator()
    {
        Random random(3);
        for (int round = 0; round < 300; ++round) {
            const int devices = 1 + random.below(6);
            const int layers = devices + random.below(8);
            Problem problem = random_problem(random, layers, devices, 1 + random.below(9));
            for (auto& t : problem.variants[0].transient_bytes)
                t = random.uniform(0, 1);
            for (auto& b : problem.variants[0].buffer_bytes)
                b = random.uniform(0, 0.3);
            problem.optimizer_s = Matrix(layers, devices, 0.1);
            problem.fixed_step_s = 0.3;
            const auto kind = random.below(2) == 0 ? ScheduleKind::gpipe : ScheduleKind::one_f_one_b;
            const int stages = 1 + random.below(devices);
            const ChainCosts costs(problem, {0, stages, problem.variants[0].micro_batches, kind});
            ChainEvaluator evaluator(costs);
            const auto orders = heuristic_orders(costs);
            for (const ScoredChain& scored : split_orders(costs, orders, {})) {
                const Plan plan = to_plan(costs, scored.chain, "test");
                QVERIFY(validate(problem, plan).empty());
                const Timeline timeline = simulate(problem, plan);
                QVERIFY(std::abs(evaluator.makespan(scored.chain) - timeline.makespan_s) <= 1e-9 * timeline.makespan_s);
                QCOMPARE(evaluator.excess(scored.chain) > 0, !timeline.fits);
                QCOMPARE(ChainEvaluator::fits(scored.score), timeline.fits);
                if (timeline.fits) {
                    const double expected = timeline.iteration_s / problem.variants[0].micro_batches;
                    QVERIFY(std::abs(scored.score - expected) <= 1e-9 * expected);
                }
            }
        }
    }

    void the_split_is_near_the_best_cut()
    {
        // Against all cuts of the given order: never better, equal in most cases, on average within 3 %.
        Random random(41);
        double gap = 0;
        int compared = 0;
        int equal = 0;
        for (int round = 0; round < 120; ++round) {
            const int devices = 2 + random.below(4);
            const Problem problem = random_problem(random, devices + 2 + random.below(6), devices, 2 + random.below(12));
            const ChainCosts costs(problem, {0, devices, problem.variants[0].micro_batches, ScheduleKind::one_f_one_b});
            std::vector<int> order(static_cast<std::size_t>(devices));
            std::iota(order.begin(), order.end(), 0);
            random.shuffle(std::span(order));
            const double expected = best_cut(costs, order);
            ChainEvaluator evaluator(costs);
            SplitSearch splitter(costs);
            Chain chain{std::vector<int>(order.size()), std::vector<int>(order.size())};
            const double found = splitter.split(order, evaluator, chain);
            QCOMPARE(std::isfinite(found), std::isfinite(expected));
            if (!std::isfinite(expected))
                continue;
            QVERIFY(found >= expected * (1 - 1e-9));
            gap += found / expected - 1;
            equal += found <= expected * (1 + 1e-9);
            ++compared;
        }
        QVERIFY(compared > 40);
        QVERIFY2(gap / compared < 0.03, qPrintable(QString::number(gap / compared)));
        QVERIFY2(2 * equal > compared, qPrintable(QStringLiteral("%1 of %2").arg(equal).arg(compared)));
    }

    void search_never_makes_worse_and_keeps_chains_valid()
    {
        Random random(8);
        for (int round = 0; round < 30; ++round) {
            const int devices = 2 + random.below(6);
            const Problem problem = random_problem(random, devices + random.below(10), devices, 2 + random.below(12));
            const ChainCosts costs(problem, {0, 1 + random.below(devices), problem.variants[0].micro_batches,
                                             ScheduleKind::one_f_one_b});
            auto starts = split_orders(costs, heuristic_orders(costs), {});
            const double before = starts.front().score;
            Control control;
            control.deadline = Deadline::after_ms(5);
            const ScoredChain found = search(costs, starts, random, control);
            QVERIFY(found.score <= before);
            QVERIFY(validate(problem, to_plan(costs, found.chain, "test")).empty());
            QCOMPARE(ChainEvaluator(costs).score(found.chain), found.score);
        }
    }

    void local_search_reaches_the_optimum_of_small_problems()
    {
        Random random(77);
        int reached = 0;
        const int rounds = 12;
        for (int round = 0; round < rounds; ++round) {
            Problem problem = random_problem(random, 9, 4, 6);
            problem.stages = 4;
            PlanRequest request;
            request.budget_ms = 20000;  // ends by itself long before
            const Plan exact = run_planner(find_planner("exact"), problem, request, {});
            const Plan found = run_planner(find_planner("local-search"), problem, request, {});
            QCOMPARE(found.feasible, exact.feasible);
            reached += !exact.feasible || found.makespan_s <= exact.makespan_s * (1 + 1e-9);
        }
        QVERIFY2(reached >= rounds - 1, qPrintable(QString::number(reached)));
    }
};

QTEST_APPLESS_MAIN(TestSearch)
#include "test_search.moc"
