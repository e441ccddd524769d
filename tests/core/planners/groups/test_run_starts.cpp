// SPDX-License-Identifier: GPL-3.0-or-later
#include "../test_project.h"
#include "core/planners/groups/group_search.h"
#include "core/planners/groups/run_cutter.h"
#include "core/planners/groups/run_starts.h"
#include "core/planners/groups/units.h"
#include "core/problem/compile.h"
#include "core/simulator/simulate.h"

#include <QtTest>

#include <cmath>
#include <numeric>
#include <set>

using namespace nnpiper;

namespace {

/// Every stage with its part of what is done once an iteration and every message keep the period, and all fits.
bool keeps(GroupEvaluator& evaluator, const GroupChain& chain, double period)
{
    const Problem& problem = evaluator.problem();
    if (evaluator.price(chain).excess > 0)
        return false;
    for (int s = 0; s < chain.size(); ++s) {
        if (evaluator.stage_s(s) + evaluator.step_s(s) / evaluator.setting().micro_batches > period * (1 + 1e-12))
            return false;
        if (s + 1 == chain.size())
            continue;
        const auto& stage = chain.stages[static_cast<std::size_t>(s)];
        const int from = stage.devices.back();
        const int to = chain.stages[static_cast<std::size_t>(s + 1)].devices.front();
        const double bandwidth =
            std::min(problem.bandwidth_bytes_per_s(from, to), problem.bandwidth_bytes_per_s(to, from));
        if (evaluator.times().output(stage.end) > period * bandwidth * (1 + 1e-12))
            return false;
    }
    return true;
}

/// Fewest stages of all chains of runs of single devices along the order that keep the period.
class Enumeration {
public:
    Enumeration(GroupEvaluator& evaluator, std::vector<int> order, double period)
        : evaluator_(evaluator)
        , order_(std::move(order))
        , period_(period)
    {
    }

    int fewest()
    {
        extend(0, 0);
        return fewest_;
    }

private:
    void extend(std::size_t position, int first)
    {
        const int layers = evaluator_.times().layers();
        const auto asked = evaluator_.problem().stages;
        if (first == layers) {
            if ((!asked || chain_.size() == *asked) && (fewest_ == 0 || chain_.size() < fewest_)
                && keeps(evaluator_, chain_, period_))
                fewest_ = chain_.size();
            return;
        }
        if (position == order_.size())
            return;
        extend(position + 1, first);
        for (std::size_t end = position + 1; end <= order_.size(); ++end) {
            if (static_cast<int>(end - position) > evaluator_.times().samples())
                break;
            GroupStage stage;
            stage.devices.assign(order_.begin() + static_cast<std::ptrdiff_t>(position),
                                 order_.begin() + static_cast<std::ptrdiff_t>(end));
            stage.end = layers;
            evaluator_.balance(stage, 0);
            for (const Recompute policy : evaluator_.times().policies()) {
                for (stage.end = first + 1; stage.end <= layers; ++stage.end) {
                    stage.recompute = policy;
                    chain_.stages.push_back(stage);
                    extend(end, stage.end);
                    chain_.stages.pop_back();
                }
            }
        }
    }

    GroupEvaluator& evaluator_;
    std::vector<int> order_;
    double period_;
    GroupChain chain_;
    int fewest_ = 0;
};

std::vector<std::vector<int>> alone(const std::vector<int>& order)
{
    std::vector<std::vector<int>> units;
    for (const int device : order)
        units.push_back({device});
    return units;
}

}  // namespace

class TestRunStarts : public QObject {
    Q_OBJECT
private slots:
    void fewest_stages_as_by_brute_force_data()
    {
        QTest::addColumn<int>("samples");
        QTest::addColumn<double>("memory");     // times that of the project
        QTest::addColumn<double>("bandwidth");  // likewise
        QTest::addColumn<int>("stages");        // 0: open
        QTest::newRow("roomy") << 4 << 10.0 << 1.0 << 0;
        QTest::newRow("one sample a micro-batch") << 1 << 10.0 << 1.0 << 0;
        QTest::newRow("memory decides") << 4 << 0.08 << 1.0 << 0;
        QTest::newRow("links decide") << 2 << 10.0 << 0.01 << 0;
        QTest::newRow("three stages") << 4 << 10.0 << 1.0 << 3;
        QTest::newRow("four stages, little memory") << 2 << 0.08 << 1.0 << 4;
    }

    void fewest_stages_as_by_brute_force()
    {
        QFETCH(int, samples);
        QFETCH(double, memory);
        QFETCH(double, bandwidth);
        QFETCH(int, stages);
        Project project = small_project(2, 2, 3);
        project.job.tensor_parallel = 1;
        project.job.global_batch = 16;
        if (stages > 0)
            project.job.stages = stages;
        for (Device& device : project.cluster.devices)
            device.spec.memory_bytes *= memory;
        for (Link& link : project.cluster.links)
            link.bandwidth_bytes_per_s *= bandwidth;
        const Problem problem = compile(project);
        GroupEvaluator evaluator(problem, {samples, 16 / samples, ScheduleKind::one_f_one_b});
        std::vector<int> order{0, 1, 2, 3};
        Random random(5);
        int possible = 0, impossible = 0;
        std::set<int> counts;
        for (int round = 0; round < 6; ++round) {
            RunCutter cutter(evaluator, alone(order), 1);
            for (const double factor : {0.9, 1.1, 1.3, 1.7, 2.5, 4.0, 40.0}) {
                const double period = cutter.ideal_s() * factor;
                const GroupChain chain = cutter.cut(period);
                const int fewest = Enumeration(evaluator, order, period).fewest();
                QCOMPARE(chain.size(), fewest);
                ++(fewest > 0 ? possible : impossible);
                counts.insert(fewest);
                if (fewest == 0)
                    continue;
                QVERIFY(keeps(evaluator, chain, period));
                QCOMPARE(chain.stages.back().end, problem.layers());
            }
            random.shuffle(std::span(order));
        }
        QVERIFY(possible > 0 && impossible > 0);
        QVERIFY(stages > 0 || counts.size() > 2);
    }

