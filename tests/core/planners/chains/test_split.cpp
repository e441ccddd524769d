// SPDX-License-Identifier: GPL-3.0-or-later
#include "../random_problem.h"
#include "core/planners/chains/local_search.h"
#include "core/planners/chains/order_probe.h"
#include "core/planners/chains/settings.h"
#include "core/planners/chains/split.h"
#include "core/problem/virtual_problem.h"

#include <QtTest>

#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

using namespace nnpiper;

namespace {

/// Least value of all cuts for one order, among those that keep memory and routes.
double best_cut(const ChainCosts& costs, const std::vector<int>& order, const std::function<double(const Chain&)>& value)
{
    ChainEvaluator evaluator(costs);
    Chain chain{order, std::vector<int>(order.size(), costs.layers())};
    double best = std::numeric_limits<double>::infinity();
    const std::function<void(std::size_t, int)> choose = [&](std::size_t stage, int from) {
        if (stage + 1 == order.size()) {
            if (ChainEvaluator::fits(evaluator.score(chain)))
                best = std::min(best, value(chain));
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

std::vector<int> random_order(Random& random, int devices)
{
    std::vector<int> order(static_cast<std::size_t>(devices));
    std::iota(order.begin(), order.end(), 0);
    random.shuffle(std::span(order));
    return order;
}

}  // namespace

class TestSplit : public QObject {
    Q_OBJECT

private slots:
    void the_split_is_near_the_best_cut()
    {
        // Against all cuts of the given order: never better, equal in most cases, on average within 2 %.
        Random random(41);
        double gap = 0;
        int compared = 0;
        int equal = 0;
        for (int round = 0; round < 120; ++round) {
            const int devices = 2 + random.below(4);
            const Problem problem = random_problem(random, devices + 2 + random.below(6), devices, 2 + random.below(12));
            const ChainCosts costs(problem, {0, devices, problem.variants[0].micro_batches, ScheduleKind::one_f_one_b});
            const auto order = random_order(random, devices);
            ChainEvaluator evaluator(costs);
            const double expected = best_cut(costs, order, [&](const Chain& chain) { return evaluator.score(chain); });
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
        QVERIFY2(gap / compared < 0.02, qPrintable(QString::number(gap / compared)));
        QVERIFY2(2 * equal > compared, qPrintable(QStringLiteral("%1 of %2").arg(equal).arg(compared)));
    }

    void the_split_holds_every_span_to_the_period()
    {
        // What moving boundaries can still gain tells what the cut did not see; with the suffix alone it
        // was 2.9 % here.
        double gain = 0;
        int compared = 0;
        for (std::uint64_t seed = 0; seed < 12; ++seed) {
            const Problem problem = virtual_problem(evaluation_seed(6, seed), {80, 32, 24, {}}, VirtualKind::mixed_devices);
            const ChainCosts costs(problem, {0, 24, problem.variants[0].micro_batches, ScheduleKind::one_f_one_b});
            for (const auto& order : start_orders(costs, Look::quick)) {
                ScoredChain split = split_orders(costs, {order}, {}, 2).front();
                if (!ChainEvaluator::fits(split.score))
                    continue;
                const double before = split.score;
                gain += before / shift_boundaries(costs, split.chain, split.score, {}) - 1;
                ++compared;
            }
        }
        QVERIFY(compared > 30);
        QVERIFY2(gain / compared < 0.015, qPrintable(QString::number(gain / compared)));
    }

    void few_micro_batches_wait_for_no_way_back()
    {
        // A stage that holds every micro-batch at once is bound by no span, and a short way through counts against a short
        // period: without the first the split was 0.9 % behind the best cut here, without the second 2.0 %.
        Random random(17);
        double gap = 0, worst = 0;
        int compared = 0;
        for (int round = 0; round < 60; ++round) {
            const int devices = 5 + random.below(2);
            const Problem problem = random_problem(random, devices + 4 + random.below(3), devices, 1 + random.below(devices - 1));
            const ChainCosts costs(problem, {0, devices, problem.variants[0].micro_batches, ScheduleKind::one_f_one_b});
            const auto order = random_order(random, devices);
            ChainEvaluator evaluator(costs);
            const double expected = best_cut(costs, order, [&](const Chain& chain) { return evaluator.score(chain); });
            if (!std::isfinite(expected))
                continue;
            SplitSearch splitter(costs);
            Chain chain;
            const double ratio = splitter.split(order, evaluator, chain) / expected;
            QVERIFY(ratio >= 1 - 1e-9);
            gap += ratio - 1;
            worst = std::max(worst, ratio - 1);
            ++compared;
        }
        QVERIFY(compared > 20);
        QVERIFY2(gap / compared < 0.007, qPrintable(QString::number(gap / compared)));
        QVERIFY2(worst < 0.2, qPrintable(QString::number(worst)));
    }

    void balance_is_the_least_sum_of_powers()
    {
        Random random(23);
        int compared = 0;
        for (int round = 0; round < 80; ++round) {
            const int devices = 1 + random.below(5);
            const Problem problem = random_problem(random, devices + 2 + random.below(5), devices, 2 + random.below(9));
            const ChainCosts costs(problem, {0, devices, problem.variants[0].micro_batches, ScheduleKind::one_f_one_b});
            const auto order = random_order(random, devices);
            std::vector<float> log_load;
            for (int s = 0; s < devices && round % 2 == 1; ++s)
                log_load.push_back(static_cast<float>(random.uniform(-1, 1)));
            const auto sum = [&](const Chain& chain) {
                double total = 0;
                for (int s = 0; s < chain.stages(); ++s) {
                    const int device = chain.device[static_cast<std::size_t>(s)], first = chain.first(s);
                    const int end = chain.end[static_cast<std::size_t>(s)];
                    double load = costs.forward(device, first, end) + costs.backward(device, first, end);
                    const auto transfers = [&](int cut, int from, int to) {
                        return costs.occupancy(cut, from, to) + costs.occupancy(cut, to, from) + costs.latency(from, to)
                               + costs.latency(to, from);
                    };
                    if (s > 0)
                        load += transfers(first, chain.device[static_cast<std::size_t>(s) - 1], device) / 2;
                    if (s + 1 < chain.stages())
                        load += transfers(end, device, chain.device[static_cast<std::size_t>(s) + 1]) / 2;
                    total += std::pow(load / (log_load.empty() ? 1 : std::exp(log_load[static_cast<std::size_t>(s)])), 8);
                }
                return total;
            };
            SplitSearch splitter(costs);
            Chain chain;
            const bool found = splitter.balance(order, log_load, chain);
            const double expected = best_cut(costs, order, sum);
            QCOMPARE(found, std::isfinite(expected));
            if (!found)
                continue;
            QCOMPARE(chain.device, order);
            QVERIFY(ChainEvaluator::fits(ChainEvaluator(costs).score(chain)));
            QVERIFY2(std::abs(sum(chain) / expected - 1) < 1e-6, qPrintable(QString::number(sum(chain) / expected)));
            ++compared;
        }
        QVERIFY(compared > 40);
    }
};

QTEST_APPLESS_MAIN(TestSplit)
#include "test_split.moc"
