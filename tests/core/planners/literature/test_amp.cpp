// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planners/literature/stage_cut.h"
#include "core/planners/planner.h"
#include "core/simulator/simulate.h"
#include "../random_problem.h"
#include "../sailor_problem.h"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <tuple>

using namespace nnpiper;

namespace {

std::size_t at(int i)
{
    return static_cast<std::size_t>(i);
}

struct Numbers {
    std::vector<std::vector<double>> layer_s;  ///< [stage][layer]
    std::vector<std::vector<double>> cut_s;    ///< [stage][cut]
};

StageCutCosts costs_of(const Numbers& numbers, int layers, int stages, int micro_batches)
{
    StageCutCosts costs;
    costs.layers = layers;
    costs.stages = stages;
    costs.micro_batches = micro_batches;
    costs.stage_s = [&numbers](int stage, int first, int end) {
        double sum = 0;
        for (int l = first; l < end; ++l)
            sum += numbers.layer_s[at(stage)][at(l)];
        return sum;
    };
    costs.transfer_s = [&numbers](int stage, int cut) { return numbers.cut_s[at(stage)][at(cut)]; };
    return costs;
}

Numbers random_numbers(Random& random, int layers, int stages, bool equal_devices)
{
    Numbers numbers;
    for (int s = 0; s < stages; ++s) {
        numbers.layer_s.emplace_back();
        numbers.cut_s.emplace_back();
        for (int l = 0; l <= layers; ++l) {
            numbers.layer_s.back().push_back(equal_devices && s > 0 ? numbers.layer_s[0][at(l)]
                                                                    : random.uniform(0.3, 2));
            numbers.cut_s.back().push_back(random.log_uniform(0.05, 4));
        }
    }
    return numbers;
}

double brute_force(const StageCutCosts& costs)
{
    double best = std::numeric_limits<double>::infinity();
    const std::function<void(int, int, double, double)> choose = [&](int stage, int first, double sum, double largest) {
        for (int end = first + 1; end <= costs.layers; ++end) {
            if (costs.fits && !costs.fits(stage, first, end))
                continue;
            const double own = costs.stage_s(stage, first, end);
            const double most = std::max(largest, own);
            if (stage + 1 == costs.stages) {
                if (end == costs.layers)
                    best = std::min(best, sum + own + (costs.micro_batches - 1) * most);
            } else if (end < costs.layers) {
                choose(stage + 1, end, sum + own + costs.transfer_s(stage, end), most);
            }
        }
    };
    choose(0, 0, 0, 0);
    return best;
}

/// The paper's recurrence as it stands, D(i, j, x), stages from the last one on; without the sum of stages.
double papers_recurrence(const StageCutCosts& costs)
{
    std::map<std::tuple<int, int, double>, double> known;
    const std::function<double(int, int, double)> least = [&](int i, int j, double x) -> double {
        const auto key = std::tuple(i, j, x);
        if (const auto found = known.find(key); found != known.end())
            return found->second;
        double best = std::numeric_limits<double>::infinity();
        if (j == 1) {
            best = (costs.micro_batches - 1) * std::max(0.0, costs.stage_s(0, 0, i) - x);
        } else {
            for (int cut = j - 1; cut < i; ++cut) {
                const double e = costs.stage_s(j - 1, cut, i);
                best =
                    std::min(best, least(cut, j - 1, std::max(e, x)) + (costs.micro_batches - 1) * std::max(0.0, e - x)
                                       + costs.transfer_s(j - 2, cut));
            }
        }
        known[key] = best;
        return best;
    };
    return least(costs.layers, costs.stages, 0);
}

}  // namespace

class TestAmp : public QObject {
    Q_OBJECT

private slots:
    void cut_is_the_cheapest_of_all()
    {
        Random random(41);
        int infeasible = 0;
        for (int round = 0; round < 300; ++round) {
            const int layers = 1 + random.below(9);
            const int stages = 1 + random.below(std::min(layers, 5));
            const Numbers numbers = random_numbers(random, layers, stages, false);
            StageCutCosts costs = costs_of(numbers, layers, stages, 1 + random.below(12));
            if (round % 3 == 0) {
                const double room = random.uniform(1, 5);
                costs.fits = [room](int stage, int first, int end) { return end - first <= room - 0.3 * stage; };
            }
            const double truth = brute_force(costs);
            const auto found = cheapest_cut(costs, {});
            if (!std::isfinite(truth)) {
                QVERIFY(!found);
                ++infeasible;
                continue;
            }
            QVERIFY(found);
            QVERIFY(std::abs(found->cost_s - truth) <= 1e-9 * truth);
            QCOMPARE(found->end.back(), layers);
        }
        QVERIFY(infeasible > 5 && infeasible < 100);
    }

    void cut_is_that_of_the_papers_recurrence()
    {
        Random random(42);
        for (int round = 0; round < 100; ++round) {
            const int layers = 2 + random.below(9);
            const int stages = 1 + random.below(std::min(layers, 5));
            const Numbers numbers = random_numbers(random, layers, stages, true);
            const StageCutCosts costs = costs_of(numbers, layers, stages, 1 + random.below(12));
            const double whole = costs.stage_s(0, 0, layers);
            QVERIFY(std::abs(cheapest_cut(costs, {})->cost_s - (papers_recurrence(costs) + whole)) <= 1e-9 * whole);
        }
    }

    void communication_counts()
    {
        // Two stages of equal layers; the even cut crosses a slow boundary, one beside it a fast one. With few
        // micro-batches the fast boundary wins, with many the even cut.
        Numbers numbers{{std::vector<double>(7, 1), std::vector<double>(7, 1)}, {std::vector<double>(7, 9), {}}};
        numbers.cut_s[0][2] = 1;
        QCOMPARE(cheapest_cut(costs_of(numbers, 6, 2, 4), {})->end, (std::vector<int>{2, 6}));
        QCOMPARE(cheapest_cut(costs_of(numbers, 6, 2, 40), {})->end, (std::vector<int>{3, 6}));
    }

    void shapes_use_replicas_and_degrees()
    {
        const SailorFile file;
        const Problem problem = file.problem(4, 128, 16, 0);
        for (const bool true_costs : {false, true}) {
            PlanRequest request;
            request.true_costs = true_costs;
            request.budget_ms = 60000;
            const Plan plan = run_planner(find_planner("amp"), problem, request, {});
            QVERIFY2(plan.feasible, plan.reason.c_str());
            const std::size_t width = plan.stages.front().devices.size();
            for (const Stage& stage : plan.stages)
                QCOMPARE(stage.devices.size(), width);
            QVERIFY(plan.stages.size() * width <= 8);
            request.stages = 2;
            QCOMPARE(run_planner(find_planner("amp"), problem, request, {}).stages.size(), std::size_t{2});
        }
        // With true costs memory is kept, so a plan that was found fits.
        Random random(6);
        for (int round = 0; round < 20; ++round) {
            const Problem tight = random_problem(random, 8, 1 + round % 4, 6);
            PlanRequest request;
            request.true_costs = true;
            const Plan plan = run_planner(find_planner("amp"), tight, request, {});
            QVERIFY(plan.stages.empty() || plan.feasible);
        }
    }
};

QTEST_APPLESS_MAIN(TestAmp)
#include "test_amp.moc"
