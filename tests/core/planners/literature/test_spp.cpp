// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planners/literature/min_cut.h"
#include "core/planners/literature/ordered_costs.h"
#include "core/planners/literature/run_chain.h"
#include "core/planners/planner.h"
#include "core/simulator/simulate.h"
#include "../random_problem.h"

#include <QtTest>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

using namespace nnpiper;

namespace {

std::size_t at(int i)
{
    return static_cast<std::size_t>(i);
}

Matrix random_weights(Random& random, int n)
{
    Matrix weights(n, n);
    for (int a = 0; a < n; ++a) {
        for (int b = 0; b < a; ++b)
            weights(a, b) = weights(b, a) = random.below(4) == 0 ? 0 : random.log_uniform(0.1, 10);
    }
    return weights;
}

double weight_between(const Matrix& weights, const std::vector<int>& side)
{
    double total = 0;
    for (int a = 0; a < weights.rows(); ++a) {
        for (int b = 0; b < weights.rows(); ++b) {
            if (std::find(side.begin(), side.end(), a) != side.end()
                && std::find(side.begin(), side.end(), b) == side.end())
                total += weights(a, b);
        }
    }
    return total;
}

/// Costs with nothing regular about them, but stages that grow with their layers.
RunCosts random_runs(Random& random, int layers, int devices, int most_replicas, std::vector<double>& numbers)
{
    numbers.clear();
    for (int i = 0; i < 400; ++i)
        numbers.push_back(random.uniform(0.2, 2));
    RunCosts costs;
    costs.layers = layers;
    costs.devices = devices;
    costs.most_replicas = most_replicas;
    costs.stage_s = [&numbers, layers](int first, int from, int replicas, std::span<double> seconds) {
        double sum = numbers[at(from * 7 + replicas)];
        for (int end = first + 1; end <= layers; ++end) {
            sum += numbers[at(end * 11 + from)] / replicas;
            seconds[at(end)] = sum;
        }
    };
    costs.transfer_s = [&numbers](int cut, int from, int middle, int to) {
        return 3 * numbers[at(cut * 17 + from * 5 + middle * 3 + to)];
    };
    return costs;
}

/// The least bottleneck of exactly `stages` stages.
double brute_force(const RunCosts& costs, int stages)
{
    double best = std::numeric_limits<double>::infinity();
    std::vector<double> row(at(costs.layers + 1));
    std::vector<std::array<int, 4>> chain;  // first, end, from, to
    const auto score = [&] {
        double worst = 0;
        for (std::size_t s = 0; s < chain.size(); ++s) {
            const auto [first, end, from, to] = chain[s];
            if (costs.fits && !costs.fits(first, end, from, to - from, static_cast<int>(chain.size() - 1 - s)))
                return;
            costs.stage_s(first, from, to - from, row);
            worst = std::max(worst, row[at(end)]);
            if (s + 1 < chain.size())
                worst = std::max(worst, costs.transfer_s(end, from, to, chain[s + 1][3]));
        }
        best = std::min(best, worst);
    };
    const std::function<void(int, int)> extend = [&](int first, int from) {
        if (static_cast<int>(chain.size()) == stages) {
            if (first == costs.layers && from == costs.devices)
                score();
            return;
        }
        for (int end = first + 1; end <= costs.layers; ++end) {
            for (int to = from + 1; to <= std::min(costs.devices, from + costs.most_replicas); ++to) {
                chain.push_back({first, end, from, to});
                extend(end, to);
                chain.pop_back();
            }
        }
    };
    for (int from = 0; from < costs.devices; ++from)
        extend(0, from);
    return best;
}

}  // namespace

class TestSpp : public QObject {
    Q_OBJECT

private slots:
    void minimum_cut_is_that_of_all_subsets()
    {
        Random random(7);
        for (int round = 0; round < 300; ++round) {
            const int n = 2 + random.below(7);
            const Matrix weights = random_weights(random, n);
            double least = std::numeric_limits<double>::infinity();
            for (int set = 1; set < (1 << n) - 1; ++set) {
                std::vector<int> side;
                for (int v = 0; v < n; ++v) {
                    if (set >> v & 1)
                        side.push_back(v);
                }
                least = std::min(least, weight_between(weights, side));
            }
            const GraphCut cut = min_cut(weights);
            QVERIFY(!cut.side.empty() && static_cast<int>(cut.side.size()) < n);
            QVERIFY(std::abs(cut.weight - least) <= 1e-9 * std::max(1.0, least));
            QVERIFY(std::abs(weight_between(weights, cut.side) - least) <= 1e-9 * std::max(1.0, least));
        }
    }

