// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/files.h"
#include "core/planners/planner.h"
#include "core/simulator/simulate.h"
#include "core/study/limits.h"

#include <QtTest>

using namespace nnpiper;

namespace {

Plan planned(const Problem& problem)
{
    return run_planner(find_planner("greedy-speed"), problem, {}, {});
}

}  // namespace

class TestLimits : public QObject {
    Q_OBJECT

private slots:
    void figures_follow_from_the_plan()
    {
        const Problem problem = load_problem(EXAMPLES "/lab-16-gpus.nnpiper.json");
        const Plan plan = planned(problem);
        const Timeline timeline = simulate(problem, plan);
        const PlanLimits limits = limits_of(problem, plan, timeline);
        QVERIFY(std::abs(limits.compute_share + limits.link_share - 1) < 1e-9);
        double busiest = 0;
        for (const DeviceMetrics& metrics : timeline.metrics)
            busiest = std::max(busiest, metrics.busy_s);
        QCOMPARE(limits.busy_s, busiest);
        // Every boundary sends its activation and its gradient once a micro-batch over every link of the way.
        double sent = 0;
        const Variant& variant = variant_of(problem, plan);
        for (std::size_t s = 0; s + 1 < plan.stages.size(); ++s)
            sent += variant.output_bytes[static_cast<std::size_t>(plan.stages[s].end_layer - 1)];
        double leaving = 0;
        for (const LinkLoad& load : limits.links) {
            QVERIFY(load.bytes > 0 && load.busy_s > 0);
            if (load.link.starts_with("interconnect out of ") || load.link.starts_with("host port out of "))
                leaving += load.bytes;
        }
        QVERIFY(std::abs(leaving - 2 * sent * plan.micro_batches) < 1e-6 * leaving);
        for (std::size_t i = 1; i < limits.links.size(); ++i)
            QVERIFY(limits.links[i - 1].busy_s >= limits.links[i].busy_s);
        QVERIFY(limits.basis == CostBasis::analytic);
    }

    void a_slow_link_and_a_full_memory_are_named()
    {
        Problem problem = load_problem(TEST_DATA "/problems/L016-D04-S04-0.problem.json");
        for (double& capacity : problem.device_memory_bytes)
            capacity *= 100;
        const Plan plan = planned(problem);
        const double fitting = limits_of(problem, plan, simulate(problem, plan)).compute_share;
        for (int a = 0; a < problem.devices(); ++a) {
            for (int b = 0; b < problem.devices(); ++b)
                problem.bandwidth_bytes_per_s(a, b) /= 1000;
        }
        const PlanLimits slow = limits_of(problem, plan, simulate(problem, plan));
        QVERIFY(slow.kind == PlanLimits::Kind::link);
        QVERIFY(slow.compute_share < fitting);
        QVERIFY(slow.links.front().link.starts_with("stage "));
        QVERIFY(slow.basis == CostBasis::given);
        for (double& capacity : problem.device_memory_bytes)
            capacity /= 1e5;
        const PlanLimits full = limits_of(problem, plan, simulate(problem, plan));
        QVERIFY(full.kind == PlanLimits::Kind::memory);
        QVERIFY(full.needed_bytes > full.capacity_bytes);
    }
};

QTEST_APPLESS_MAIN(TestLimits)
#include "test_limits.moc"
