// SPDX-License-Identifier: GPL-3.0-or-later
// Every planner on locks that no plan keeps and on figures at the ends of what a double holds.
#include "core/planners/lock_contradiction.h"
#include "core/planners/planner.h"
#include "core/problem/pipeline.h"
#include "random_problem.h"

#include <QtTest>

#include <cmath>
#include <limits>

using namespace nnpiper;

namespace {

constexpr int devices = 4;

Problem with_locks(std::vector<Lock> locks, std::optional<int> stages = {}, bool replicas = false)
{
    Random random(5);
    Problem problem = random_problem(random, 6, devices, 4);
    problem.locks = std::move(locks);
    problem.stages = stages;
    if (replicas) {
        problem.gradient_bytes = problem.state_bytes;
        problem.samples_known = true;
        problem.variants[0].micro_batch_samples = 4;
    }
    return problem;
}

PlanRequest briefly()
{
    PlanRequest request;
    request.budget_ms = 10;
    return request;
}

void set_times(Problem& problem, double seconds)
{
    for (Matrix* matrix : {&problem.variants[0].forward_s, &problem.variants[0].backward_input_s,
                           &problem.variants[0].backward_weight_s}) {
        for (int l = 0; l < problem.layers(); ++l) {
            for (int d = 0; d < problem.devices(); ++d)
                (*matrix)(l, d) = seconds;
        }
    }
}

void set_links(Problem& problem, double bytes_per_s, double latency_s)
{
    for (int a = 0; a < problem.devices(); ++a) {
        for (int b = 0; b < problem.devices(); ++b) {
            problem.bandwidth_bytes_per_s(a, b) = a == b ? 0 : bytes_per_s;
            problem.latency_s(a, b) = a == b ? 0 : latency_s;
        }
    }
}

}  // namespace

class TestLocksAndExtremes : public QObject {
    Q_OBJECT

private slots:
    void locks_that_no_plan_keeps_data()
    {
        QTest::addColumn<std::vector<Lock>>("locks");
        QTest::addColumn<int>("stages");
        QTest::addColumn<QString>("sentence");
        const Lock all_idle{{"gpu0", "gpu1", "gpu2", "gpu3"}, {}, {}, {}, true};
        const Lock two_idle{{"gpu1", "gpu3"}, {}, {}, {}, true};
        QTest::newRow("all idle") << std::vector{all_idle} << 0 << "the locks keep every device idle";
        QTest::newRow("all idle, one by one")
            << std::vector<Lock>{{{"gpu0"}, {}, {}, {}, true}, {{"gpu1"}, {}, {}, {}, true}, two_idle,
                                 {{"gpu2"}, {}, {}, {}, true}}
            << 0 << "the locks keep every device idle";
        QTest::newRow("too few for the stages")
            << std::vector{two_idle} << 3 << "the locks keep all but 2 devices idle, and 3 stages are asked for";
        QTest::newRow("idle and in a stage")
            << std::vector<Lock>{two_idle, {{"gpu0", "gpu3"}, 0, {}, {}, false}} << 0
            << "/locks/1 wants device \"gpu3\" otherwise than /locks/0: no plan keeps both";
        QTest::newRow("in two stages")
            << std::vector<Lock>{{{"gpu0"}, 0, {}, {}, false}, {{"gpu0"}, 1, {}, {}, false}} << 2
            << "/locks/1 wants device \"gpu0\" otherwise than /locks/0: no plan keeps both";
        QTest::newRow("with two first layers")
            << std::vector<Lock>{{{"gpu0"}, {}, 2, {}, false}, {{"gpu0"}, {}, 3, 5, false}} << 0
            << "/locks/1 wants device \"gpu0\" otherwise than /locks/0: no plan keeps both";
    }
    void locks_that_no_plan_keeps()
    {
        QFETCH(std::vector<Lock>, locks);
        QFETCH(int, stages);
        QFETCH(QString, sentence);
        for (const bool replicas : {false, true}) {
            const Problem problem = with_locks(locks, stages > 0 ? std::optional(stages) : std::nullopt, replicas);
            QCOMPARE(QString::fromStdString(lock_contradiction(problem)), sentence);
            if (sentence.startsWith("the locks keep"))
                QVERIFY(!(objective_bound(problem)->objective < std::numeric_limits<double>::infinity()));
            for (const PlannerEntry& entry : planner_registry()) {
                if (entry.name == "nn-piper" || entry.name == "nn-piper-raw")
                    continue;  // needs the network first
                const Plan plan = run_planner(entry, problem, briefly(), {});
                QVERIFY2(plan.status == "skipped" && plan.stages.empty(), entry.name.c_str());
                QCOMPARE(QString::fromStdString(plan.reason), sentence);
            }
        }
    }

