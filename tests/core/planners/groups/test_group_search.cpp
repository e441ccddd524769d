// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planners/groups/group_moves.h"
#include "core/planners/groups/group_search.h"
#include "core/planners/planner.h"
#include "core/problem/compile.h"
#include "core/problem/pipeline.h"
#include "core/simulator/simulate.h"
#include "../random_groups.h"
#include "../test_project.h"

#include <QtTest>

#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

using namespace nnpiper;

namespace {

/// Least value over every way to put the devices on stages (in given order inside a stage), cut the layers, choose
/// policies, degrees and shares.
class Enumeration {
public:
    explicit Enumeration(GroupEvaluator& evaluator)
        : evaluator_(evaluator)
        , stage_of_(evaluator.problem().device_ids.size())
    {
    }

    double best()
    {
        const Problem& problem = evaluator_.problem();
        const int most = std::min(problem.devices(), problem.layers());
        for (int stages = problem.stages.value_or(1); stages <= problem.stages.value_or(most); ++stages) {
            chain_.stages.assign(static_cast<std::size_t>(stages), {});
            place(0, stages);
        }
        return best_;
    }

private:
    void place(std::size_t device, int stages)
    {
        if (device < stage_of_.size()) {
            for (int s = -1; s < stages; ++s) {
                stage_of_[device] = s;
                place(device + 1, stages);
            }
            return;
        }
        for (auto& stage : chain_.stages)
            stage.devices.clear();
        for (std::size_t d = 0; d < stage_of_.size(); ++d) {
            if (stage_of_[d] >= 0)
                chain_.stages[static_cast<std::size_t>(stage_of_[d])].devices.push_back(static_cast<int>(d));
        }
        for (const auto& stage : chain_.stages) {
            if (stage.devices.empty())
                return;
        }
        choose(0);
    }

    /// End, policy, degree and shares of a stage, then of those behind it.
    void choose(std::size_t s)
    {
        if (s == chain_.stages.size()) {
            const GroupPrice price = evaluator_.price(chain_);
            if (price.fits())
                best_ = std::min(best_, price.value);
            return;
        }
        GroupStage& stage = chain_.stages[s];
        const Problem& problem = evaluator_.problem();
        const int behind = static_cast<int>(chain_.stages.size() - s) - 1;
        const int first = chain_.first(static_cast<int>(s));
        const int low = behind == 0 ? problem.layers() : first + 1;
        for (int end = low; end <= problem.layers() - behind; ++end) {
            for (const Recompute policy : evaluator_.times().policies()) {
                for (const int t : evaluator_.times().degrees()) {
                    const int replicas = static_cast<int>(stage.devices.size()) / t;
                    if (stage.devices.size() % static_cast<std::size_t>(t) != 0
                        || replicas > evaluator_.times().samples() || !together(stage.devices, t))
                        continue;
                    chain_.stages[s].end = end;
                    chain_.stages[s].recompute = policy;
                    chain_.stages[s].tensor_parallel = t;
                    chain_.stages[s].shares.assign(static_cast<std::size_t>(replicas), 0);
                    share(s, 0, evaluator_.times().samples());
                }
            }
        }
    }

    void share(std::size_t s, std::size_t replica, int left)
    {
        auto& shares = chain_.stages[s].shares;
        const int behind = static_cast<int>(shares.size() - replica) - 1;
        for (int n = behind == 0 ? left : 1; n <= left - behind; ++n) {
            chain_.stages[s].shares[replica] = n;
            if (behind == 0)
                choose(s + 1);
            else
                share(s, replica + 1, left - n);
        }
    }

    bool together(const std::vector<int>& devices, int t) const
    {
        const Problem& problem = evaluator_.problem();
        for (std::size_t i = 0; i < devices.size(); ++i) {
            const std::size_t front = i / static_cast<std::size_t>(t) * static_cast<std::size_t>(t);
            if (problem.device_nodes[static_cast<std::size_t>(devices[i])]
                != problem.device_nodes[static_cast<std::size_t>(devices[front])])
                return false;
        }
        return true;
    }

    GroupEvaluator& evaluator_;
    std::vector<int> stage_of_;
    GroupChain chain_;
    double best_ = std::numeric_limits<double>::infinity();
};

QString figures(double a, double b)
{
    return QString("%1 against %2").arg(a, 0, 'g', 12).arg(b, 0, 'g', 12);
}

}  // namespace

