// SPDX-License-Identifier: GPL-3.0-or-later
// What every planner must keep, whatever it does.
#include "core/base/error.h"
#include "core/formats/files.h"
#include "core/planners/planner.h"
#include "core/problem/compile.h"
#include "core/simulator/simulate.h"
#include "random_problem.h"
#include "test_project.h"

#include <QtTest>

#include <algorithm>
#include <filesystem>
#include <set>

using namespace nnpiper;

namespace {

std::size_t at(int i)
{
    return static_cast<std::size_t>(i);
}

/// Searches use all the time they get, so that two runs differ.
bool searches(const std::string& planner)
{
    return std::set<std::string>{"nn-piper", "nn-piper-raw", "nn-piper-no-network", "local-search", "annealing"}.contains(
        planner);
}

PlanRequest within_ms(double budget_ms)
{
    PlanRequest request;
    request.budget_ms = budget_ms;
    return request;
}

/// Raw matrices and a project of two nodes, whose degrees, sizes and policies are open.
std::vector<Problem> problems()
{
    Random random(31);
    std::vector<Problem> all;
    for (int i = 0; i < 3; ++i) {
        all.push_back(random_problem(random, 9, 4, 3 + 3 * i));
        all.back().schedule = ScheduleKind::one_f_one_b;
        for (auto& memory : all.back().device_memory_bytes)
            memory *= 1 + 0.3 * i;
    }
    all[0].stages = 3;
    all[1].locks = {{{all[1].device_ids[2]}, {}, {}, {}, true}};
    all[2].objective = Objective::latency;
    all.push_back(compile(small_project(2, 2, 5)));
    all.push_back(compile(small_project(2, 2, 5)));
    all.back().objective = Objective::cost;
    return all;
}

void verify_answer(const Problem& problem, const Plan& plan)
{
    if (!plan.feasible) {
        QVERIFY2(plan.status == "skipped" || plan.status == "infeasible", plan.status.c_str());
        QVERIFY(!plan.reason.empty());
        return;
    }
    QVERIFY2(plan.status == "ok" || plan.status == "stopped", plan.status.c_str());
    const auto faults = validate(problem, plan);
    QVERIFY2(faults.empty(), faults.empty() ? "" : faults.front().c_str());
    const Timeline timeline = simulate(problem, plan);
    QVERIFY2(timeline.fits, timeline.shortfall.c_str());
    QVERIFY(std::abs(timeline.makespan_s - plan.makespan_s) <= 1e-9 * plan.makespan_s);
    QVERIFY(std::abs(timeline.iteration_s - plan.iteration_s) <= 1e-9 * plan.iteration_s);
    if (problem.stages)
        QCOMPARE(static_cast<int>(plan.stages.size()), *problem.stages);
    if (problem.schedule)
        QCOMPARE(plan.schedule, *problem.schedule);
    if (plan.bound_s)
        QVERIFY(*plan.bound_s <= plan.makespan_s * (1 + 1e-9));
}

void add_planners(bool closed_only)
{
    QTest::addColumn<QString>("planner");
    for (const PlannerEntry& entry : planner_registry()) {
        if (!closed_only || !searches(entry.name))
            QTest::newRow(entry.name.c_str()) << QString::fromStdString(entry.name);
    }
}

/// Everything that takes time takes `factor` times as long. A power of two leaves every rounding as it is.
Problem slower(Problem p, double factor)
{
    const auto scale = [](Matrix& matrix, double by) {
        for (int r = 0; r < matrix.rows(); ++r) {
            for (int c = 0; c < matrix.columns(); ++c)
                matrix(r, c) *= by;
        }
    };
    for (Variant& v : p.variants) {
        for (Matrix* matrix : {&v.forward_s, &v.backward_input_s, &v.backward_weight_s})
            scale(*matrix, factor);
    }
    scale(p.optimizer_s, factor);
    scale(p.latency_s, factor);
    scale(p.bandwidth_bytes_per_s, 1 / factor);
    for (double& capacity : p.routes.capacity_bytes_per_s)
        capacity /= factor;
    p.fixed_step_s *= factor;
    return p;
}

/// The same problem with its devices in another order.
Problem permuted(const Problem& p, const std::vector<int>& order)
{
    Problem result = p;
    for (int d = 0; d < p.devices(); ++d) {
        const int from = order[at(d)];
        result.device_ids[at(d)] = p.device_ids[at(from)];
        result.device_memory_bytes[at(d)] = p.device_memory_bytes[at(from)];
        result.device_price_per_h[at(d)] = p.device_price_per_h[at(from)];
        for (int l = 0; l < p.layers(); ++l) {
            result.variants[0].forward_s(l, d) = p.variants[0].forward_s(l, from);
            result.variants[0].backward_input_s(l, d) = p.variants[0].backward_input_s(l, from);
            result.variants[0].backward_weight_s(l, d) = p.variants[0].backward_weight_s(l, from);
        }
        for (int other = 0; other < p.devices(); ++other) {
            result.bandwidth_bytes_per_s(d, other) = p.bandwidth_bytes_per_s(from, order[at(other)]);
            result.latency_s(d, other) = p.latency_s(from, order[at(other)]);
        }
    }
    return result;
}

double optimum(const Problem& problem)
{
    const Plan plan = run_planner(find_planner("exact"), problem, within_ms(60000), {});
    return objective_value(problem, plan);
}

}  // namespace

