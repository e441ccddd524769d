// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/error.h"
#include "core/formats/files.h"
#include "core/planners/planner.h"
#include "core/planners/reschedule.h"
#include "core/problem/compile.h"
#include "core/schedule/schedule.h"
#include "core/simulator/simulate.h"
#include "core/study/explain.h"
#include "core/study/limits.h"
#include "test_project.h"

#include <QtTest>

#include <algorithm>

using namespace nnpiper;

class TestReschedule : public QObject {
    Q_OBJECT

private slots:
    /// A planner that searches under 1F1B answers under every schedule that trains: with a plan that runs, or with a
    /// reason.
    void every_schedule_is_planned_data()
    {
        QTest::addColumn<int>("kind");
        for (const ScheduleEntry& entry : schedule_catalog())
            QTest::newRow(entry.name.c_str()) << static_cast<int>(entry.kind);
    }
    void every_schedule_is_planned()
    {
        QFETCH(int, kind);
        const auto schedule = static_cast<ScheduleKind>(kind);
        Problem problem = load_problem(TEST_DATA "/problems/L032-D08-S06-0.problem.json");
        problem.best_known.reset();
        problem.stages = 4;
        for (auto& memory : problem.device_memory_bytes)
            memory *= 100;
        problem = with_request(problem, {});
        for (Variant& variant : problem.variants)
            variant.micro_batches = 16;
        PlanRequest request;
        request.schedule = schedule;
        request.budget_ms = 200;
        for (const char* name : {"greedy-speed", "local-search"}) {
            const Plan plan = run_planner(find_planner(name), problem, request, {});
            if (is_inference(schedule) || schedule == ScheduleKind::custom) {
                QCOMPARE(plan.status, std::string("skipped"));
                QVERIFY(!plan.reason.empty());
                continue;
            }
            QVERIFY2(plan.feasible, plan.reason.c_str());
            QVERIFY(plan.schedule == schedule);
            QCOMPARE(static_cast<int>(plan.stages.size()), 4 * default_chunks(schedule));
            const Timeline timeline = simulate(problem, plan);
            QVERIFY(std::abs(timeline.makespan_s - plan.makespan_s) <= 1e-9 * plan.makespan_s);
            QVERIFY(std::abs(timeline.iteration_s - plan.iteration_s) <= 1e-9 * plan.iteration_s);
            QVERIFY(!explain(problem, {plan}, 0, timeline).empty());
            const PlanLimits limits = limits_of(problem, plan, timeline);
            QVERIFY(limits.busy_s > 0 && !limits.links.empty());
            // What is written is read back as the same plan.
            const Plan read = read_plan(write_plan(plan), "plan.json", &problem);
            QVERIFY(read.stages == plan.stages);
            QCOMPARE(read.chunks_per_device, plan.chunks_per_device);
            QCOMPARE(read.launch_counts, plan.launch_counts);
        }
    }

    /// Searched under 1F1B, a plan may suit another schedule less than a plain one: then that is the answer.
    void searches_do_not_fall_behind_plain_answers()
    {
        for (int i = 0; i < 6; ++i) {
            Problem problem = load_problem(TEST_DATA "/problems/L016-D04-S04-" + std::to_string(i) + ".problem.json");
            problem.best_known.reset();
            for (double& memory : problem.device_memory_bytes)
                memory *= 10;
            for (Variant& variant : problem.variants)
                variant.micro_batches = 8;
            for (const ScheduleKind kind : {ScheduleKind::interleaved, ScheduleKind::zb_h1, ScheduleKind::zb_v, ScheduleKind::dualpipe,
                                            ScheduleKind::hanayo, ScheduleKind::pipedream_2bw}) {
                PlanRequest request;
                request.schedule = kind;
                request.budget_ms = 20000;  // ends by itself long before
                const Plan searched = run_planner(find_planner("local-search"), problem, request, {});
                QVERIFY2(searched.feasible, searched.reason.c_str());
                for (const char* plain : {"greedy-speed", "uniform"}) {
                    const Plan other = run_planner(find_planner(plain), problem, request, {});
                    QVERIFY2(searched.makespan_s <= other.makespan_s * (1 + 1e-9), std::string(name_of(kind)).c_str());
                }
            }
        }
    }

