// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planners/planner.h"
#include "core/simulator/simulate.h"
#include "random_problem.h"

#include <QtTest>

#include <algorithm>
#include <limits>
#include <functional>
#include <numeric>

using namespace nnpiper;

namespace {

/// Every order and cut with S single-device stages, by the detailed engine alone.
double brute_force(const Problem& problem, int stages)
{
    double best = std::numeric_limits<double>::infinity();
    std::vector<int> devices(problem.device_ids.size());
    std::iota(devices.begin(), devices.end(), 0);
    std::vector<int> cuts;
    const auto try_orders = [&] {
        std::vector<int> order = devices;
        do {
            Plan plan;
            plan.micro_batches = problem.variants[0].micro_batches;
            for (int s = 0; s < stages; ++s) {
                Stage stage;
                stage.devices = {problem.device_ids[static_cast<std::size_t>(order[static_cast<std::size_t>(s)])]};
                stage.first_layer = s == 0 ? 0 : cuts[static_cast<std::size_t>(s - 1)];
                stage.end_layer = s + 1 == stages ? problem.layers() : cuts[static_cast<std::size_t>(s)];
                plan.stages.push_back(stage);
            }
            if (validate(problem, plan).empty()) {
                const Timeline timeline = simulate(problem, plan);
                if (timeline.fits)
                    best = std::min(best, timeline.makespan_s);
            }
            std::reverse(order.begin() + stages, order.end());  // skip permutations of the idle rest
        } while (std::next_permutation(order.begin(), order.end()));
    };
    const std::function<void(int)> choose = [&](int from) {
        if (static_cast<int>(cuts.size()) == stages - 1) {
            try_orders();
            return;
        }
        for (int cut = from; cut < problem.layers(); ++cut) {
            cuts.push_back(cut);
            choose(cut + 1);
            cuts.pop_back();
        }
    };
    choose(1);
    return best;
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
        for (int seed = 0; seed < 3; ++seed) {
            for (const bool equal : {false, true}) {
                const QByteArray tag = QByteArray::number(seed) + (equal ? " equal" : " mixed");
                QTest::newRow("6 layers, 3 of 3 devices, seed " + tag) << 6 << 3 << 3 << equal;
                QTest::newRow("6 layers, 2 of 4 devices, seed " + tag) << 6 << 4 << 2 << equal;
                QTest::newRow("7 layers, 4 of 4 devices, seed " + tag) << 7 << 4 << 4 << equal;
                QTest::newRow("5 layers, 1 of 3 devices, seed " + tag) << 5 << 3 << 1 << equal;
            }
        }
    }

    void equals_brute_force()
    {
        QFETCH(int, layers);
        QFETCH(int, devices);
        QFETCH(int, stages);
        QFETCH(bool, equal_devices);
        Random random(qHash(QByteArray(QTest::currentDataTag())));
        Problem problem = random_problem(random, layers, devices, 2 + random.below(6));
        if (equal_devices)
            make_equal(problem);
        problem.stages = stages;
        PlanRequest request;
        request.budget_ms = 60000;
        const Plan plan = run_planner(find_planner("exact"), problem, request, {});
        const double expected = brute_force(problem, stages);
        if (std::isinf(expected)) {
            QVERIFY(!plan.feasible);
            return;
        }
        QVERIFY2(plan.feasible, plan.reason.c_str());
        QCOMPARE(plan.status, std::string("ok"));
        QVERIFY(std::abs(plan.makespan_s - expected) <= 1e-9 * expected);
        QVERIFY(plan.bound_s.has_value());
        QVERIFY(std::abs(*plan.bound_s - expected) <= 1e-9 * expected);
    }

    void a_bound_cut_short_is_still_sound()
    {
        Random random(99);
        for (int round = 0; round < 10; ++round) {
            Problem problem = random_problem(random, 12, 6, 8);
            problem.stages = 5;
            PlanRequest request;
            request.budget_ms = 3;
            const Plan hasty = run_planner(find_planner("exact"), problem, request, {});
            request.budget_ms = 60000;
            const Plan patient = run_planner(find_planner("exact"), problem, request, {});
            if (hasty.bound_s && patient.feasible)
                QVERIFY(*hasty.bound_s <= patient.makespan_s * (1 + 1e-9));
        }
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