    void the_example_of_the_papers_figure()
    {
        // The graph of figure 1 of Stoer and Wagner 1997: eight vertices, the minimum cut {3, 4, 7, 8} weighs 4.
        Matrix weights(8, 8);
        const int edges[][3] = {{1, 2, 2}, {1, 5, 3}, {2, 3, 3}, {2, 5, 2}, {2, 6, 2}, {3, 4, 4},
                                {3, 7, 2}, {4, 7, 2}, {4, 8, 2}, {5, 6, 3}, {6, 7, 1}, {7, 8, 3}};
        for (const auto& [a, b, w] : edges)
            weights(a - 1, b - 1) = weights(b - 1, a - 1) = w;
        const GraphCut cut = min_cut(weights);
        QCOMPARE(cut.weight, 4.0);
        const std::vector<int> one{2, 3, 6, 7}, other{0, 1, 4, 5};
        QVERIFY(cut.side == one || cut.side == other);
    }

    void weak_links_are_crossed_once()
    {
        // Three nodes of three devices that the numbering mixes; inside 10, between 0.1.
        Random random(4);
        std::vector<int> node{0, 1, 2, 0, 1, 2, 0, 1, 2};
        random.shuffle(std::span<int>(node));
        Matrix weights(9, 9);
        for (int a = 0; a < 9; ++a) {
            for (int b = 0; b < 9; ++b)
                weights(a, b) = a == b ? 0 : node[at(a)] == node[at(b)] ? 10 : 0.1;
        }
        const std::vector<int> order = min_cut_order(weights);
        int changes = 0;
        for (int i = 1; i < 9; ++i)
            changes += node[at(order[at(i)])] != node[at(order[at(i - 1)])];
        QCOMPARE(changes, 2);
        std::vector<int> sorted = order;
        std::sort(sorted.begin(), sorted.end());
        QCOMPARE(sorted, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8}));
    }

    void least_bottleneck_is_that_of_brute_force()
    {
        Random random(12);
        std::vector<double> numbers;
        int infeasible = 0;
        for (int round = 0; round < 60; ++round) {
            const int layers = 2 + random.below(4);
            const int devices = 1 + random.below(4);
            RunCosts costs = random_runs(random, layers, devices, 1 + random.below(3), numbers);
            if (round % 2 == 1) {
                const double room = random.uniform(1.5, 5);
                costs.fits = [room](int first, int end, int from, int replicas, int behind) {
                    return (end - first) * (1 + 0.3 * behind) / replicas <= room - 0.2 * from;
                };
            }
            const auto chains = bottleneck_runs(costs, devices, {});
            QCOMPARE(static_cast<int>(chains.size()), std::min(layers, devices));
            for (int x = 1; x <= std::min(layers, devices); ++x) {
                const double truth = brute_force(costs, x);
                const RunChain& found = chains[at(x - 1)];
                if (!std::isfinite(truth)) {
                    QVERIFY(found.end.empty());
                    ++infeasible;
                    continue;
                }
                QVERIFY(std::abs(found.bottleneck_s - truth) <= 1e-12 * truth);
                QCOMPARE(static_cast<int>(found.end.size()), x);
                QCOMPARE(found.end.back(), layers);
            }
        }
        QVERIFY(infeasible > 3 && infeasible < 80);
    }

    void plans_with_true_costs_fit()
    {
        // One device: both views are the same plan. Several: with true costs the plan must fit wherever one was found.
        Random random(31);
        for (int round = 0; round < 20; ++round) {
            Problem problem = random_problem(random, 8, 1 + round % 5, 6);
            PlanRequest request;
            request.true_costs = true;
            const Plan plan = run_planner(find_planner("spp"), problem, request, {});
            QVERIFY(plan.stages.empty() || plan.feasible);
            if (problem.devices() == 1 && plan.feasible)
                QCOMPARE(run_planner(find_planner("spp"), problem, {}, {}).makespan_s, plan.makespan_s);
        }
    }
};

QTEST_APPLESS_MAIN(TestSpp)
#include "test_spp.moc"
