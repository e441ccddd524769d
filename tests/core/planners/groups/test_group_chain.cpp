// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planners/groups/group_chain.h"
#include "core/planners/planner.h"
#include "core/problem/compile.h"
#include "core/problem/pipeline.h"
#include "core/simulator/simulate.h"
#include "../random_groups.h"
#include "../test_project.h"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace nnpiper;

namespace {

QString figures(double a, double b)
{
    return QString("%1 against %2").arg(a, 0, 'g', 12).arg(b, 0, 'g', 12);
}

std::vector<GroupSetting> settings_of(const Problem& problem)
{
    std::vector<GroupSetting> settings;
    for (const Variant& variant : problem.variants) {
        for (const ScheduleKind kind : {ScheduleKind::one_f_one_b, ScheduleKind::gpipe}) {
            if (variant.tensor_parallel == 1 && variant.recompute == Recompute::none)
                settings.push_back({variant.micro_batch_samples, variant.micro_batches, kind});
        }
    }
    return settings;
}

/// The price of a chain against the simulator's figures of its plan.
void compare(const Problem& problem, const GroupSetting& setting, const GroupChain& chain, const GroupPrice& price,
             bool detailed)
{
    Plan plan = to_plan(problem, setting, chain, "test");
    const auto faults = validate(problem, plan);
    QVERIFY2(faults.empty(), faults.empty() ? "" : faults.front().c_str());
    if (detailed)
        predict(problem, plan);
    else
        predict_fast(problem, plan);
    QCOMPARE(price.fits(), plan.feasible);
    plan.feasible = true;
    const double expected = objective_value(problem, plan);
    QVERIFY2(std::abs(price.value - expected) <= 1e-9 * expected, qPrintable(figures(price.value, expected)));
    QCOMPARE(to_groups(problem, plan), chain);
    QCOMPARE(group_setting(problem, plan).micro_batch_samples, setting.micro_batch_samples);
}

}  // namespace

class TestGroupChain : public QObject {
    Q_OBJECT

private slots:
    void prices_are_those_of_the_simulator_data()
    {
        QTest::addColumn<int>("kind");
        QTest::addColumn<int>("objective");
        QTest::newRow("plain") << 0 << static_cast<int>(Objective::throughput);
        QTest::newRow("distributed optimizer, dollars") << 1 << static_cast<int>(Objective::cost);
        QTest::newRow("speed by message size, latency") << 2 << static_cast<int>(Objective::latency);
        QTest::newRow("experts") << 3 << static_cast<int>(Objective::throughput);
        QTest::newRow("encoder and decoder") << 4 << static_cast<int>(Objective::throughput);
        QTest::newRow("one size alone") << 5 << static_cast<int>(Objective::throughput);
    }

    void prices_are_those_of_the_simulator()
    {
        QFETCH(int, kind);
        QFETCH(int, objective);
        Project project = small_project(3, 4, 8);
        Architecture& a = project.model.architecture;
        if (kind == 1)
            project.job.zero_stage = 1;
        if (kind == 2) {
            for (Link& link : project.cluster.links)
                link.speed = {{1e5, 1e9}, {1e7, 4e9}};
        }
        if (kind == 3) {
            a.family = Family::mixtral;
            a.experts = 8;
            a.experts_per_token = 2;
            project.job.expert_parallel = true;
        }
        if (kind == 4) {
            a.family = Family::t5;
            a.decoder_blocks = 6;
        }
        if (kind == 5)
            project.job.micro_batch = 8;
        project.job.objective = static_cast<Objective>(objective);
        Problem problem = compile(project);
        // Link speeds by size need the routes; then no two parts may share a link.
        if (kind != 2)
            problem.routes = {};
        else
            std::fill(problem.routes.capacity_bytes_per_s.begin(), problem.routes.capacity_bytes_per_s.end(), 1e15);
        Random random(11);
        for (const GroupSetting& setting : settings_of(problem)) {
            GroupEvaluator evaluator(problem, setting);
            GroupChain chain;
            for (int round = 0; round < 60; ++round) {
                // Every other chain differs from the one before in one stage alone.
                if (round % 2 == 0 || chain.size() < 2) {
                    chain = random_groups(random, problem, setting.micro_batch_samples);
                } else {
                    const int s = random.below(chain.size() - 1);
                    std::swap(chain.stages[static_cast<std::size_t>(s)].devices, chain.stages.back().devices);
                    std::swap(chain.stages[static_cast<std::size_t>(s)].shares, chain.stages.back().shares);
                    std::swap(chain.stages[static_cast<std::size_t>(s)].tensor_parallel,
                              chain.stages.back().tensor_parallel);
                }
                compare(problem, setting, chain, evaluator.price(chain), false);
                if (QTest::currentTestFailed())
                    return;
            }
        }
    }