    /// What the sentence above must not forbid: such plans exist.
    void locks_that_a_plan_keeps()
    {
        const Lock two_idle{{"gpu1", "gpu3"}, {}, {}, {}, true};
        const std::vector<Problem> all{
            with_locks({two_idle}, 2),
            with_locks({{{"gpu0", "gpu1", "gpu3"}, {}, {}, {}, true}}, 1),
            with_locks({two_idle, two_idle, {{"gpu0"}, 0, {}, {}, false}, {{"gpu0"}, {}, {}, 3, false}}, 2),
            with_locks({{{"gpu0"}, {}, {}, {}, false}, {{"gpu0"}, 1, {}, {}, false}}),
        };
        for (Problem problem : all) {
            for (double& memory : problem.device_memory_bytes)
                memory = 1000;
            QCOMPARE(lock_contradiction(problem), std::string());
            const Plan plan = run_planner(find_planner("exact"), problem, briefly(), {});
            QVERIFY2(plan.feasible, plan.reason.c_str());
            QVERIFY(validate(problem, plan).empty());
        }
    }

    void figures_at_the_ends_of_the_scale_data()
    {
        QTest::addColumn<double>("seconds");
        QTest::addColumn<double>("bytes_per_s");
        QTest::addColumn<double>("latency_s");
        QTest::newRow("endless work") << 1e308 << 1.0 << 0.0;
        QTest::newRow("endless messages") << 1.0 << 5e-324 << 0.0;
        QTest::newRow("endless latency") << 1.0 << 1.0 << 1e308;
        QTest::newRow("least work") << 5e-324 << 1e308 << 0.0;
        QTest::newRow("no work") << 0.0 << 1.0 << 0.1;
        QTest::newRow("no routes") << 1.0 << 0.0 << 0.0;
    }
    /// A plan is feasible only with an end, and then has a value to be compared by.
    void figures_at_the_ends_of_the_scale()
    {
        QFETCH(double, seconds);
        QFETCH(double, bytes_per_s);
        QFETCH(double, latency_s);
        for (const bool replicas : {false, true}) {
            Problem problem = with_locks({}, {}, replicas);
            for (double& memory : problem.device_memory_bytes)
                memory = 1000;
            set_times(problem, seconds);
            set_links(problem, bytes_per_s, latency_s);
            for (const PlannerEntry& entry : planner_registry()) {
                if (entry.name == "nn-piper" || entry.name == "nn-piper-raw")
                    continue;
                const Plan plan = run_planner(entry, problem, briefly(), {});
                QVERIFY2(plan.feasible == (plan.status == "ok" || plan.status == "stopped"), entry.name.c_str());
                QVERIFY2(plan.feasible || !plan.reason.empty(), entry.name.c_str());
                QVERIFY2(std::isfinite(objective_value(problem, plan)) == plan.feasible, entry.name.c_str());
                if (plan.feasible) {
                    QVERIFY2(std::isfinite(plan.iteration_s), entry.name.c_str());
                    QVERIFY2(plan.bubble_fraction >= 0 && plan.bubble_fraction <= 1, entry.name.c_str());
                }
            }
        }
    }
};

QTEST_APPLESS_MAIN(TestLocksAndExtremes)
#include "test_locks_and_extremes.moc"
