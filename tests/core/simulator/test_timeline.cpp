// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/error.h"
#include "core/schedule/schedule.h"
#include "core/simulator/simulate.h"
#include "random_pipeline.h"

#include <QtTest>

#include <algorithm>

using namespace nnpiper;

class TestTimeline : public QObject {
    Q_OBJECT

private slots:
    void two_stages_by_hand()
    {
        // f = 1, 2; b = 2, 3; one message takes 1 s and arrives 0.5 s later. 1F1B, two micro-batches.
        Pipeline p;
        p.map = straight_map(2);
        p.micro_batches = 2;
        p.samples = 2;
        p.forward_s = {1, 2};
        p.backward_input_s = {1, 2};
        p.backward_weight_s = {1, 1};
        p.forward_occupancy_s = p.backward_occupancy_s = {1};
        p.forward_latency_s = p.backward_latency_s = {0.5};
        p.optimizer_s = {0.25, 0};
        p.all_reduce_s = {0, 0};
        const Timeline t = run(p, op_order(ScheduleKind::one_f_one_b, 2, 2));
        const auto ends = [&](int stage) {
            std::vector<double> values;
            for (int i = t.first_op[static_cast<std::size_t>(stage)]; i < t.first_op[static_cast<std::size_t>(stage) + 1]; ++i)
                values.push_back(t.ops[static_cast<std::size_t>(i)].end_s);
            return values;
        };
        QCOMPARE(ends(0), (std::vector<double>{1, 2, 11, 16}));
        QCOMPARE(ends(1), (std::vector<double>{4.5, 7.5, 9.5, 12.5}));
        QCOMPARE(t.makespan_s, 16.0);
        QCOMPARE(t.iteration_s, 16.25);
        QCOMPARE(t.metrics[0].busy_s, 6.0);
        QCOMPARE(t.metrics[1].span_s, 10.0);
        QCOMPARE(t.max_span_s, 16.0);
        QCOMPARE(t.bubble_fraction, 1 - 16.0 / 32);
        QCOMPARE(t.metrics[0].peak_in_flight, 2.0);
    }

    void every_start_has_its_reason()
    {
        Random random(17);
        for (int round = 0; round < 200; ++round) {
            const int stages = 1 + random.below(8);
            const int m = 1 + random.below(12);
            const Pipeline p = random_pipeline(random, stages, m);
            const Timeline t = run(p, op_order(ScheduleKind::one_f_one_b, stages, m));
            QCOMPARE(t.ops.size(), static_cast<std::size_t>(2 * stages * m));
            QCOMPARE(t.transfers.size(), static_cast<std::size_t>(2 * (stages - 1) * m));
            for (const TimelineOp& op : t.ops) {
                if (op.waited == TimelineOp::Waited::transfer)
                    QCOMPARE(op.start_s, t.transfers[static_cast<std::size_t>(op.waited_for)].arrive_s);
                else if (op.waited == TimelineOp::Waited::device)
                    QCOMPARE(op.start_s, t.ops[static_cast<std::size_t>(op.waited_for)].end_s);
                else
                    QCOMPARE(op.start_s, 0.0);
            }
            for (const TimelineTransfer& transfer : t.transfers)
                QVERIFY(transfer.start_s >= t.ops[static_cast<std::size_t>(transfer.producer)].end_s);
        }
    }

    void the_critical_path_has_no_hole()
    {
        Random random(29);
        for (int round = 0; round < 200; ++round) {
            const int stages = 1 + random.below(8);
            const int m = 1 + random.below(12);
            const Pipeline p = random_pipeline(random, stages, m);
            const Timeline t = run(p, op_order(ScheduleKind::one_f_one_b, stages, m));
            const auto path = critical_path(t);
            double now = 0;
            for (std::size_t i = 0; i < path.size(); ++i) {
                const auto index = static_cast<std::size_t>(path[i].index);
                if (!path[i].transfer) {
                    QVERIFY(std::abs(t.ops[index].start_s - now) < 1e-9);
                    now = t.ops[index].end_s;
                    continue;
                }
                QVERIFY(std::abs(t.transfers[index].start_s - now) < 1e-9);
                // The next message over the same channel starts when this one is sent, an op when it arrives.
                now = i + 1 < path.size() && path[i + 1].transfer ? t.transfers[index].sent_s : t.transfers[index].arrive_s;
            }
            QVERIFY(std::abs(now - t.makespan_s) < 1e-9);
        }
    }

    void wrong_orders_are_refused()
    {
        Random random(1);
        const Pipeline p = random_pipeline(random, 3, 4);
        QVERIFY_EXCEPTION_THROWN(run(p, op_order(ScheduleKind::one_f_one_b, 2, 4)), Error);
        OpOrder order = op_order(ScheduleKind::gpipe, 3, 4);
        std::reverse(order[0].begin(), order[0].end());
        QVERIFY_EXCEPTION_THROWN(run(p, order), Error);
    }
};

QTEST_APPLESS_MAIN(TestTimeline)
#include "test_timeline.moc"
