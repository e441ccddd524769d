// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/schedule/schedule.h"
#include "core/simulator/evaluator.h"
#include "core/simulator/register_wavefront.h"
#include "core/simulator/simulate.h"
#include "random_pipeline.h"

#include <QtTest>

#include <algorithm>
#include <numeric>

using namespace nnpiper;

namespace {

std::size_t at(int i)
{
    return static_cast<std::size_t>(i);
}

/// Slow reference, written from the contract alone: start times by fixed-point iteration over all ops until nothing
/// changes. O(ops^2) and obviously the least solution of the contract's equations.
double reference_makespan(const Pipeline& p, const OpOrder& order)
{
    const int stages = p.stages();
    const int m = p.micro_batches;
    const auto cell = [&](int s, int i) { return at(s * m + i); };
    std::vector<double> forward_end(at(stages * m), 0), backward_end(at(stages * m), 0);
    double last = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (int s = 0; s < stages; ++s) {
            double free = 0;
            for (const Op& op : order[at(s)]) {
                const bool forward = op.kind == OpKind::forward;
                double arrived = 0;
                const int from = forward ? s - 1 : s + 1;
                if (from >= 0 && from < stages) {
                    // Messages of the boundary in the order in which the producer sends them.
                    double channel = 0;
                    for (const Op& sent : order[at(from)]) {
                        if ((sent.kind == OpKind::forward) != forward)
                            continue;
                        const int boundary = std::min(s, from);
                        const double end = (forward ? forward_end : backward_end)[cell(from, sent.micro_batch)];
                        channel = std::max(channel, end)
                                  + (forward ? p.forward_occupancy_s : p.backward_occupancy_s)[at(boundary)];
                        if (sent.micro_batch == op.micro_batch) {
                            arrived = channel + (forward ? p.forward_latency_s : p.backward_latency_s)[at(boundary)];
                            break;
                        }
                    }
                }
                if (!forward)
                    arrived = std::max(arrived, forward_end[cell(s, op.micro_batch)]);
                const double end = std::max(free, arrived) + (forward ? p.forward_s[at(s)] : p.backward_s(s));
                double& stored = (forward ? forward_end : backward_end)[cell(s, op.micro_batch)];
                if (end > stored) {
                    stored = end;
                    changed = true;
                }
                free = stored;
                last = std::max(last, stored);
            }
        }
    }
    return last;
}

bool close(double a, double b)
{
    return std::abs(a - b) <= 1e-9 * std::max({1.0, std::abs(a), std::abs(b)});
}

}  // namespace

class TestEvaluator : public QObject {
    Q_OBJECT

private slots:
    void engines_agree_on_random_pipelines_data()
    {
        QTest::addColumn<int>("kind");
        QTest::newRow("1f1b") << static_cast<int>(ScheduleKind::one_f_one_b);
        QTest::newRow("gpipe") << static_cast<int>(ScheduleKind::gpipe);
    }

    void engines_agree_on_random_pipelines()
    {
        QFETCH(int, kind);
        const auto schedule = static_cast<ScheduleKind>(kind);
        Random random(7);
        for (int round = 0; round < 1500; ++round) {
            const int stages = 1 + random.below(round % 10 == 0 ? 40 : 12);
            const int micro_batches = 1 + random.below(round % 10 == 1 ? 120 : 20);
            const Pipeline pipeline = random_pipeline(random, stages, micro_batches);
            const double fast = makespan(schedule, pipeline);
            const Timeline detailed = run(pipeline, op_order(schedule, stages, micro_batches));
            QVERIFY2(close(fast, detailed.makespan_s),
                     qPrintable(QStringLiteral("S=%1 M=%2: %3 against %4").arg(stages).arg(micro_batches).arg(fast).arg(
                         detailed.makespan_s)));
        }
    }

    void engines_agree_with_the_slow_reference()
    {
        Random random(11);
        for (int round = 0; round < 120; ++round) {
            const int stages = 1 + random.below(6);
            const int micro_batches = 1 + random.below(9);
            const Pipeline pipeline = random_pipeline(random, stages, micro_batches);
            for (const auto schedule : {ScheduleKind::gpipe, ScheduleKind::one_f_one_b}) {
                const double expected = reference_makespan(pipeline, op_order(schedule, stages, micro_batches));
                QVERIFY(close(makespan(schedule, pipeline), expected));
            }
        }
    }

