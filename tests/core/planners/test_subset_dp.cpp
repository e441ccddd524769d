// SPDX-License-Identifier: GPL-3.0-or-later
#include "brute_force.h"
#include "core/planners/subset_dp.h"
#include "random_problem.h"

#include <QtTest>

using namespace nnpiper;

namespace {

std::size_t at(int i)
{
    return static_cast<std::size_t>(i);
}

/// Least closed form over all orders and cuts that keep memory and locks, from the problem's own matrices.
double brute_closed_form(const Problem& problem, int stages)
{
    const Variant& v = problem.variants[0];
    double least = std::numeric_limits<double>::infinity();
    each_order(problem.devices(), stages, [&](const std::vector<int>& order) {
        each_cut(problem.layers(), stages, [&](const std::vector<int>& ends) {
            Plan plan;
            plan.micro_batches = v.micro_batches;
            double sum = 0, largest = 0;
            const auto add = [&](double seconds) {
                sum += seconds;
                largest = std::max(largest, seconds);
            };
            for (int s = 0; s < stages; ++s) {
                const int d = order[at(s)], first = s == 0 ? 0 : ends[at(s - 1)], end = ends[at(s)];
                double seconds = 0;
                for (int l = first; l < end; ++l)
                    seconds += v.forward_s(l, d) + v.backward_input_s(l, d) + v.backward_weight_s(l, d);
                add(seconds);
                if (s + 1 < stages) {
                    const int next = order[at(s + 1)];
                    const double bytes = v.output_bytes[at(end - 1)];
                    add(bytes / problem.bandwidth_bytes_per_s(d, next) + bytes / problem.bandwidth_bytes_per_s(next, d)
                        + problem.latency_s(d, next) + problem.latency_s(next, d));
                }
                plan.stages.push_back(one_device(problem, d, first, end));
            }
            const double value = sum + (v.micro_batches - 1) * largest;
            if (value >= least)
                return;
            predict(problem, plan);
            if (plan.feasible)
                least = value;
        });
    });
    return least;
}

/// Two nodes of two equal devices each: classes of two that links tell apart.
void make_two_nodes(Problem& p)
{
    auto& v = p.variants[0];
    for (int d = 0; d < 4; ++d) {
        const int like = d < 2 ? 0 : 2;
        p.device_memory_bytes[at(d)] = p.device_memory_bytes[at(like)];
        for (int l = 0; l < p.layers(); ++l) {
            v.forward_s(l, d) = v.forward_s(l, like);
            v.backward_input_s(l, d) = v.backward_input_s(l, like);
            v.backward_weight_s(l, d) = v.backward_weight_s(l, like);
        }
        for (int other = 0; other < 4; ++other) {
            p.bandwidth_bytes_per_s(d, other) = (d < 2) == (other < 2) ? 8 : 0.7;
            p.latency_s(d, other) = (d < 2) == (other < 2) ? 0.01 : 0.2;
        }
    }
}

}  // namespace

class TestSubsetDp : public QObject {
    Q_OBJECT

private slots:
    void optimal_for_the_closed_form_data()
    {
        QTest::addColumn<int>("devices");
        QTest::addColumn<int>("stages");
        QTest::addColumn<QString>("kind");
        for (const char* kind : {"mixed", "equal", "two nodes", "locked"}) {
            QTest::addRow("%s, 4 of 4", kind) << 4 << 4 << kind;
            QTest::addRow("%s, 3 of 4", kind) << 4 << 3 << kind;
            QTest::addRow("%s, 2 of 4", kind) << 4 << 2 << kind;
            QTest::addRow("%s, 1 of 4", kind) << 4 << 1 << kind;
        }
    }

    void optimal_for_the_closed_form()
    {
        QFETCH(int, devices);
        QFETCH(int, stages);
        QFETCH(QString, kind);
        Random random(qHash(QByteArray(QTest::currentDataTag())));
        int possible = 0;
        for (int round = 0; round < 20; ++round) {
            Problem p = random_problem(random, 8, devices, 1 + random.below(12));
            if (kind == "equal")
                make_equal(p);
            if (kind == "two nodes")
                make_two_nodes(p);
            if (round % 2 == 0) {
                for (auto& memory : p.device_memory_bytes)
                    memory *= 2;
            }
            if (kind == "locked")
                p.locks = {{{p.device_ids[1]}, stages - 1, {}, {}, false}};
            p.stages = stages;
            const ChainCosts costs(p, open_settings(p).front());
            const double expected = brute_closed_form(p, stages);
            double found = std::numeric_limits<double>::infinity();
            for (const Chain& chain :
                 closed_form_staircase(costs, std::numeric_limits<double>::infinity(), 1.1, Control{})) {
                Plan plan = to_plan(costs, chain, "subset-dp");
                predict(p, plan);
                QVERIFY2(plan.feasible, plan.reason.c_str());
                found = std::min(found, closed_form_s(costs, chain));
            }
            QCOMPARE(std::isfinite(found), std::isfinite(expected));
            if (!std::isfinite(expected))
                continue;
            ++possible;
            QVERIFY2(std::abs(found - expected) <= 1e-9 * expected, qPrintable(QString::number(found / expected)));
            // Knowing a chain's value in advance changes nothing.
            found = std::numeric_limits<double>::infinity();
            for (const Chain& chain : closed_form_staircase(costs, expected, 1, Control{}))
                found = std::min(found, closed_form_s(costs, chain));
            QVERIFY(std::abs(found - expected) <= 1e-9 * expected);
        }
        QVERIFY(possible > 0);
    }

    /// Equal devices behind equal links are counted, not named: the table stays small.
    void equal_devices_are_one_class()
    {
        Random random(6);
        Problem p = random_problem(random, 40, 16, 20);
        for (auto& memory : p.device_memory_bytes)
            memory = 1e9;
        make_equal(p);
        p.stages = 16;
        QVERIFY(subset_dp_size(ChainCosts(p, open_settings(p).front())).cells <= 17 * 41);
        PlanRequest request;
        request.budget_ms = 60000;
        const Plan plan = run_planner(find_planner("subset-dp"), p, request, {});
        QVERIFY2(plan.feasible, plan.reason.c_str());
        QCOMPARE(plan.status, std::string("ok"));
        p = random_problem(random, 40, 16, 20);
        QCOMPARE(run_planner(find_planner("subset-dp"), p, request, {}).status, std::string("skipped"));
    }
};

QTEST_APPLESS_MAIN(TestSubsetDp)
#include "test_subset_dp.moc"
