// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/schedule/schedule.h"

#include <QtTest>

#include <algorithm>

using namespace nnpiper;

namespace {

std::string text(const std::vector<Op>& ops)
{
    std::string line;
    for (const Op& op : ops)
        line += (op.kind == OpKind::forward ? " F" : " B") + std::to_string(op.micro_batch);
    return line;
}

}  // namespace

class TestSchedule : public QObject {
    Q_OBJECT

private slots:
    void published_orders_data()
    {
        QTest::addColumn<int>("kind");
        QTest::addColumn<int>("stages");
        QTest::addColumn<int>("micro_batches");
        QTest::addColumn<int>("stage");
        QTest::addColumn<QString>("expected");
        // Figures 2 and 4 of Narayanan et al. 2021 (PipeDream-Flush) and figure 2 of Huang et al. 2019 (GPipe).
        const int flush = static_cast<int>(ScheduleKind::one_f_one_b);
        const int gpipe = static_cast<int>(ScheduleKind::gpipe);
        QTest::newRow("1f1b first") << flush << 4 << 8 << 0 << " F0 F1 F2 F3 B0 F4 B1 F5 B2 F6 B3 F7 B4 B5 B6 B7";
        QTest::newRow("1f1b second") << flush << 4 << 8 << 1 << " F0 F1 F2 B0 F3 B1 F4 B2 F5 B3 F6 B4 F7 B5 B6 B7";
        QTest::newRow("1f1b last") << flush << 4 << 8 << 3 << " F0 B0 F1 B1 F2 B2 F3 B3 F4 B4 F5 B5 F6 B6 F7 B7";
        QTest::newRow("1f1b few") << flush << 4 << 2 << 0 << " F0 F1 B0 B1";
        QTest::newRow("gpipe") << gpipe << 4 << 4 << 2 << " F0 F1 F2 F3 B3 B2 B1 B0";
    }

    void published_orders()
    {
        QFETCH(int, kind);
        QFETCH(int, stages);
        QFETCH(int, micro_batches);
        QFETCH(int, stage);
        QFETCH(QString, expected);
        const OpOrder order = op_order(static_cast<ScheduleKind>(kind), stages, micro_batches);
        QCOMPARE(QString::fromStdString(text(order[static_cast<std::size_t>(stage)])), expected);
    }

    void every_size_is_sound_and_peaks_match_the_closed_form()
    {
        for (const auto kind : {ScheduleKind::gpipe, ScheduleKind::one_f_one_b}) {
            for (int stages = 1; stages <= 12; ++stages) {
                for (int m = 1; m <= 20; ++m) {
                    const OpOrder order = op_order(kind, stages, m);
                    QCOMPARE(check(order, m), std::vector<std::string>{});
                    const auto peaks = peak_in_flight(order);
                    for (int s = 0; s < stages; ++s)
                        QCOMPARE(peaks[static_cast<std::size_t>(s)], peak_in_flight(kind, stages, m, s));
                }
            }
        }
    }

    void faults_are_named()
    {
        OpOrder order = op_order(ScheduleKind::one_f_one_b, 3, 4);
        order[1].pop_back();
        QVERIFY(check(order, 4).front().find("BW3 of stage 1 is missing") != std::string::npos);

        order = op_order(ScheduleKind::one_f_one_b, 3, 4);
        order[2].push_back(order[2].front());
        QVERIFY(check(order, 4).front().find("F0 of stage 2 stands there more than once") != std::string::npos);

        order = op_order(ScheduleKind::one_f_one_b, 3, 4);
        order[0][0].micro_batch = 9;
        QVERIFY(check(order, 4).front().find("F9 of stage 0") != std::string::npos);
    }

    void a_deadlock_is_found()
    {
        // Stage 0 wants the gradient of micro-batch 0 before it has sent it.
        OpOrder order = op_order(ScheduleKind::one_f_one_b, 2, 2);
        std::rotate(order[0].begin(), std::find(order[0].begin(), order[0].end(), Op{OpKind::backward, 0, 0}), order[0].end());
        const auto faults = check(order, 2);
        QCOMPARE(faults.size(), std::size_t{1});
        // The forward that the gradient comes of stands behind the backward itself.
        QCOMPARE(QString::fromStdString(faults[0]),
                 QString("deadlock: device 0 waits at BW0 of stage 0 for F0 of stage 0, which stands behind BW0 of "
                         "stage 0 on device 0"));

        // A cycle over two devices: each wants first what the other gives second.
        order = {{{OpKind::forward, 0, 0}, {OpKind::backward, 0, 0}, {OpKind::forward, 0, 1}, {OpKind::backward, 0, 1}},
                 {{OpKind::forward, 1, 0}, {OpKind::forward, 1, 1}, {OpKind::backward, 1, 0}, {OpKind::backward, 1, 1}}};
        QCOMPARE(QString::fromStdString(check(order, 2).front()),
                 QString("deadlock: device 0 waits at BW0 of stage 0 for BW0 of stage 1, which stands behind F1 of stage 1 "
                         "on device 1; device 1 waits at F1 of stage 1 for F1 of stage 0, which stands behind BW0 of "
                         "stage 0 on device 0"));
    }

    void a_split_backward_counts_as_one()
    {
        OpOrder order(1);
        for (int m = 0; m < 3; ++m) {
            order[0].push_back({OpKind::forward, 0, m});
            order[0].push_back({OpKind::backward_input, 0, m});
        }
        QVERIFY(!check(order, 3).empty());
        for (int m = 0; m < 3; ++m)
            order[0].push_back({OpKind::backward_weight, 0, m});
        QVERIFY(check(order, 3).empty());
        QCOMPARE(peak_in_flight(order), std::vector<int>{3});
    }
};

QTEST_APPLESS_MAIN(TestSchedule)
#include "test_schedule.moc"
