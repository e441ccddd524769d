// SPDX-License-Identifier: GPL-3.0-or-later
#include "../brute_force.h"
#include "core/planners/chains/chain_moves.h"
#include "core/planners/chains/order_probe.h"
#include "core/planners/chains/settings.h"
#include "core/planners/planner.h"
#include "core/problem/virtual_problem.h"
#include "core/simulator/simulate.h"
#include "../random_problem.h"

#include <QtTest>

#include <cmath>
#include <limits>
#include <functional>
#include <numeric>

using namespace nnpiper;

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

    void walk_prices_what_moves_change()
    {
        Random random(21);
        for (int round = 0; round < 60; ++round) {
            const int devices = 2 + random.below(7);
            const ScheduleKind kind = round % 3 == 0 ? ScheduleKind::gpipe : ScheduleKind::one_f_one_b;
            Problem problem = random_problem(random, devices + random.below(12), devices, 1 + random.below(20));
            problem.objective = round % 4 == 0 ? Objective::cost : round % 4 == 1 ? Objective::latency : Objective::throughput;
            problem.fixed_step_s = 0.5;
            if (round % 5 == 0)
                problem.locks.push_back({{problem.device_ids[0]}, 0, std::nullopt, std::nullopt, false});
            const ChainCosts costs(problem, {0, 1 + random.below(devices), problem.variants[0].micro_batches, kind});
            ChainEvaluator evaluator(costs);
            ChainWalk walk(costs, split_orders(costs, heuristic_orders(costs), {}).back().chain);
            ChainMover mover(costs, random);
            mover.sync(walk.current());
            for (int i = 0; i < 200; ++i) {
                const bool made = mover.move(walk);
                const bool accepted = made && random.below(2) == 0;
                if (made) {
                    const double value = evaluator.value(walk.trial);
                    QVERIFY2(walk.bound() <= value * (1 + 1e-12), qPrintable(QString::number(walk.bound() / value, 'g', 15)));
                    QVERIFY(std::abs(walk.value() - value) <= 1e-12 * value);
                    QVERIFY(walk.changed() || evaluator.value(walk.current()) == value);
                    QVERIFY(std::abs(walk.excess() - evaluator.excess(walk.trial)) <= 1e-12);
                }
                mover.settle(accepted);
                if (accepted)
                    walk.accept();
                else
                    walk.reject();
                QVERIFY(walk.trial == walk.current());
                std::vector<int> used = walk.current().device;
                std::sort(used.begin(), used.end());
                QVERIFY(std::adjacent_find(used.begin(), used.end()) == used.end());
                QVERIFY(cuts_ascend(walk.current(), 0, costs.stages() - 1));
            }
        }
    }

    /// Dealing from the back finds nothing only where a tiny device must get a tiny layer, and never what does not fit.
    void probe_finds_a_cut_where_memory_has_one()
    {
        Random random(4);
        int feasible = 0, infeasible = 0, missed = 0;
        for (int round = 0; round < 300; ++round) {
            const int devices = 2 + random.below(3);
            Problem problem = random_problem(random, devices + random.below(8), devices, 2 + random.below(8));
            for (double& bytes : problem.device_memory_bytes)
                bytes *= 0.6;
            const ChainCosts costs(problem, {0, devices, problem.variants[0].micro_batches, ScheduleKind::one_f_one_b});
            ChainEvaluator evaluator(costs);
            std::vector<int> order = costs.usable();
            random.shuffle(std::span(order));
            bool fits = false;
            each_cut(problem.layers(), devices, [&](const std::vector<int>& ends) {
                fits = fits || evaluator.excess({order, ends}) == 0;
            });
            const double value = OrderProbe(costs).value(order);
            QVERIFY(value >= OrderProbe::infeasible || fits);
            missed += fits && value >= OrderProbe::infeasible;
            (fits ? feasible : infeasible) += 1;
        }
        const QString counts = QStringLiteral("%1 and %2, %3 missed").arg(feasible).arg(infeasible).arg(missed);
        QVERIFY2(feasible > 30 && infeasible > 30 && missed < feasible / 10, qPrintable(counts));
    }

    void starts_are_orders_of_usable_devices()
    {
        for (const int devices : {1, 2, 5, 16, 40}) {
            Problem problem = virtual_problem(evaluation_seed(3, static_cast<std::uint64_t>(devices)),
                                              {std::max(devices, 8), devices, devices, {}});
            if (devices > 2)
                problem.locks.push_back({{problem.device_ids[1]}, std::nullopt, std::nullopt, std::nullopt, true});
            for (int stages = 1; stages <= devices - (devices > 2); stages += 1 + devices / 4) {
                const ChainCosts costs(problem, {0, stages, problem.variants[0].micro_batches, ScheduleKind::one_f_one_b});
                for (const Look look : {Look::quick, Look::usual, Look::close}) {
                    const auto orders = start_orders(costs, look);
                    QVERIFY(!orders.empty());
                    for (std::vector<int> order : orders) {
                        QCOMPARE(static_cast<int>(order.size()), stages);
                        std::sort(order.begin(), order.end());
                        QVERIFY(std::adjacent_find(order.begin(), order.end()) == order.end());
                        QVERIFY(devices <= 2 || std::find(order.begin(), order.end(), 1) == order.end());
                    }
                }
            }
        }
    }

    /// Locked devices stay where they belong whenever any plan can keep the lock and memory.
    void locks_are_kept()
    {
        Random random(55);
        int kept = 0;
        for (int round = 0; round < 40; ++round) {
            const int stages = 2 + random.below(2);
            Problem problem = random_problem(random, 7, 4, 5);
            for (double& bytes : problem.device_memory_bytes)
                bytes *= 1.5;
            problem.stages = stages;
            problem.schedule = ScheduleKind::one_f_one_b;
            Lock lock;
            lock.devices = {problem.device_ids[static_cast<std::size_t>(random.below(4))]};
            if (random.below(3) > 0)
                lock.stage = random.below(stages);
            const int first = lock.stage ? *lock.stage + random.below(2) : 0;
            if (random.below(2) == 0 && lock.stage != 0)
                lock.first_layer = first;
            if (random.below(2) == 0)
                lock.end_layer = lock.stage == stages - 1 ? 7 : first + 1 + random.below(3);
            problem.locks.push_back(lock);
            double best = std::numeric_limits<double>::infinity();
            const ChainCosts costs(problem, {0, stages, 5, ScheduleKind::one_f_one_b});
            ChainEvaluator evaluator(costs);
            each_order(4, stages, [&](const std::vector<int>& order) {
                each_cut(7, stages, [&](const std::vector<int>& ends) {
                    if (validate(problem, to_plan(costs, {order, ends}, "test")).empty())
                        best = std::min(best, evaluator.score({order, ends}));
                });
            });
            for (const char* planner : {"local-search", "nn-piper-no-network"}) {
                PlanRequest request;
                request.budget_ms = 500;
                const Plan plan = run_planner(find_planner(planner), problem, request, {});
                QCOMPARE(plan.feasible, ChainEvaluator::fits(best));
                if (plan.feasible) {
                    QVERIFY2(std::abs(objective_value(problem, plan) - best) <= 1e-9 * best,
                             qPrintable(QString::number(objective_value(problem, plan) / best, 'g', 15)));
                    ++kept;
                }
            }
        }
        QVERIFY(kept > 40);
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
