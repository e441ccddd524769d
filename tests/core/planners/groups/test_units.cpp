// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/error.h"
#include "core/base/random.h"
#include "core/planners/groups/units.h"
#include "core/planners/planner.h"
#include "core/problem/compile.h"
#include "core/problem/pipeline.h"
#include "core/simulator/simulate.h"
#include "../test_project.h"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace nnpiper;

namespace {

/// Units in random order, cut at random, one or two a stage.
Plan random_plan(Random& random, const Problem& problem, const Variant& variant, int replicas)
{
    std::vector<int> order(problem.device_ids.size());
    std::iota(order.begin(), order.end(), 0);
    random.shuffle(std::span(order));
    Plan plan;
    plan.micro_batches = variant.micro_batches;
    int first = 0;
    for (std::size_t next = 0; next + replicas <= order.size() && first < problem.layers(); next += replicas) {
        Stage stage;
        for (int i = 0; i < replicas; ++i)
            stage.devices.push_back(problem.device_ids[static_cast<std::size_t>(order[next + i])]);
        stage.recompute = variant.recompute;
        stage.first_layer = first;
        first = std::min(problem.layers(), first + 1 + random.below(4));
        stage.end_layer = first;
        plan.stages.push_back(stage);
    }
    plan.stages.back().end_layer = problem.layers();
    return plan;
}

void compare(const Plan& a, const Plan& b)
{
    QVERIFY(a.makespan_s > 0);
    QVERIFY2(std::abs(a.makespan_s - b.makespan_s) <= 1e-9 * a.makespan_s,
             qPrintable(QString("%1 against %2").arg(a.makespan_s, 0, 'g', 12).arg(b.makespan_s, 0, 'g', 12)));
    QVERIFY(std::abs(a.iteration_s - b.iteration_s) <= 1e-9 * a.iteration_s);
    QCOMPARE(a.feasible, b.feasible);
}

}  // namespace

class TestUnits : public QObject {
    Q_OBJECT

private slots:
    void predictions_are_those_of_the_devices_data()
    {
        QTest::addColumn<int>("degree");
        QTest::addColumn<int>("replicas");
        QTest::addColumn<int>("zero_stage");
        QTest::newRow("pairs") << 2 << 1 << 0;
        QTest::newRow("fours") << 4 << 1 << 0;
        QTest::newRow("replicas of pairs") << 2 << 2 << 0;
        QTest::newRow("replicas of fours") << 4 << 2 << 0;
        QTest::newRow("distributed optimizer") << 2 << 2 << 1;
    }

    void predictions_are_those_of_the_devices()
    {
        QFETCH(int, degree);
        QFETCH(int, replicas);
        QFETCH(int, zero_stage);
        Project project = small_project(3, 4, 10);
        project.job.zero_stage = zero_stage;
        Problem problem = compile(project);
        problem.routes = {};  // every pair of devices has a way of its own
        const UnitProblem units = unit_problem(problem, degree);
        Random random(7);
        for (int round = 0; round < 60; ++round) {
            const auto& variants = units.problem.variants;
            const Variant& variant =
                variants[static_cast<std::size_t>(random.below(static_cast<int>(variants.size())))];
            if (variant.micro_batch_samples < replicas)
                continue;
            Plan reduced = random_plan(random, units.problem, variant, replicas);
            Plan real = on_devices(units, reduced);
            predict_fast(units.problem, reduced);
            predict_fast(problem, real);
            QVERIFY2(validate(problem, real).empty(), real.reason.c_str());
            compare(reduced, real);
        }
    }

    /// One link between the nodes carries what all members send: only the detailed engine and the units know.
    void members_share_a_link()
    {
        const Problem problem = compile(small_project(2, 4, 10));
        const UnitProblem units = unit_problem(problem, 4);
        QCOMPARE(units.members.size(), std::size_t{2});
        QCOMPARE(units.problem.bandwidth_bytes_per_s(0, 1), 5e9);
        for (const Variant& variant : units.problem.variants) {
            Plan reduced;
            reduced.micro_batches = variant.micro_batches;
            reduced.stages = {{{units.problem.device_ids[0]}, 0, 5, 1, {}, variant.recompute},
                              {{units.problem.device_ids[1]}, 5, problem.layers(), 1, {}, variant.recompute}};
            Plan real = on_devices(units, reduced);
            predict_fast(units.problem, reduced);
            predict(problem, real);
            compare(reduced, real);
        }
    }