class TestGroupSearch : public QObject {
    Q_OBJECT

private slots:
    void finds_the_best_of_all_plans_data()
    {
        QTest::addColumn<int>("kind");
        QTest::newRow("throughput") << 0;
        QTest::newRow("dollars") << 1;
        QTest::newRow("latency, two stages") << 2;
        QTest::newRow("little memory") << 3;
        QTest::newRow("slow links") << 4;
        QTest::newRow("fixed degree of one") << 5;
    }

    /// Every plan of four devices and five layers, by its own objective. The search may be better: it also changes the
    /// order of replicas.
    void finds_the_best_of_all_plans()
    {
        QFETCH(int, kind);
        Project project = small_project(2, 2, 3);
        project.job.global_batch = 8;
        project.job.micro_batch = 2;
        if (kind == 1)
            project.job.objective = Objective::cost;
        if (kind == 2) {
            project.job.objective = Objective::latency;
            project.job.stages = 2;
        }
        if (kind == 4) {
            for (Link& link : project.cluster.links)
                link.bandwidth_bytes_per_s = 2e8;
        }
        if (kind == 5)
            project.job.tensor_parallel = 1;
        Problem problem = compile(project);
        // Two policies are enough to choose from.
        std::erase_if(problem.variants, [](const Variant& v) { return v.recompute == Recompute::selective; });
        problem.default_variant = 0;
        if (kind == 3) {
            double all = 0;
            for (const double bytes : problem.state_bytes)
                all += bytes;
            for (double& bytes : problem.device_memory_bytes)
                bytes = 0.62 * all;
        }
        const Variant& variant = problem.variants.front();
        GroupEvaluator evaluator(problem,
                                 {variant.micro_batch_samples, variant.micro_batches, ScheduleKind::one_f_one_b});
        const double best = Enumeration(evaluator).best();
        QVERIFY(std::isfinite(best));

        auto plans = search_groups(problem, group_tracks(problem, {}), 1, {});
        QVERIFY(!plans.empty());
        const Plan& plan = plans.front();
        QVERIFY(validate(problem, plan).empty());
        const GroupPrice found = evaluator.price(to_groups(problem, plan));
        QVERIFY(found.fits());
        QVERIFY2(found.value <= best * (1 + 1e-9), qPrintable(figures(found.value, best)));

        // One walk alone comes near.
        PlanRequest request;
        request.budget_ms = 150;
        const Plan walked = run_planner(find_planner("annealing"), problem, request, {});
        QVERIFY2(walked.feasible, walked.reason.c_str());
        const double value = evaluator.price(to_groups(problem, walked)).value;
        QVERIFY2(value <= 1.03 * best, qPrintable(figures(value, best)));
    }

    void moves_keep_chains_whole()
    {
        Problem problem = compile(small_project(3, 4, 8));
        problem.locks = {{{"node1/2"}, {}, {}, {}, true}};
        Random random(3);
        for (const int size : {1, 4, 16}) {
            GroupEvaluator evaluator(problem, {size, 64 / size, ScheduleKind::one_f_one_b});
            GroupMoves moves(evaluator, random);
            GroupChain chain = plain_groups(evaluator, 1, {}).front().chain;
            int made = 0, different = 0;
            for (int round = 0; round < 3000; ++round) {
                GroupChain trial = chain;
                if (!moves.move(trial))
                    continue;
                ++made;
                different += trial == chain ? 0 : 1;
                const Plan plan = to_plan(problem, evaluator.setting(), trial, "test");
                const auto faults = validate(problem, plan);
                QVERIFY2(faults.empty(), faults.empty() ? "" : faults.front().c_str());
                for (const GroupStage& stage : trial.stages) {
                    for (std::size_t i = 0; i < stage.devices.size(); ++i) {
                        const std::size_t front = i - i % static_cast<std::size_t>(stage.tensor_parallel);
                        QCOMPARE(problem.device_nodes[static_cast<std::size_t>(stage.devices[i])],
                                 problem.device_nodes[static_cast<std::size_t>(stage.devices[front])]);
                    }
                }
                chain = std::move(trial);
            }
            QVERIFY(made > 1000 && different > made / 2);
        }
    }