    void every_number_of_stages()
    {
        Random random(29);
        for (int stages = 1; stages <= 140; ++stages) {
            for (const int micro_batches : {1, 2, 1 + random.below(stages), stages, 1 + random.below(2 * stages)}) {
                const Pipeline p = random_pipeline(random, stages, micro_batches);
                const Timeline detailed = run(p, op_order(ScheduleKind::one_f_one_b, stages, micro_batches));
                QVERIFY(close(makespan(ScheduleKind::one_f_one_b, p), detailed.makespan_s));
                std::vector<double> backward;
                for (int s = 0; s < stages; ++s)
                    backward.push_back(p.backward_s(s));
                const StageCosts costs{stages, p.forward_s.data(), backward.data(), p.forward_occupancy_s.data(),
                                       p.forward_latency_s.data(), p.backward_occupancy_s.data(),
                                       p.backward_latency_s.data()};
                for (const RegisterWavefront& version : register_wavefronts()) {
                    if (stages > version.most_stages)
                        continue;
                    struct alignas(64) Line { double values[8]; };
                    std::vector<Line> scratch(RegisterWavefront::scratch_size(stages) / 8);
                    QVERIFY2(close(version.makespan(costs, micro_batches, scratch.data()->values), detailed.makespan_s),
                             qPrintable(QStringLiteral("S=%1 M=%2, %3 lanes").arg(stages).arg(micro_batches).arg(version.lanes)));
                }
            }
        }
    }

    void gpipe_closed_form_on_unequal_stages()
    {
        Random random(3);
        for (int round = 0; round < 300; ++round) {
            const int stages = 1 + random.below(10);
            const int m = 1 + random.below(30);
            Pipeline p = random_pipeline(random, stages, m);
            for (auto* links : {&p.forward_occupancy_s, &p.forward_latency_s, &p.backward_occupancy_s, &p.backward_latency_s})
                std::fill(links->begin(), links->end(), 0.0);
            double sum = 0, max_f = 0, max_b = 0;
            for (int s = 0; s < stages; ++s) {
                sum += p.forward_s[at(s)] + p.backward_s(s);
                max_f = std::max(max_f, p.forward_s[at(s)]);
                max_b = std::max(max_b, p.backward_s(s));
            }
            QVERIFY(close(makespan(ScheduleKind::gpipe, p), sum + (m - 1) * (max_f + max_b)));
        }
    }

    void one_f_one_b_keeps_its_bounds()
    {
        Random random(5);
        for (int round = 0; round < 300; ++round) {
            const int stages = 1 + random.below(10);
            const int m = 1 + random.below(30);
            const Pipeline p = random_pipeline(random, stages, m);
            const double span = makespan(ScheduleKind::one_f_one_b, p);
            double lower = 0, before = 0;
            for (int s = 0; s < stages; ++s) {
                lower = std::max(lower, before + m * (p.forward_s[at(s)] + p.backward_s(s)));
                before += p.forward_s[at(s)] + p.backward_s(s);
                if (s + 1 < stages)
                    before += p.forward_occupancy_s[at(s)] + p.forward_latency_s[at(s)] + p.backward_occupancy_s[at(s)]
                              + p.backward_latency_s[at(s)];
            }
            QVERIFY(span >= lower * (1 - 1e-12));
        }
    }

    void steady_period_with_delays_data()
    {
        // Own derivation, see PipeDream-Flush: p = 4, T = 3 (1 + 2), latency c each way.
        QTest::addColumn<double>("delay");
        QTest::addColumn<double>("period");
        QTest::newRow("0") << 0.0 << 3.0;
        QTest::newRow("0.25") << 0.25 << 3.375;
        QTest::newRow("0.5") << 0.5 << 3.75;
        QTest::newRow("1") << 1.0 << 4.5;
        QTest::newRow("3") << 3.0 << 7.5;
    }

    void steady_period_with_delays()
    {
        QFETCH(double, delay);
        QFETCH(double, period);
        const auto span = [&](int m) {
            Pipeline p;
            p.map = straight_map(4);
            p.micro_batches = m;
            p.forward_s.assign(4, 1);
            p.backward_input_s.assign(4, 1);
            p.backward_weight_s.assign(4, 1);
            p.forward_occupancy_s.assign(3, 0);
            p.backward_occupancy_s.assign(3, 0);
            p.forward_latency_s.assign(3, delay);
            p.backward_latency_s.assign(3, delay);
            return makespan(ScheduleKind::one_f_one_b, p);
        };
        QVERIFY(close((span(480) - span(240)) / 240, period));
    }

    void reuse_leaves_no_trace()
    {
        Random random(23);
        Evaluator evaluator(4);
        for (int round = 0; round < 200; ++round) {
            const int stages = 1 + random.below(16);
            const Pipeline p = random_pipeline(random, stages, 1 + random.below(20));
            std::vector<double> backward;
            for (int s = 0; s < stages; ++s)
                backward.push_back(p.backward_s(s));
            const StageCosts costs{stages, p.forward_s.data(), backward.data(), p.forward_occupancy_s.data(),
                                   p.forward_latency_s.data(), p.backward_occupancy_s.data(), p.backward_latency_s.data()};
            for (const auto kind : {ScheduleKind::one_f_one_b, ScheduleKind::gpipe})
                QCOMPARE(evaluator.makespan(kind, costs, p.micro_batches), makespan(kind, p));
        }
    }
};

QTEST_APPLESS_MAIN(TestEvaluator)
#include "test_evaluator.moc"
