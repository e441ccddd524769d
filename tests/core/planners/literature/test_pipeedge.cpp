// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planners/chains/kind_chain.h"
#include "core/planners/planner.h"
#include "core/simulator/simulate.h"
#include "../random_problem.h"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

using namespace nnpiper;

namespace {

KindCosts random_costs(Random& random, int layers, std::vector<int> count)
{
    KindCosts costs;
    costs.layers = layers;
    costs.count = std::move(count);
    for (int k = 0; k < costs.kinds(); ++k) {
        std::vector<double> work{0};
        for (int l = 0; l < layers; ++l)
            work.push_back(work.back() + random.uniform(0.5, 2) * (1 + k));
        costs.work_s.push_back(work);
        std::vector<std::vector<double>> row;
        for (int other = 0; other < costs.kinds(); ++other) {
            std::vector<double> cuts(static_cast<std::size_t>(layers + 1), 0);
            for (auto& cut : cuts)
                cut = random.below(12) == 0 ? std::numeric_limits<double>::infinity() : random.log_uniform(0.1, 6);
            row.push_back(cuts);
        }
        costs.round_trip_s.push_back(row);
    }
    return costs;
}

struct Best {
    double bottleneck = std::numeric_limits<double>::infinity();
    double total = std::numeric_limits<double>::infinity();
};

/// Every sequence of kinds with every cut.
Best brute_force(const KindCosts& costs, std::optional<int> stages)
{
    Best best;
    std::vector<int> left = costs.count;
    const auto i = [](int k) { return static_cast<std::size_t>(k); };
    std::vector<int> kinds, ends;
    const auto score = [&] {
        Best value{0, 0};
        int first = 0;
        const int count = static_cast<int>(kinds.size());
        for (int s = 0; s < count; ++s) {
            const int kind = kinds[i(s)];
            if (costs.fits && !costs.fits(kind, count - 1 - s, first, ends[i(s)]))
                return;
            const double own = costs.work_s[i(kind)][i(ends[i(s)])] - costs.work_s[i(kind)][i(first)];
            const double trip = s + 1 < count ? costs.round_trip_s[i(kind)][i(kinds[i(s + 1)])][i(ends[i(s)])] : 0;
            value.bottleneck = std::max({value.bottleneck, own, trip});
            value.total += own + trip;
            first = ends[i(s)];
        }
        if (value.bottleneck < best.bottleneck * (1 - 1e-12)
            || (value.bottleneck <= best.bottleneck * (1 + 1e-12) && value.total < best.total))
            best = value;
    };
    const std::function<void(int)> extend = [&](int first) {
        for (int kind = 0; kind < costs.kinds(); ++kind) {
            if (left[i(kind)] == 0)
                continue;
            --left[i(kind)];
            kinds.push_back(kind);
            for (int end = first + 1; end <= costs.layers; ++end) {
                ends.push_back(end);
                if (end < costs.layers)
                    extend(end);
                else if (!stages || static_cast<int>(kinds.size()) == *stages)
                    score();
                ends.pop_back();
            }
            kinds.pop_back();
            ++left[i(kind)];
        }
    };
    extend(0);
    return best;
}

}  // namespace

class TestPipeEdge : public QObject {
    Q_OBJECT

private slots:
    void least_bottleneck_and_least_total_are_those_of_brute_force()
    {
        Random random(11);
        int infeasible = 0;
        for (int round = 0; round < 300; ++round) {
            std::vector<int> count(static_cast<std::size_t>(1 + random.below(3)));
            for (auto& n : count)
                n = 1 + random.below(2);
            KindCosts costs = random_costs(random, 2 + random.below(5), count);
            if (round % 2 == 1) {
                // Memory: a stage with more behind it keeps more in flight.
                const double room = random.uniform(2, 9);
                costs.fits = [room](int kind, int behind, int first, int end) {
                    return (end - first) * (1 + 0.5 * std::min(behind, 2)) <= room - kind;
                };
            }
            std::optional<int> stages;
            if (round % 3 == 0)
                stages = 1 + random.below(3);
            const Best truth = brute_force(costs, stages);
            bool complete = false;
            const auto found = bottleneck_chain(costs, stages, {}, &complete);
            if (!std::isfinite(truth.bottleneck)) {
                QVERIFY(!found);
                ++infeasible;
                continue;
            }
            QVERIFY(found && complete);
            QVERIFY(std::abs(found->bottleneck_s - truth.bottleneck) <= 1e-9 * truth.bottleneck);
            QVERIFY(std::abs(found->total_s - truth.total) <= 1e-9 * truth.total);
            if (stages)
                QCOMPARE(static_cast<int>(found->kind.size()), *stages);
        }
        QVERIFY(infeasible > 5 && infeasible < 150);
    }