    void limits_never_change_what_is_accepted()
    {
        // A price under a limit is exact; above it, it is a bound that the exact price keeps.
        const Problem problem = compile(small_project(3, 4, 8));
        Random random(9);
        GroupEvaluator exact(problem, {4, 16, ScheduleKind::one_f_one_b});
        GroupEvaluator limited(problem, {4, 16, ScheduleKind::one_f_one_b});
        int cut = 0;
        double limit = std::numeric_limits<double>::infinity();
        for (int round = 0; round < 400; ++round) {
            const GroupChain chain = random_groups(random, problem, 4);
            const GroupPrice full = exact.price(chain);
            const GroupPrice quick = limited.price(chain, limit);
            if (quick.walk() <= limit)
                QCOMPARE(quick.walk(), full.walk());
            else
                QVERIFY(full.walk() >= quick.walk() * (1 - 1e-12));
            cut += quick.walk() < full.walk() * (1 - 1e-9) ? 1 : 0;
            limit = std::min(limit, 1.1 * full.walk());
        }
        QVERIFY(cut > 100);
    }

    void locks_and_stages_are_kept()
    {
        Project project = small_project(2, 4, 8);
        project.job.locks = {
            {{"node0/0"}, {}, {}, {}, true}, {{"node1/0", "node1/1"}, 0, 0, 4, false}, {{"node0/3"}, 2, {}, {}, false}};
        project.job.stages = 3;
        const Problem problem = compile(project);
        PlanRequest request;
        request.budget_ms = 400;
        const Plan plan = run_planner(find_planner("local-search"), problem, request, {});
        QVERIFY2(plan.feasible, plan.reason.c_str());
        QCOMPARE(plan.stages.size(), std::size_t{3});
        QCOMPARE(plan.stages[0].end_layer, 4);
    }

    void the_same_seed_gives_the_same_plan()
    {
        const Problem problem = compile(small_project(2, 2, 2));
        const auto plan = [&] { return search_groups(problem, group_tracks(problem, {}), 5, {}).front(); };
        const Plan a = plan();
        const Plan b = plan();
        QVERIFY(a.stages == b.stages);
        QCOMPARE(a.micro_batches, b.micro_batches);
    }

    /// Layers that fill one device alone, on fast links: the whole node must share them.
    void replicas_where_they_pay()
    {
        Project project = small_project(1, 4, 1);
        project.job.tensor_parallel = 1;
        project.job.stages = 1;
        const Problem problem = compile(project);
        PlanRequest request;
        request.budget_ms = 100;
        const Plan plan = run_planner(find_planner("local-search"), problem, request, {});
        QVERIFY(plan.feasible);
        QCOMPARE(plan.stages[0].devices.size(), std::size_t{4});
        Problem single = problem;
        single.gradient_bytes.clear();
        const Plan alone = run_planner(find_planner("local-search"), single, request, {});
        QVERIFY(plan.throughput_samples_per_s > 3 * alone.throughput_samples_per_s);
    }

    void recompute_only_where_memory_asks_for_it()
    {
        // One node has little memory: its stages compute twice, the others do not.
        Project project = small_project(2, 2, 8);
        project.job.tensor_parallel = 1;
        project.job.stages = 4;
        project.job.micro_batch = 8;
        Problem problem = compile(project);
        PlanRequest request;
        request.budget_ms = 300;
        problem.device_memory_bytes = {8e9, 8e9, 8e9, 8e9};
        const Plan roomy = run_planner(find_planner("local-search"), problem, request, {});
        double least = std::numeric_limits<double>::infinity();
        for (const DeviceMemory& memory : simulate(problem, roomy).memory)
            least = std::min(least, memory.needed_bytes());
        for (const Stage& stage : roomy.stages)
            QCOMPARE(stage.recompute, Recompute::none);
        problem.device_memory_bytes = {8e9, 8e9, 0.8 * least, 0.8 * least};
        const Plan tight = run_planner(find_planner("local-search"), problem, request, {});
        QVERIFY2(tight.feasible, tight.reason.c_str());
        QVERIFY(std::any_of(tight.stages.begin(), tight.stages.end(),
                            [](const Stage& s) { return s.recompute == Recompute::none; }));
        request.recompute = Recompute::full;
        const Plan everywhere = run_planner(find_planner("local-search"), problem, request, {});
        QVERIFY(tight.throughput_samples_per_s > everywhere.throughput_samples_per_s);
    }

    void cancel_returns_the_best_so_far()
    {
        const Problem problem = compile(small_project(4, 4, 12));
        std::stop_source source;
        Control control;
        control.stop = source.get_token();
        source.request_stop();
        PlanRequest request;
        request.budget_ms = 1e9;
        const Plan plan = run_planner(find_planner("local-search"), problem, request, control);
        QVERIFY(!plan.stages.empty());
        // From the search itself as well.
        QVERIFY(!search_groups(problem, group_tracks(problem, control), 1, control).empty());
    }
};

QTEST_APPLESS_MAIN(TestGroupSearch)
#include "test_group_search.moc"