    /// The parts of one message share the node's link: as the detailed engine says when no other boundary is there.
    void parts_of_a_message_share_links()
    {
        const Problem problem = compile(small_project(2, 4, 8));
        Random random(5);
        int slower = 0;
        for (const GroupSetting& setting : settings_of(problem)) {
            GroupEvaluator evaluator(problem, setting);
            for (int round = 0; round < 80; ++round) {
                const GroupChain chain = random_groups(random, problem, setting.micro_batch_samples);
                if (chain.size() > 2)
                    continue;
                const GroupPrice price = evaluator.price(chain);
                compare(problem, setting, chain, price, true);
                Plan fast = to_plan(problem, setting, chain, "test");
                predict_fast(problem, fast);
                fast.feasible = true;
                slower += price.value > objective_value(problem, fast) * (1 + 1e-6) ? 1 : 0;
                if (QTest::currentTestFailed())
                    return;
            }
        }
        QVERIFY(slower > 0);
    }

    void what_cannot_run_is_infinite()
    {
        Project project = small_project(2, 2, 4);
        project.cluster.links.clear();
        const Problem problem = compile(project);
        GroupEvaluator evaluator(problem, {2, 32, ScheduleKind::one_f_one_b});
        const int layers = problem.layers();
        GroupChain chain;
        chain.stages = {{{0, 2}, {1, 1}, 1, Recompute::none, layers}};
        QVERIFY(std::isinf(evaluator.price(chain).value));
        chain.stages = {{{0}, {2}, 1, Recompute::none, 3}, {{2}, {2}, 1, Recompute::none, layers}};
        QVERIFY(std::isinf(evaluator.price(chain).value));
        chain.stages[1].devices = {1};
        QVERIFY(std::isfinite(evaluator.price(chain).value));
    }

    void broken_locks_never_fit()
    {
        Problem problem = compile(small_project(2, 2, 4));
        problem.locks = {{{"node0/0"}, {}, {}, {}, true}, {{"node1/1"}, 1, {}, problem.layers(), false}};
        const int layers = problem.layers();
        GroupEvaluator evaluator(problem, {2, 32, ScheduleKind::one_f_one_b});
        GroupChain chain;
        chain.stages = {{{1}, {2}, 1, Recompute::full, 3}, {{3}, {2}, 1, Recompute::full, layers}};
        QVERIFY(evaluator.price(chain).fits());
        std::swap(chain.stages[0].devices, chain.stages[1].devices);
        QVERIFY(!evaluator.price(chain).fits());
        chain.stages = {{{0, 2}, {1, 1}, 1, Recompute::full, layers}};
        QCOMPARE(evaluator.price(chain).excess, 2.0);
    }

    /// Against every way to share 12 samples among three unlike replicas.
    void shares_by_speed_are_the_best()
    {
        Project project = small_project(2, 4, 8);
        project.job.global_batch = 48;
        project.job.micro_batch = 12;
        project.cluster.devices[1].speed_factor = 0.35;
        const Problem problem = compile(project);
        GroupEvaluator evaluator(problem, {12, 4, ScheduleKind::one_f_one_b});
        GroupStage stage{{0, 1, 4}, {}, 1, Recompute::none, problem.layers()};
        evaluator.balance(stage, 0);
        QCOMPARE(std::accumulate(stage.shares.begin(), stage.shares.end(), 0), 12);
        const auto slowest = [&](const std::vector<int>& shares) {
            double worst = 0;
            for (std::size_t r = 0; r < 3; ++r)
                worst = std::max(worst, evaluator.times().forward(0, shares[r], stage.devices[r], 0, stage.end)
                                            + evaluator.times().backward(0, shares[r], stage.devices[r], 0, stage.end));
            return worst;
        };
        double best = slowest({10, 1, 1});
        for (int a = 1; a <= 10; ++a) {
            for (int b = 1; a + b <= 11; ++b)
                best = std::min(best, slowest({a, b, 12 - a - b}));
        }
        QVERIFY(slowest({4, 4, 4}) > 1.2 * best);
        QCOMPARE(slowest(stage.shares), best);
    }
};

QTEST_APPLESS_MAIN(TestGroupChain)
#include "test_group_chain.moc"