    void groups_keep_nodes_types_and_links()
    {
        Project project = small_project(2, 4, 6);
        // Bridges join 0 with 2 and 1 with 3 of the first node.
        Problem problem = compile(project);
        for (const auto& [a, b] : {std::pair{0, 2}, std::pair{1, 3}})
            problem.bandwidth_bytes_per_s(a, b) = problem.bandwidth_bytes_per_s(b, a) = 300e9;
        QCOMPARE(tensor_units(problem, 2), (std::vector<std::vector<int>>{{0, 2}, {1, 3}, {4, 5}, {6, 7}}));
        problem.locks = {{{"node0/0"}, {}, {}, {}, true}, {{"node1/1", "node1/3"}, 0, {}, {}, false}};
        QCOMPARE(tensor_units(problem, 2), (std::vector<std::vector<int>>{{1, 3}, {4, 6}, {5, 7}}));
        const UnitProblem units = unit_problem(problem, 2);
        QCOMPARE(units.problem.locks.size(), std::size_t{1});
        QCOMPARE(units.problem.locks[0].devices, std::vector<std::string>{"node1/1"});
        // No node holds eight, and the types differ.
        QVERIFY(tensor_units(problem, 8).empty());
        QVERIFY_EXCEPTION_THROWN(unit_problem(problem, 8), Error);
    }

    void a_locked_device_must_find_a_group()
    {
        Problem problem = compile(small_project(1, 3, 6));
        problem.locks = {{{"node0/0"}, 0, {}, {}, false}, {{"node0/1"}, 1, {}, {}, false}};
        QCOMPARE(tensor_units(problem, 2).size(), std::size_t{1});
        QVERIFY_EXCEPTION_THROWN(unit_problem(problem, 2), Error);
    }

    void planners_of_single_devices_plan_groups_data()
    {
        QTest::addColumn<QString>("planner");
        for (const char* name :
             {"uniform", "greedy-speed", "pipedream", "local-search", "exact", "subset-dp", "nn-piper-no-network"})
            QTest::newRow(name) << QString(name);
    }

    void planners_of_single_devices_plan_groups()
    {
        QFETCH(QString, planner);
        const PlannerEntry& entry = find_planner(planner.toStdString());
        PlanRequest request;
        request.budget_ms = 60;
        Project project = small_project(2, 4, 6);
        project.job.tensor_parallel = 2;
        const Problem fixed = compile(project);
        const Plan plan = run_planner(entry, fixed, request, {});
        QVERIFY2(plan.feasible, plan.reason.c_str());
        QVERIFY(validate(fixed, plan).empty());
        for (const Stage& stage : plan.stages)
            QCOMPARE(stage.tensor_parallel, 2);

        // Free: never worse than the best fixed degree where the planner ends by itself.
        if (planner != "uniform" && planner != "greedy-speed" && planner != "pipedream")
            return;
        project.job.tensor_parallel.reset();
        const Problem open = compile(project);
        double best = std::numeric_limits<double>::infinity();
        for (const int degree : {1, 2, 4}) {
            project.job.tensor_parallel = degree;
            const Problem problem = compile(project);
            best = std::min(best, objective_value(problem, run_planner(entry, problem, request, {})));
        }
        const Plan chosen = run_planner(entry, open, request, {});
        const double value = objective_value(open, chosen);
        QVERIFY2(value <= best * (1 + 1e-9), qPrintable(QString("%1 against %2").arg(value).arg(best)));
    }

    void a_degree_without_groups_is_told()
    {
        Project project = small_project(2, 4, 6);
        project.job.tensor_parallel = 8;
        const Plan plan = run_planner(find_planner("uniform"), compile(project), {}, {});
        QCOMPARE(plan.status, std::string("skipped"));
        QVERIFY2(plan.reason.find("no 8 devices of one type") != std::string::npos, plan.reason.c_str());
    }
};

QTEST_APPLESS_MAIN(TestUnits)
#include "test_units.moc"
