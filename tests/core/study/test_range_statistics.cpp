// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/simulator/textbook.h"
#include "core/study/range_statistics.h"

#include <QtTest>

#include <algorithm>
#include <cmath>

using namespace nnpiper;

namespace {

TextbookPipeline pipeline(ScheduleKind kind, int devices, int micro_batches)
{
    TextbookPipeline textbook;
    textbook.kind = kind;
    textbook.devices = devices;
    textbook.micro_batches = micro_batches;
    textbook.forward_s.clear();
    for (int s = 0; s < devices; ++s)
        textbook.forward_s.push_back(1 + 0.2 * (s % 3));
    textbook.backward_input_s = textbook.backward_weight_s = textbook.forward_s;
    textbook.delay_s = {0.05};
    textbook.occupancy_s = {0.3};
    return textbook;
}

RangeStatistics statistics(const Timeline& timeline, double from_s, double to_s)
{
    return range_statistics(timeline, critical_path(timeline), from_s, to_s);
}

bool close(double a, double b, double scale)
{
    return std::abs(a - b) <= 1e-9 * scale;
}

}  // namespace

class TestRangeStatistics : public QObject {
    Q_OBJECT

private slots:
    void whole_iteration_has_the_timelines_figures_data()
    {
        QTest::addColumn<QString>("schedule");
        for (const char* name : {"gpipe", "1f1b", "zb-h1", "dualpipe", "chimera", "interleaved-1f1b"})
            QTest::newRow(name) << QString::fromLatin1(name);
    }

    void whole_iteration_has_the_timelines_figures()
    {
        QFETCH(QString, schedule);
        TextbookPipeline textbook = pipeline(schedule_from_name(schedule.toStdString()), 4, 8);
        if (schedule == "dualpipe" || schedule == "chimera" || schedule == "interleaved-1f1b")
            textbook.forward_s = textbook.backward_input_s = textbook.backward_weight_s = {1};
        const Timeline t = draw(textbook);
        const RangeStatistics all = statistics(t, -1, 2 * t.makespan_s);
        QCOMPARE(all.length_s(), t.makespan_s);
        QVERIFY(close(all.bubble_fraction, t.bubble_fraction, 1));
        QCOMPARE(all.finished, 8);
        for (std::size_t d = 0; d < all.rows.size(); ++d) {
            QVERIFY(close(all.rows[d].busy_s, t.metrics[d].busy_s, t.makespan_s));
            const Bubble& ours = all.rows[d].bubble;
            const Bubble& theirs = t.metrics[d].bubble;
            QVERIFY(close(ours.warm_up_s, theirs.warm_up_s, t.makespan_s));
            QVERIFY(close(ours.drain_s, theirs.drain_s, t.makespan_s));
            QVERIFY(close(ours.dependency_s, theirs.dependency_s, t.makespan_s));
            QVERIFY(close(ours.link_s, theirs.link_s, t.makespan_s));
            QVERIFY(close(ours.imbalance_s, theirs.imbalance_s, t.makespan_s));
        }
        QVERIFY(close(all.critical_compute_s + all.critical_link_s, t.makespan_s, t.makespan_s));
    }

    /// Any cut: the parts are those of the whole, and every moment of a device is either busy or has one cause.
    void parts_add_up()
    {
        const Timeline t = draw(pipeline(ScheduleKind::one_f_one_b, 5, 12));
        for (const double cut : {0.0, 0.1, 0.37, 0.5, 0.81, 1.0}) {
            const double middle = cut * t.makespan_s;
            const RangeStatistics all = statistics(t, 0, t.makespan_s);
            const RangeStatistics before = statistics(t, middle, 0);   // ends exchanged
            const RangeStatistics after = statistics(t, middle, t.makespan_s);
            QCOMPARE(before.from_s, 0.0);
            QCOMPARE(before.finished + after.finished, all.finished);
            QVERIFY(close(before.critical_link_s + after.critical_link_s, all.critical_link_s, t.makespan_s));
            for (std::size_t d = 0; d < all.rows.size(); ++d) {
                QVERIFY(close(before.rows[d].forward_s + after.rows[d].forward_s, all.rows[d].forward_s, t.makespan_s));
                QVERIFY(close(before.rows[d].backward_s + after.rows[d].backward_s, all.rows[d].backward_s, t.makespan_s));
                QVERIFY(close(before.rows[d].busy_s + before.rows[d].bubble.sum_s(), before.length_s(), t.makespan_s));
                QVERIFY(close(after.rows[d].busy_s + after.rows[d].bubble.sum_s(), after.length_s(), t.makespan_s));
            }
            double sent = 0;
            int messages = 0;
            for (const RangeStatistics& part : {before, after})
                for (const RangeChannel& channel : part.channels) {
                    sent += channel.busy_s;
                    messages += channel.messages;
                }
            QVERIFY(close(sent, 2 * 4 * 12 * 0.3, t.makespan_s));
            QCOMPARE(messages, 2 * 4 * 12);
        }
    }

    /// GPipe with equal stages, no messages: between the first forward's end at the last stage and the last forward's start
    /// there every device is busy; before it, stage s waits s forwards (Huang et al. 2019, the fill of the pipeline).
    void fill_of_gpipe()
    {
        TextbookPipeline textbook;
        textbook.kind = ScheduleKind::gpipe;
        textbook.devices = 4;
        textbook.micro_batches = 8;
        const Timeline t = draw(textbook);
        const RangeStatistics fill = statistics(t, 0, 3);
        for (int s = 0; s < 4; ++s) {
            QCOMPARE(fill.rows[static_cast<std::size_t>(s)].bubble.warm_up_s, double(s));
            QCOMPARE(fill.rows[static_cast<std::size_t>(s)].forward_s, double(3 - s));
        }
        QCOMPARE(fill.bubble_fraction, 6.0 / 12);
        QCOMPARE(statistics(t, 3, 8).bubble_fraction, 0.0);
        // In the steady drain one micro-batch is through every whole backward (2 s).
        QCOMPARE(statistics(t, t.makespan_s - 6, t.makespan_s).finished, 3);
    }
};

QTEST_APPLESS_MAIN(TestRangeStatistics)
#include "test_range_statistics.moc"
