// SPDX-License-Identifier: GPL-3.0-or-later
#include "brute_force.h"
#include "random_problem.h"

#include <QtTest>

using namespace nnpiper;

namespace {

PlanRequest patient()
{
    PlanRequest request;
    request.budget_ms = 60000;
    return request;
}

}  // namespace

class TestExact : public QObject {
    Q_OBJECT

private slots:
    void equals_brute_force_data()
    {
        QTest::addColumn<int>("layers");
        QTest::addColumn<int>("devices");
        QTest::addColumn<int>("stages");
        QTest::addColumn<bool>("equal_devices");
        QTest::addColumn<bool>("gpipe");
        for (const bool gpipe : {false, true}) {
            for (const bool equal : {false, true}) {
                const QByteArray tag = QByteArray(equal ? " equal" : " mixed") + (gpipe ? ", GPipe" : "");
                QTest::newRow("6 layers, 3 of 3 devices, " + tag) << 6 << 3 << 3 << equal << gpipe;
                QTest::newRow("9 layers, 2 of 4 devices, " + tag) << 9 << 4 << 2 << equal << gpipe;
                QTest::newRow("8 layers, 4 of 4 devices, " + tag) << 8 << 4 << 4 << equal << gpipe;
                QTest::newRow("5 layers, 1 of 3 devices, " + tag) << 5 << 3 << 1 << equal << gpipe;
                QTest::newRow("7 layers, 3 of 5 devices, " + tag) << 7 << 5 << 3 << equal << gpipe;
                QTest::newRow("9 layers, 5 of 5 devices, " + tag) << 9 << 5 << 5 << equal << gpipe;
            }
        }
    }

    void equals_brute_force()
    {
        QFETCH(int, layers);
        QFETCH(int, devices);
        QFETCH(int, stages);
        QFETCH(bool, equal_devices);
        QFETCH(bool, gpipe);
        Random random(qHash(QByteArray(QTest::currentDataTag())));
        for (int round = 0; round < 25; ++round) {
            Problem problem = random_problem(random, layers, devices, 1 + random.below(10));
            if (equal_devices)
                make_equal(problem);
            if (round % 3 == 0) {
                for (auto& memory : problem.device_memory_bytes)
                    memory *= 2;
            }
            if (round % 5 == 4)
                problem.bandwidth_bytes_per_s(0, devices - 1) = 0;
            // Forward and backward in other proportions from layer to layer, as embeddings and heads have.
            for (int l = 0; l < layers && round % 2 == 1; ++l) {
                const double factor = random.log_uniform(0.2, 5);
                for (int d = 0; d < devices; ++d)
                    problem.variants[0].forward_s(l, d) *= factor;
            }
            problem.stages = stages;
            problem.schedule = gpipe ? ScheduleKind::gpipe : ScheduleKind::one_f_one_b;
            const Plan plan = run_planner(find_planner("exact"), problem, patient(), {});
            const Plan expected = best_chain(problem, stages, *problem.schedule);
            if (expected.stages.empty()) {
                QCOMPARE(plan.status, std::string("infeasible"));
                continue;
            }
            QVERIFY2(plan.feasible, plan.reason.c_str());
            QCOMPARE(plan.status, std::string("ok"));
            QVERIFY(std::abs(plan.makespan_s - expected.makespan_s) <= 1e-9 * expected.makespan_s);
            QVERIFY(std::abs(plan.bound_s.value() - expected.makespan_s) <= 1e-9 * expected.makespan_s);
            QVERIFY(plan.proved_gap.value() <= 1e-9);
            // The simulator that draws timelines agrees.
            const Timeline timeline = simulate(problem, plan);
            QVERIFY(timeline.fits);
            QVERIFY(std::abs(timeline.makespan_s - expected.makespan_s) <= 1e-9 * expected.makespan_s);
        }
    }

    /// Open numbers of stages, every objective, locks: the best of all plans that the simulator prices.
    void equals_brute_force_of_the_objective()
    {
        Random random(12);
        int feasible = 0;
        for (int round = 0; round < 60; ++round) {
            Problem problem = random_problem(random, 5, 3, 1 + random.below(6));
            problem.schedule = ScheduleKind::one_f_one_b;
            problem.objective = static_cast<Objective>(round % 3);
            problem.optimizer_s = Matrix(5, 3, random.uniform(0, 2));
            problem.fixed_step_s = random.uniform(0, 3);
            if (round % 4 == 1)
                problem.locks = {{{problem.device_ids[0]}, 1, {}, {}, false}};
            if (round % 4 == 2)
                problem.locks = {{{problem.device_ids[2]}, {}, 0, 2, false}, {{problem.device_ids[1]}, {}, {}, {}, true}};
            if (round % 4 == 3)
                problem.locks = {{{problem.device_ids[1]}, {}, {}, 5, false}};
            const Plan plan = run_planner(find_planner("exact"), problem, patient(), {});
            const double expected = best_single_device_objective(problem, ScheduleKind::one_f_one_b);
            QVERIFY2(!std::isfinite(expected) || std::abs(objective_value(problem, plan) - expected) <= 1e-9 * expected,
                     qPrintable(QStringLiteral("%1, %2 instead of %3").arg(round).arg(objective_value(problem, plan)).arg(expected)));
            QCOMPARE(plan.feasible, std::isfinite(expected));
            feasible += plan.feasible;
        }
        QVERIFY(feasible > 30);
    }

    void a_bound_cut_short_is_still_sound()
    {
        Random random(99);
        int cut = 0;
        for (int round = 0; round < 10; ++round) {
            Problem problem = random_problem(random, 18, 8, 12);
            for (auto& memory : problem.device_memory_bytes)
                memory *= 3;
            problem.stages = 6;
            problem.schedule = ScheduleKind::one_f_one_b;
            PlanRequest request;
            request.budget_ms = 2;
            const Plan hasty = run_planner(find_planner("exact"), problem, request, {});
            cut += hasty.status == "stopped";
            const Plan optimum = run_planner(find_planner("exact"), problem, patient(), {});
            QCOMPARE(optimum.status, std::string("ok"));
            QVERIFY(hasty.bound_s.value() <= optimum.makespan_s * (1 + 1e-9));
            QVERIFY(hasty.makespan_s / (1 + hasty.proved_gap.value()) <= optimum.makespan_s * (1 + 1e-9));
            QVERIFY(hasty.bound_s.value() >= objective_bound(problem)->makespan_s * (1 - 1e-9));
        }
        QVERIFY(cut > 0);
    }

    void no_planner_beats_the_optimum()
    {
        Random random(5);
        for (int round = 0; round < 8; ++round) {
            Problem problem = random_problem(random, 8, 4, 5);
            problem.stages = 3;
            PlanRequest request;
            request.budget_ms = 20000;
            const Plan optimum = run_planner(find_planner("exact"), problem, request, {});
            request.budget_ms = 30;
            for (const char* name : {"local-search", "subset-dp", "pipedream", "greedy-speed", "uniform"}) {
                request.schedule = ScheduleKind::one_f_one_b;
                const Plan plan = run_planner(find_planner(name), problem, request, {});
                if (plan.feasible)
                    QVERIFY2(optimum.feasible && plan.makespan_s >= optimum.makespan_s * (1 - 1e-9), name);
            }
        }
    }
};

QTEST_APPLESS_MAIN(TestExact)
#include "test_exact.moc"
