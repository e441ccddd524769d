// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/error.h"
#include "core/planners/planner.h"
#include "core/simulator/simulate.h"
#include "random_problem.h"

#include <QtTest>

#include <chrono>
#include <set>

using namespace nnpiper;

namespace {

PlanRequest quick()
{
    PlanRequest request;
    request.budget_ms = 20;
    return request;
}

/// As a project compiles: several sizes of micro-batch and replicas allowed.
Problem open_problem(Random& random, int layers, int devices)
{
    Problem p = random_problem(random, layers, devices, 8);
    p.raw = false;
    p.samples_known = true;
    p.gradient_bytes.assign(static_cast<std::size_t>(layers), 0.3);
    p.variants[0].micro_batch_samples = 2;
    Variant twice = p.variants[0];
    twice.micro_batch_samples = 4;
    twice.micro_batches = 4;
    for (auto* matrix : {&twice.forward_s, &twice.backward_input_s, &twice.backward_weight_s}) {
        for (int l = 0; l < layers; ++l) {
            for (int d = 0; d < devices; ++d)
                (*matrix)(l, d) *= 1.8;
        }
    }
    for (auto& bytes : twice.stored_bytes)
        bytes *= 2;
    p.variants.push_back(twice);
    p.micro_batch_free = true;
    return p;
}

}  // namespace

class TestRegistry : public QObject {
    Q_OBJECT

private slots:
    /// The degree of the variants that come first is what a wish without a degree means.
    void wishes_keep_the_usual_degree()
    {
        Random random(5);
        Problem p = open_problem(random, 6, 3);
        Variant group = p.variants[0];
        group.tensor_parallel = 2;
        p.variants.push_back(group);
        p.tensor_parallel_free = true;
        PlanRequest request = quick();
        request.recompute = Recompute::none;
        const Problem wanted = with_request(p, request);
        QCOMPARE(wanted.variants[static_cast<std::size_t>(wanted.default_variant)].tensor_parallel, 1);
    }

    void names_are_unique_and_found()
    {
        std::set<std::string> names;
        for (const PlannerEntry& entry : planner_registry()) {
            QVERIFY(names.insert(entry.name).second);
            QVERIFY(!entry.title.empty() && !entry.description.empty() && !entry.source.empty());
            QCOMPARE(find_planner(entry.name).name, entry.name);
        }
        try {
            find_planner("oracle");
            QFAIL("an unknown planner was found");
        } catch (const Error& error) {
            QVERIFY(std::string(error.what()).find("\"oracle\" is not known; allowed: nn-piper") != std::string::npos);
        }
    }

    void every_answer_is_valid_or_explained_data()
    {
        QTest::addColumn<QString>("planner");
        for (const PlannerEntry& entry : planner_registry())
            QTest::newRow(entry.name.c_str()) << QString::fromStdString(entry.name);
    }

    void every_answer_is_valid_or_explained()
    {
        QFETCH(QString, planner);
        const PlannerEntry& entry = find_planner(planner.toStdString());
        Random random(2);
        for (int round = 0; round < 12; ++round) {
            const int devices = 1 + random.below(6);
            const int layers = devices + random.below(8);
            Problem problem = round % 2 == 0 ? random_problem(random, layers, devices, 6) : open_problem(random, layers, devices);
            if (round % 3 == 0)
                problem.stages = 1 + random.below(devices);
            if (round % 4 == 1)
                problem.objective = Objective::cost;
            if (round % 4 == 3)
                problem.objective = Objective::latency;
            if (devices > 2 && round % 5 == 4)
                problem.locks = {{{problem.device_ids[1]}, {}, {}, {}, true}};
            if (problem.stages && !problem.locks.empty())
                problem.stages = 1;
            const Plan plan = run_planner(entry, problem, quick(), {});
            QCOMPARE(plan.planner, entry.name);
            if (plan.feasible) {
                const auto faults = validate(problem, plan);
                QVERIFY2(faults.empty(), faults.empty() ? "" : faults.front().c_str());
                const Timeline timeline = simulate(problem, plan);
                QVERIFY(timeline.fits);
                QVERIFY(std::abs(timeline.makespan_s - plan.makespan_s) <= 1e-9 * plan.makespan_s);
                if (problem.stages)
                    QCOMPARE(static_cast<int>(plan.stages.size()), *problem.stages);
            } else {
                QVERIFY(plan.status == "skipped" || plan.status == "infeasible");
                QVERIFY(!plan.reason.empty());
            }
        }
    }

    void uniform_and_greedy_by_hand()
    {
        Random random(1);
        Problem problem = random_problem(random, 7, 3, 4);
        for (auto& memory : problem.device_memory_bytes)
            memory = 1e9;
        const Plan uniform = run_planner(find_planner("uniform"), problem, quick(), {});
        QCOMPARE(uniform.schedule, ScheduleKind::gpipe);
        QCOMPARE(uniform.stages.size(), std::size_t{3});
        QCOMPARE(uniform.stages[0].end_layer, 3);
        QCOMPARE(uniform.stages[1].end_layer, 5);
        QCOMPARE(uniform.stages[2].devices, std::vector<std::string>{"gpu2"});

        problem = random_problem(random, 8, 3, 4);
        auto& v = problem.variants[0];
        for (int l = 0; l < 8; ++l) {
            for (int d = 0; d < 3; ++d)
                v.forward_s(l, d) = v.backward_input_s(l, d) = v.backward_weight_s(l, d) = d == 0 ? 0.2 : 0.4;
        }
        const Plan greedy = run_planner(find_planner("greedy-speed"), problem, quick(), {});
        QCOMPARE(greedy.stages[0].end_layer, 4);  // twice as fast as each of the others
        QCOMPARE(greedy.stages[1].end_layer, 6);
    }