    void groups_of_tensor_parallel_devices()
    {
        Project project = small_project(2, 4, 4);
        const Problem problem = compile(project);
        GroupEvaluator evaluator(problem, {4, 16, ScheduleKind::one_f_one_b});
        RunCutter cutter(evaluator, tensor_units(problem, 2), 2);
        int found = 0;
        for (const double factor : {1.2, 1.6, 2.5, 5.0, 20.0}) {
            const GroupChain chain = cutter.cut(cutter.ideal_s() * factor);
            if (chain.size() == 0)
                continue;
            ++found;
            // What replicas exchange in the groups is counted by the slowest: never too little.
            QVERIFY(keeps(evaluator, chain, cutter.ideal_s() * factor));
            for (const GroupStage& stage : chain.stages)
                QCOMPARE(stage.tensor_parallel, 2);
        }
        QVERIFY(found > 1);
    }

    void starts_are_valid_plans_and_the_best_comes_first()
    {
        const Problem problem = compile(small_project(3, 3, 10));
        GroupEvaluator evaluator(problem, {8, 8, ScheduleKind::one_f_one_b});
        std::vector<int> order(static_cast<std::size_t>(problem.devices()));
        std::iota(order.begin(), order.end(), 0);
        const auto starts = run_groups(evaluator, {order, {4, 1, 7, 0}}, 50, Control{});
        QVERIFY(starts.size() > 3);
        bool replicas = false;
        for (std::size_t i = 0; i < starts.size(); ++i) {
            QVERIFY(i == 0 || starts[i - 1].score <= starts[i].score);
            Plan plan = to_plan(problem, evaluator.setting(), starts[i].chain, {});
            QVERIFY(validate(problem, plan).empty());
            predict_fast(problem, plan);
            QVERIFY(plan.feasible);
            QVERIFY(std::abs(evaluator.price(starts[i].chain).score() / starts[i].score - 1) < 1e-12);
            for (const Stage& stage : plan.stages)
                replicas = replicas || stage.shares.size() > 1;
        }
        QVERIFY(replicas);
        QCOMPARE(run_groups(evaluator, {order}, 2, Control{}).size(), 2U);
        std::stop_source stop;
        stop.request_stop();
        QVERIFY(run_groups(evaluator, {order}, 2, {stop.get_token(), Deadline::never(), {}}).empty());
    }

    void orders_are_completed()
    {
        Project project = small_project(2, 3, 4);
        Lock lock;
        lock.devices = {"node1/2"};
        lock.idle = true;
        project.job.locks.push_back(lock);
        const Problem problem = compile(project);
        // Node 0 is devices 0 to 2, node 1 devices 3 to 5; each joins its node.
        const auto orders = whole_orders(problem, {{3, 0}, {3, 0}, {0, 3, 1, 2, 4}});
        QCOMPARE(orders.size(), 2U);
        QCOMPARE(orders[0], (std::vector<int>{3, 4, 0, 1, 2}));
        QCOMPARE(orders[1], (std::vector<int>{0, 3, 1, 2, 4}));
    }

    /// With no time for plain shapes of all micro-batch sizes runs are cut for the others as well.
    void sizes_without_plain_shapes_have_starts()
    {
        const Problem problem = compile(small_project(2, 4, 10));
        Control late;
        late.deadline = Deadline::after_ms(0);
        auto tracks = group_tracks(problem, late);
        QCOMPARE(tracks.size(), 1U);
        add_run_starts(tracks, problem, {{0, 1, 2, 3, 4, 5, 6, 7}}, Control{});
        QVERIFY(tracks.size() > 2);
        for (const GroupTrack& track : tracks)
            QVERIFY(!track.starts.empty() && track.best.score <= track.starts.back().score);
    }

    /// Two sites with a slow line between them: few plain shapes suit, runs do.
    void better_than_plain_shapes_where_a_link_is_slow()
    {
        Project project = small_project(2, 4, 10);
        project.job.tensor_parallel = 1;
        for (Link& link : project.cluster.links) {
            link.bandwidth_bytes_per_s = 20e6;
            link.latency_s = 0.01;
        }
        const Problem problem = compile(project);
        auto tracks = group_tracks(problem, Control{});
        const double plain = tracks.front().best.score;
        add_run_starts(tracks, problem, {{0, 1, 2, 3, 4, 5, 6, 7}, {4, 5, 6, 7, 0, 1, 2, 3}}, Control{});
        QVERIFY(tracks.front().best.score <= plain);
        Plan plan = to_plan(problem, tracks.front().evaluator->setting(), tracks.front().best.chain, {});
        predict(problem, plan);
        QVERIFY(plan.feasible);
    }
};

QTEST_APPLESS_MAIN(TestRunStarts)
#include "test_run_starts.moc"