class TestPlannerProperties : public QObject {
    Q_OBJECT

private slots:
    void a_feasible_plan_runs_and_fits_data() { add_planners(false); }
    void a_feasible_plan_runs_and_fits()
    {
        QFETCH(QString, planner);
        for (const Problem& problem : problems())
            verify_answer(problem, run_planner(find_planner(planner.toStdString()), problem, within_ms(15), {}));
    }

    /// The bound and the gap that every plan is shown with, against what all planners find.
    void nobody_beats_what_is_proved()
    {
        std::vector<Problem> all = problems();
        for (const char* example : {"lab-16-gpus", "bert-a100-v100", "llama7b-two-machines", "qwen-1gbe"})
            all.push_back(load_problem(std::filesystem::path(EXAMPLES) / (std::string(example) + ".nnpiper.json")));
        // Four single devices, of which one has to recompute.
        const std::filesystem::path qwen = std::filesystem::path(EXAMPLES) / "qwen-1gbe.nnpiper.json";
        Project one_recomputes = read_project(read_text(qwen), qwen.string());
        one_recomputes.job.recompute.reset();
        all.push_back(compile(one_recomputes));
        int proved = 0;
        for (const Problem& problem : all) {
            const auto bound = objective_bound(problem);
            QVERIFY(bound.has_value());
            double best = std::numeric_limits<double>::infinity();
            std::vector<Plan> plans;
            for (const PlannerEntry& entry : planner_registry()) {
                plans.push_back(run_planner(entry, problem, within_ms(15), {}, &*bound));
                best = std::min(best, objective_value(problem, plans.back()));
            }
            QVERIFY2(bound->objective <= best * (1 + 1e-9), problem.name.c_str());
            const auto single = [](const Stage& stage) { return stage.devices.size() == 1; };
            for (const Plan& plan : plans) {
                for (const Plan& other : plans) {
                    if (plan.bound_s && other.feasible && other.schedule == plan.schedule
                        && other.micro_batches == plan.micro_batches && std::ranges::all_of(other.stages, single))
                        QVERIFY2(*plan.bound_s <= other.makespan_s * (1 + 1e-9), other.planner.c_str());
                }
                if (!plan.proved_gap)
                    continue;
                ++proved;
                QVERIFY2(objective_value(problem, plan) <= best * (1 + *plan.proved_gap) * (1 + 1e-9),
                         plan.planner.c_str());
            }
        }
        QVERIFY(proved > 50);
    }

    void names_of_devices_do_not_matter_data() { add_planners(true); }
    void names_of_devices_do_not_matter()
    {
        QFETCH(QString, planner);
        const PlannerEntry& entry = find_planner(planner.toStdString());
        for (const Problem& problem : problems()) {
            Problem renamed = problem;
            const auto name = [&](int d) { return "x" + std::to_string(problem.devices() - d) + "/é"; };
            for (int d = 0; d < problem.devices(); ++d)
                renamed.device_ids[at(d)] = name(d);
            for (Lock& lock : renamed.locks) {
                for (std::string& id : lock.devices)
                    id = name(problem.device_index(id));
            }
            const Plan before = run_planner(entry, problem, within_ms(60000), {});
            const Plan after = run_planner(entry, renamed, within_ms(60000), {});
            QCOMPARE(after.status, before.status);
            QCOMPARE(after.makespan_s, before.makespan_s);
            QCOMPARE(after.stages.size(), before.stages.size());
        }
    }

