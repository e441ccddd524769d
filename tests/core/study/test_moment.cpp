// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/simulator/textbook.h"
#include "core/study/moment.h"

#include <QtTest>

#include <algorithm>

using namespace nnpiper;

class TestMoment : public QObject {
    Q_OBJECT

private slots:
    /// Two stages, forwards of 1 s, backwards of 2 s, messages of 0.5 s with 0.25 s latency, one micro-batch.
    void what_runs_data()
    {
        QTest::addColumn<double>("time_s");
        QTest::addColumn<QList<int>>("kinds");
        QTest::addColumn<int>("transfers");
        const int f = static_cast<int>(OpKind::forward);
        const int b = static_cast<int>(OpKind::backward);
        QTest::newRow("first forward") << 0.0 << QList<int>{f} << 0;
        QTest::newRow("sending") << 1.0 << QList<int>{} << 1;
        QTest::newRow("in flight") << 1.6 << QList<int>{} << 1;
        QTest::newRow("second forward") << 1.75 << QList<int>{f} << 0;
        QTest::newRow("its backward") << 2.75 << QList<int>{b} << 0;
        QTest::newRow("gradient") << 5.4 << QList<int>{} << 1;
        QTest::newRow("last backward") << 7.4 << QList<int>{b} << 0;
        QTest::newRow("over") << 7.5 << QList<int>{} << 0;
        QTest::newRow("before") << -1.0 << QList<int>{} << 0;
    }

    void what_runs()
    {
        QFETCH(double, time_s);
        QFETCH(QList<int>, kinds);
        QFETCH(int, transfers);
        TextbookPipeline textbook;
        textbook.devices = 2;
        textbook.occupancy_s = {0.5};
        textbook.delay_s = {0.25};
        const Timeline timeline = draw(textbook);
        const Moment moment = moment_of(timeline, time_s);
        QList<int> found;
        for (const int op : moment.ops)
            found << static_cast<int>(timeline.ops[static_cast<std::size_t>(op)].kind);
        QCOMPARE(found, kinds);
        QCOMPARE(static_cast<int>(moment.transfers.size()), transfers);
        QCOMPARE(event_times_s(timeline), (std::vector<double>{0, 1, 1.75, 2.75, 4.75, 5.5, 7.5}));
    }

    /// Any moment of any schedule: as by looking at every op.
    void agrees_with_a_plain_search()
    {
        for (const ScheduleKind kind : {ScheduleKind::dualpipe, ScheduleKind::zb_h1, ScheduleKind::interleaved}) {
            TextbookPipeline textbook;
            textbook.kind = kind;
            textbook.devices = 4;
            textbook.micro_batches = 8;
            textbook.occupancy_s = {0.3};
            const Timeline timeline = draw(textbook);
            for (double t = 0; t < timeline.makespan_s; t += 0.37) {
                std::vector<int> plain;
                for (std::size_t i = 0; i < timeline.ops.size(); ++i)
                    if (timeline.ops[i].start_s <= t && t < timeline.ops[i].end_s)
                        plain.push_back(static_cast<int>(i));
                QCOMPARE(moment_of(timeline, t).ops, plain);
            }
        }
    }
};

QTEST_APPLESS_MAIN(TestMoment)
#include "test_moment.moc"