    /// A free choice of schedule is never worse than any single one, and tells which it took.
    void any_schedule_is_the_best_of_them()
    {
        for (int i = 0; i < 3; ++i) {
            Problem problem = load_problem(TEST_DATA "/problems/L016-D04-S04-" + std::to_string(i) + ".problem.json");
            problem.best_known.reset();
            problem.schedule.reset();
            for (Variant& variant : problem.variants)
                variant.micro_batches = 8;
            PlanRequest request;
            request.budget_ms = 20000;  // greedy-speed ends by itself long before
            request.any_schedule = true;
            const Plan any = run_planner(find_planner("greedy-speed"), problem, request, {});
            QVERIFY(!any.proved_gap);
            for (const ScheduleEntry& entry : schedule_catalog()) {
                if (is_inference(entry.kind) || entry.kind == ScheduleKind::custom || entry.kind == ScheduleKind::pipedream_2bw)
                    continue;
                PlanRequest fixed;
                fixed.schedule = entry.kind;
                fixed.budget_ms = 20000;
                const Plan one = run_planner(find_planner("greedy-speed"), problem, fixed, {});
                if (one.feasible && entry.kind != ScheduleKind::gpipe)
                    QVERIFY2(any.feasible && any.makespan_s <= one.makespan_s * (1 + 1e-9), entry.name.c_str());
            }
        }
    }

    void a_shape_that_does_not_exist_is_told()
    {
        Problem problem = load_problem(TEST_DATA "/problems/L016-D04-S04-0.problem.json");
        problem.best_known.reset();
        problem.stages = 3;
        PlanRequest request;
        request.schedule = ScheduleKind::chimera;
        const Plan plan = run_planner(find_planner("greedy-speed"), problem, request, {});
        QCOMPARE(plan.status, std::string("skipped"));
        QVERIFY2(QString::fromStdString(plan.reason).contains("an even number"), plan.reason.c_str());
    }

    /// A custom order in a plan file runs, and its deadlock is told.
    void a_custom_order_runs()
    {
        Problem problem = load_problem(TEST_DATA "/problems/L016-D04-S04-0.problem.json");
        problem.best_known.reset();
        for (Variant& variant : problem.variants)
            variant.micro_batches = 4;
        PlanRequest request;
        request.stages = 2;
        Plan plan = run_planner(find_planner("greedy-speed"), problem, request, {});
        const double flushed = plan.makespan_s;
        plan.order = op_order(ScheduleKind::one_f_one_b, 2, 4);
        plan.schedule = ScheduleKind::custom;
        predict(problem, plan);
        QVERIFY(std::abs(plan.makespan_s - flushed) <= 1e-12);
        const Plan read = read_plan(write_plan(plan), "plan.json", &problem);
        QVERIFY(read.order == plan.order);
        std::swap(plan.order[0][0], plan.order[0][2]);
        predict(problem, plan);
        QVERIFY(!plan.feasible);
        QVERIFY2(QString::fromStdString(plan.reason).contains("deadlock"), plan.reason.c_str());
    }

    /// Memory that 1F1B just fits into is too little for a schedule that keeps more, unless some stages compute twice.
    void recompute_makes_room()
    {
        Project project = small_project(1, 4, 14);
        project.job.tensor_parallel = 1;
        project.job.micro_batch = 8;
        Problem problem = compile(project);
        Plan plan;
        plan.micro_batches = 8;
        for (int s = 0; s < 4; ++s)
            plan.stages.push_back({{problem.device_ids[static_cast<std::size_t>(s)]}, 4 * s, 4 * s + 4, 1, {}, Recompute::none});
        for (const DeviceMemory& memory : simulate(problem, plan).memory)
            problem.device_memory_bytes[static_cast<std::size_t>(problem.device_index(memory.device))] = 1.01 * memory.needed_bytes();
        predict(problem, plan);
        QVERIFY(plan.feasible);
        Plan room = rescheduled(problem, plan, ScheduleKind::zb_h2, {});
        predict(problem, room);
        QVERIFY2(room.feasible, room.reason.c_str());
        QVERIFY(std::any_of(room.stages.begin(), room.stages.end(), [](const Stage& s) { return s.recompute != Recompute::none; }));
        problem.recompute_free = false;
        Plan fixed = rescheduled(problem, plan, ScheduleKind::zb_h2, {});
        predict(problem, fixed);
        QVERIFY(!fixed.feasible);
    }
};

QTEST_APPLESS_MAIN(TestReschedule)
#include "test_reschedule.moc"
