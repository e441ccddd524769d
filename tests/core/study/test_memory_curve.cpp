// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/error.h"
#include "core/formats/files.h"
#include "core/problem/pipeline.h"
#include "core/simulator/simulate.h"
#include "core/study/memory_curve.h"

#include <QtTest>

#include <algorithm>
#include <cmath>

using namespace nnpiper;

namespace {

Problem problem_with_memory()
{
    Problem problem = load_problem(TEST_DATA "/problems/L016-D04-S04-0.problem.json");
    for (Variant& variant : problem.variants)
        variant.micro_batches = 8;   // even, as schedules of two directions need it
    return problem;
}

Plan plan_of(const Problem& problem, ScheduleKind kind)
{
    Plan plan = *problem.best_known;
    plan.schedule = kind;
    plan.micro_batches = 8;
    return plan;
}

/// Bytes just behind a time.
double bytes_at(const MemoryCurve& curve, double time_s)
{
    double bytes = 0;
    for (const MemoryCurve::Step& step : curve.steps)
        if (step.time_s <= time_s)
            bytes = step.bytes;
    return bytes;
}

}  // namespace

class TestMemoryCurve : public QObject {
    Q_OBJECT

private slots:
    void peak_is_what_the_plan_needs_data()
    {
        QTest::addColumn<int>("schedule");
        for (const ScheduleKind kind : {ScheduleKind::gpipe, ScheduleKind::one_f_one_b, ScheduleKind::zb_h1,
                                        ScheduleKind::chimera, ScheduleKind::dualpipe})
            QTest::newRow(std::string(name_of(kind)).c_str()) << static_cast<int>(kind);
    }

    void peak_is_what_the_plan_needs()
    {
        QFETCH(int, schedule);
        const Problem problem = problem_with_memory();
        const Plan plan = plan_of(problem, static_cast<ScheduleKind>(schedule));
        const Timeline timeline = simulate(problem, plan);
        const std::vector<MemoryCurve> curves = memory_curves(problem, plan, timeline);
        QCOMPARE(curves.size(), static_cast<std::size_t>(timeline.rows()));
        for (const DeviceMemory& memory : timeline.memory) {
            const MemoryCurve& curve = curves[static_cast<std::size_t>(timeline.map.device(memory.stage))];
            QCOMPARE(QString::fromStdString(curve.device), QString::fromStdString(memory.device));
            QCOMPARE(curve.capacity_bytes, memory.capacity_bytes);
            QVERIFY(std::abs(curve.peak_bytes() - memory.needed_bytes()) <= 1e-9 * memory.needed_bytes());
            for (std::size_t i = 1; i < curve.steps.size(); ++i)
                QVERIFY(curve.steps[i].time_s > curve.steps[i - 1].time_s);
            // Nothing is kept when the iteration is over.
            QVERIFY(std::abs(curve.steps.back().bytes - curve.constant_bytes) <= 1e-9 * memory.needed_bytes());
        }
    }

    /// 1F1B: stage s keeps S - s micro-batches in the steady state (Narayanan et al. 2019), so that between its warm-up
    /// and its first backward its memory stands S - s activations above its constant part.
    void warm_up_of_1f1b_fills_by_stage()
    {
        const Problem problem = problem_with_memory();
        const Plan plan = plan_of(problem, ScheduleKind::one_f_one_b);
        const Timeline timeline = simulate(problem, plan);
        const std::vector<MemoryCurve> curves = memory_curves(problem, plan, timeline);
        const std::vector<StageBytes> bytes = stage_bytes(problem, plan);
        const int stages = timeline.stages();
        for (int s = 0; s < stages; ++s) {
            const int warm = std::min(stages - s, plan.micro_batches);
            const auto i = static_cast<std::size_t>(timeline.first_op[static_cast<std::size_t>(s)] + warm - 1);
            QCOMPARE(timeline.ops[i].kind, OpKind::forward);
            const double during = (timeline.ops[i].start_s + timeline.ops[i].end_s) / 2;
            const StageBytes& stage = bytes[static_cast<std::size_t>(s)];
            const double expected =
                curves[static_cast<std::size_t>(s)].constant_bytes + warm * stage.stored + stage.transient;
            QVERIFY(std::abs(bytes_at(curves[static_cast<std::size_t>(s)], during) - expected) <= 1e-9 * expected);
        }
    }

    void another_plans_timeline_is_refused()
    {
        const Problem problem = problem_with_memory();
        const Timeline timeline = simulate(problem, plan_of(problem, ScheduleKind::chimera));
        QVERIFY_EXCEPTION_THROWN(memory_curves(problem, plan_of(problem, ScheduleKind::gpipe), timeline), Error);
    }
};

QTEST_APPLESS_MAIN(TestMemoryCurve)
#include "test_memory_curve.moc"