    void plans_keep_memory_that_depends_on_the_place_in_the_pipeline()
    {
        Random random(3);
        int feasible = 0;
        for (int round = 0; round < 40; ++round) {
            Problem problem = random_problem(random, 8, 4, 6);
            const Plan plan = run_planner(find_planner("pipeedge"), problem, {}, {});
            // Only where no chain at all fits may it fail.
            if (!plan.feasible)
                QVERIFY2(plan.stages.empty() && !plan.reason.empty(), plan.reason.c_str());
            feasible += plan.feasible;
        }
        QVERIFY(feasible > 10);
    }

    void renaming_devices_changes_nothing()
    {
        Random random(8);
        for (const bool true_costs : {false, true}) {
            Problem problem = random_problem(random, 10, 5, 6);
            for (auto& memory : problem.device_memory_bytes)
                memory = 1e9;
            PlanRequest request;
            request.true_costs = true_costs;
            const Plan before = run_planner(find_planner("pipeedge"), problem, request, {});
            Problem turned = problem;
            const int n = problem.devices();
            for (int a = 0; a < n; ++a) {
                const int b = n - 1 - a;
                turned.device_ids[static_cast<std::size_t>(a)] = problem.device_ids[static_cast<std::size_t>(b)];
                for (auto matrix : {&Variant::forward_s, &Variant::backward_input_s, &Variant::backward_weight_s}) {
                    for (int l = 0; l < problem.layers(); ++l)
                        (turned.variants[0].*matrix)(l, a) = (problem.variants[0].*matrix)(l, b);
                }
                for (int c = 0; c < n; ++c) {
                    turned.bandwidth_bytes_per_s(a, c) = problem.bandwidth_bytes_per_s(b, n - 1 - c);
                    turned.latency_s(a, c) = problem.latency_s(b, n - 1 - c);
                }
            }
            const Plan after = run_planner(find_planner("pipeedge"), turned, request, {});
            QVERIFY(before.feasible);
            QVERIFY(std::abs(before.makespan_s - after.makespan_s) <= 1e-9 * before.makespan_s);
        }
    }

    void large_clusters_of_few_kinds_are_solved()
    {
        // 64 devices of three kinds, 128 equal layers, fast links: the bottleneck is the largest of the whole numbers
        // of layers that fill the model.
        KindCosts costs;
        costs.layers = 128;
        costs.count = {21, 21, 22};
        for (const double layer_s : {1.0, 2.0, 3.0}) {
            std::vector<double> work;
            for (int l = 0; l <= 128; ++l)
                work.push_back(layer_s * l);
            costs.work_s.push_back(work);
        }
        costs.round_trip_s.assign(3, {3, std::vector<double>(129, 0.01)});
        bool complete = false;
        const auto found = bottleneck_chain(costs, {}, {}, &complete);
        QVERIFY(found && complete);
        // At 4 s: 4 x 21 + 2 x 21 + 1 x 22 = 148 layers; at 3 s: 3 x 21 + 1 x 21 + 1 x 22 = 106 do not fill it.
        QCOMPARE(found->bottleneck_s, 4.0);
    }
};

QTEST_APPLESS_MAIN(TestPipeEdge)
#include "test_pipeedge.moc"