    void pipedream_replicates_where_it_pays()
    {
        // One huge layer in the middle of three on four equal devices with fast links: the paper replicates it.
        Random random(1);
        Problem problem = open_problem(random, 3, 4);
        make_equal(problem);
        problem.variants.resize(1);
        problem.variants[0].micro_batch_samples = 4;
        problem.micro_batch_free = false;
        auto& v = problem.variants[0];
        for (int l = 0; l < 3; ++l) {
            for (int d = 0; d < 4; ++d)
                v.forward_s(l, d) = v.backward_input_s(l, d) = v.backward_weight_s(l, d) = l == 1 ? 2 : 1;
        }
        for (int a = 0; a < 4; ++a) {
            problem.device_memory_bytes[static_cast<std::size_t>(a)] = 1e9;
            for (int b = 0; b < 4; ++b)
                problem.bandwidth_bytes_per_s(a, b) = a == b ? 0 : 1e6;
        }
        const Plan plan = run_planner(find_planner("pipedream"), problem, quick(), {});
        // 12 s of work on four devices: 3 s each when fully shared; replicas are the only way there.
        bool replicated = false;
        for (const Stage& stage : plan.stages)
            replicated = replicated || stage.devices.size() > 1;
        QVERIFY(replicated);
        // Raw problems know no samples: single devices only.
        problem.samples_known = false;
        problem.raw = true;
        for (const Stage& stage : run_planner(find_planner("pipedream"), problem, quick(), {}).stages)
            QCOMPARE(stage.devices.size(), std::size_t{1});
    }

    void subset_dp_is_optimal_for_its_closed_form()
    {
        // With M = 1 and no memory limit the closed form is the simulated makespan, so exact must agree.
        Random random(61);
        for (int round = 0; round < 10; ++round) {
            Problem problem = random_problem(random, 8, 4, 1);
            for (auto& memory : problem.device_memory_bytes)
                memory = 1e9;
            problem.stages = 1 + random.below(4);
            PlanRequest request;
            request.budget_ms = 10000;
            const Plan dp = run_planner(find_planner("subset-dp"), problem, request, {});
            const Plan exact = run_planner(find_planner("exact"), problem, request, {});
            QVERIFY(std::abs(dp.makespan_s - exact.makespan_s) <= 1e-9 * exact.makespan_s);
        }
    }

    void wishes_that_cannot_be_met_are_errors()
    {
        Random random(1);
        const Problem problem = open_problem(random, 5, 3);
        const auto message = [&](const PlanRequest& request) {
            try {
                run_planner(find_planner("uniform"), problem, request, {});
            } catch (const Error& error) {
                return std::string(error.what());
            }
            return std::string();
        };
        PlanRequest request;
        request.stages = 4;
        QCOMPARE(message(request), std::string("stages: it is 4; allowed: 1 to 3 (devices and layers)"));
        request = {};
        request.recompute = Recompute::full;
        QVERIFY(message(request).find("no costs for recompute full") != std::string::npos);
        request = {};
        request.micro_batches = 5;
        QVERIFY(message(request).find("4, 8") != std::string::npos);
        Problem unpriced = problem;
        unpriced.device_price_per_h[1] = std::numeric_limits<double>::quiet_NaN();
        request = {};
        request.objective = Objective::cost;
        QVERIFY_EXCEPTION_THROWN(run_planner(find_planner("uniform"), unpriced, request, {}), Error);
    }

    void the_same_seed_gives_the_same_plan()
    {
        Random random(9);
        Problem problem = random_problem(random, 8, 3, 5);
        problem.stages = 3;
        PlanRequest request;
        request.budget_ms = 60000;  // small: ends by its own count, not by the clock
        const Plan a = run_planner(find_planner("local-search"), problem, request, {});
        const Plan b = run_planner(find_planner("local-search"), problem, request, {});
        QCOMPARE(a.stages, b.stages);
    }

    void cancel_returns_the_best_so_far()
    {
        Random random(4);
        const Problem problem = random_problem(random, 40, 12, 24);
        for (const char* name : {"local-search", "exact", "subset-dp", "nn-piper-no-network"}) {
            std::stop_source source;
            Control control;
            control.stop = source.get_token();
            source.request_stop();
            PlanRequest request;
            request.budget_ms = 1e9;
            const Plan plan = run_planner(find_planner(name), problem, request, control);
            QVERIFY2(!plan.stages.empty() || plan.status == "skipped", name);
        }
    }
};

QTEST_APPLESS_MAIN(TestRegistry)
#include "test_registry.moc"
