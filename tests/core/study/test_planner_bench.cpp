// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/error.h"
#include "core/study/planner_bench.h"

#include <QTest>

#include <cmath>

using namespace nnpiper;

class TestPlannerBench : public QObject {
    Q_OBJECT
private slots:
    void means_of_a_group()
    {
        std::vector<BenchTrial> trials;
        const auto add = [&](const char* problem, const char* planner, const char* status, double value, double ms) {
            BenchTrial trial;
            trial.group = "g";
            trial.problem = problem;
            trial.planner = planner;
            trial.status = status;
            trial.feasible = value > 0;
            trial.value = value;
            trial.best_value = 2;
            trial.planning_ms = ms;
            trials.push_back(trial);
        };
        add("p", "a", "ok", 2.0, 10), add("p", "b", "ok", 2.2, 1);
        add("q", "a", "ok", 2.1, 30), add("q", "b", "infeasible", 0, 3);
        add("r", "a", "ok", 2.0, 20), add("r", "b", "skipped", 0, 99);
        trials[0].peak_bytes = 5e6, trials[2].peak_bytes = 7e6, trials[2].cancel_ms = 3;
        const auto means = bench_means(trials);
        QCOMPARE(means.size(), 2U);
        QCOMPARE(means[0].problems, 3);
        QVERIFY(std::abs(means[0].mean_gap - 0.05 / 3) < 1e-12);
        QCOMPARE(means[0].median_gap, 0.0);
        QVERIFY(std::abs(means[0].largest_gap - 0.05) < 1e-12);
        QVERIFY(std::abs(means[0].planning_ms - 20) < 1e-12);
        QCOMPARE(means[0].time_ratio, 1.0);
        QCOMPARE(*means[0].peak_bytes, 7e6);
        QCOMPARE(*means[0].cancel_ms, 3.0);
        QCOMPARE(means[1].infeasible, 1);
        QCOMPARE(means[1].skipped, 1);
        QVERIFY(std::abs(means[1].mean_gap - 0.1) < 1e-12);
        QVERIFY(std::abs(means[1].time_ratio - 0.1) < 1e-12);  // skipped trials take no time
        QVERIFY(!means[1].peak_bytes && !means[1].cancel_ms);
    }

    void sizes_of_generated_problems()
    {
        const auto problems = generated_bench_problems(2, 16, 5);
        QCOMPARE(problems.size(), 10U);
        QCOMPARE(problems.front().problem.devices(), 2);
        QCOMPARE(problems.back().problem.devices(), 16);
        QCOMPARE(problems.back().group, std::string("L64 D16 S16"));
        QVERIFY(generated_bench_problems(1, 1, 5).empty());
        // The same problem whatever the largest size is.
        QCOMPARE(generated_bench_problems(2, 4, 5)[3].problem.name, problems[3].problem.name);
    }

    void gaps_are_to_the_best_of_the_run()
    {
        BenchQuestion question;
        question.planners = {"greedy-speed", "local-search", "data-parallel"};
        question.request.budget_ms = 10;
        question.reference_ms = 20;
        question.cancel_after_ms = 1;
        int calls = 0;
        const auto trials =
            bench_planners(generated_bench_problems(1, 8, 2), question, {},
                           [&](const std::vector<BenchTrial>& own) { calls += static_cast<int>(own.size()); });
        QCOMPARE(trials.size(), 9U);
        QCOMPARE(calls, 9);
        for (const BenchTrial& trial : trials) {
            QVERIFY(!trial.feasible || trial.gap() >= -1e-12);
            // Raw problems have no replicas.
            QCOMPARE(trial.status == "skipped", trial.planner == "data-parallel" && !trial.reason.empty());
        }
        question.planners = {"nobody"};
        QVERIFY_EXCEPTION_THROWN(bench_planners(generated_bench_problems(1, 2, 2), question, {}), Error);
    }

    void stops_when_told()
    {
        std::stop_source stop;
        stop.request_stop();
        BenchQuestion question;
        question.planners = {"uniform"};
        QVERIFY(bench_planners(generated_bench_problems(1, 8, 2), question, {stop.get_token(), Deadline::never(), {}})
                    .empty());
    }
};

QTEST_APPLESS_MAIN(TestPlannerBench)
#include "test_planner_bench.moc"