    void twice_the_time_of_everything_takes_twice_as_long_data() { add_planners(true); }
    void twice_the_time_of_everything_takes_twice_as_long()
    {
        QFETCH(QString, planner);
        const PlannerEntry& entry = find_planner(planner.toStdString());
        for (const Problem& problem : problems()) {
            const Plan before = run_planner(entry, problem, within_ms(60000), {});
            const Plan after = run_planner(entry, slower(problem, 2), within_ms(60000), {});
            QCOMPARE(after.feasible, before.feasible);
            QVERIFY2(std::abs(after.iteration_s - 2 * before.iteration_s) <= 1e-9 * before.iteration_s,
                     qPrintable(QString::number(after.iteration_s / before.iteration_s, 'g', 15)));
        }
    }

    /// Static orders cannot lose by a faster link, nor a plan by more memory.
    void the_optimum_does_not_suffer_from_more()
    {
        Random random(8);
        for (int round = 0; round < 25; ++round) {
            Problem p = random_problem(random, 8, 4, 2 + random.below(8));
            p.schedule = round % 2 == 0 ? ScheduleKind::one_f_one_b : ScheduleKind::gpipe;
            p.stages = 2 + random.below(3);
            const double before = optimum(p);
            Problem wider = p;
            for (int other = 0; other < 4; ++other)
                wider.bandwidth_bytes_per_s(round % 4, other) *= 1.7;
            QVERIFY(!(optimum(wider) > before * (1 + 1e-9)));
            Problem larger = p;
            larger.device_memory_bytes[at(round % 4)] *= 1.5;
            QVERIFY(!(optimum(larger) > before * (1 + 1e-9)));
            Problem quicker = p;
            for (int l = 0; l < 8; ++l)
                quicker.variants[0].forward_s(l, round % 4) *= 0.8;
            QVERIFY(!(optimum(quicker) > before * (1 + 1e-9)));
        }
    }

    void the_order_of_devices_does_not_matter_data()
    {
        QTest::addColumn<QString>("planner");
        for (const char* planner : {"exact", "subset-dp"})
            QTest::newRow(planner) << planner;
    }

    void the_order_of_devices_does_not_matter()
    {
        QFETCH(QString, planner);
        Random random(9);
        for (int round = 0; round < 15; ++round) {
            Problem p = random_problem(random, 9, 5, 6);
            p.stages = 4;
            for (auto& memory : p.device_memory_bytes)
                memory *= 1.5;
            const PlannerEntry& entry = find_planner(planner.toStdString());
            const Plan before = run_planner(entry, p, within_ms(60000), {});
            const Plan after = run_planner(entry, permuted(p, {3, 0, 4, 2, 1}), within_ms(60000), {});
            QCOMPARE(after.feasible, before.feasible);
            QVERIFY(std::abs(after.makespan_s - before.makespan_s) <= 1e-9 * before.makespan_s);
        }
    }

    void a_stopped_planner_answers_data() { add_planners(false); }

    /// Stopped before it begins, where the time limit would let it go on for an hour, and at its first report.
    void a_stopped_planner_answers()
    {
        QFETCH(QString, planner);
        const PlannerEntry& entry = find_planner(planner.toStdString());
        Random random(10);
        std::vector<Problem> all{random_problem(random, 40, 12, 24), compile(small_project(4, 4, 20))};
        for (auto& memory : all[0].device_memory_bytes)
            memory *= 20;
        all[0].schedule = ScheduleKind::one_f_one_b;
        for (const Problem& problem : all) {
            for (const bool beforehand : {true, false}) {
                std::stop_source source;
                if (beforehand)
                    source.request_stop();
                Control control;
                control.stop = source.get_token();
                control.progress = [&](double, std::string_view) { source.request_stop(); };
                verify_answer(problem, run_planner(entry, problem, within_ms(beforehand ? 3.6e6 : 300), control));
            }
        }
    }
};

QTEST_APPLESS_MAIN(TestPlannerProperties)
#include "test_planner_properties.moc"
