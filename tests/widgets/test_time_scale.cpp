// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/results/bar_runs.h"
#include "widgets/results/figures.h"
#include "widgets/results/time_scale.h"

#include <QLocale>
#include <QtTest>

using namespace nnpiper;

class TestTimeScale : public QObject {
    Q_OBJECT

private slots:
    void mapping_data();
    void mapping();
    void zoomKeepsTheTimeUnderThePointer_data();
    void zoomKeepsTheTimeUnderThePointer();
    void panningMovesByPixels();
    void fittingShowsTheWholeStretch();
    void boundsHold_data();
    void boundsHold();
    void ticks_data();
    void ticks();
    void figures_data();
    void figures();
    void barsMergeBelowAPixel_data();
    void barsMergeBelowAPixel();
    void mergedBarTakesTheBusiestKind();
};

void TestTimeScale::mapping_data()
{
    QTest::addColumn<double>("start");
    QTest::addColumn<double>("span");
    QTest::addColumn<double>("left");
    QTest::addColumn<double>("width");
    QTest::addColumn<double>("time");
    QTest::addColumn<double>("pixel");
    QTest::newRow("left edge") << 0.0 << 2.0 << 100.0 << 800.0 << 0.0 << 100.0;
    QTest::newRow("right edge") << 0.0 << 2.0 << 100.0 << 800.0 << 2.0 << 900.0;
    QTest::newRow("middle") << 0.0 << 2.0 << 100.0 << 800.0 << 1.0 << 500.0;
    QTest::newRow("before the view") << 1.0 << 1.0 << 0.0 << 1000.0 << 0.5 << -500.0;
    QTest::newRow("microseconds") << 1.5 << 1e-3 << 0.0 << 1000.0 << 1.500250 << 250.0;
}

void TestTimeScale::mapping()
{
    QFETCH(double, start);
    QFETCH(double, span);
    QFETCH(double, left);
    QFETCH(double, width);
    QFETCH(double, time);
    QFETCH(double, pixel);
    const TimeScale scale{start, span, left, width};
    QVERIFY(qAbs(scale.toPixel(time) - pixel) < 1e-6);
    QVERIFY(qAbs(scale.toTime(pixel) - time) < 1e-12);
}

void TestTimeScale::zoomKeepsTheTimeUnderThePointer_data()
{
    QTest::addColumn<double>("pixel");
    QTest::addColumn<double>("factor");
    for (const double pixel : {50.0, 333.0, 850.0})
        for (const double factor : {1.25, 0.8, 100.0})
            QTest::addRow("at %g by %g", pixel, factor) << pixel << factor;
}

void TestTimeScale::zoomKeepsTheTimeUnderThePointer()
{
    QFETCH(double, pixel);
    QFETCH(double, factor);
    const TimeScale scale{0.3, 1.7, 50, 800};
    const TimeScale zoomed = zoomedAt(scale, pixel, factor);
    QVERIFY(qAbs(zoomed.toTime(pixel) - scale.toTime(pixel)) < 1e-12);
    QVERIFY(qAbs(zoomed.spanS - scale.spanS / factor) < 1e-12);
}

void TestTimeScale::panningMovesByPixels()
{
    const TimeScale scale{0, 2, 0, 1000};
    const TimeScale moved = panned(scale, 100);
    QVERIFY(qAbs(moved.toPixel(scale.toTime(400)) - 500) < 1e-9);
}

void TestTimeScale::fittingShowsTheWholeStretch()
{
    const TimeScale scale = fitted({0, 1, 10, 500}, 0.2, 0.6, 0.1);
    QVERIFY(qAbs(scale.toPixel(0.2) - (10 + 50)) < 1e-9);
    QVERIFY(qAbs(scale.toPixel(0.6) - (510 - 50)) < 1e-9);
}

void TestTimeScale::boundsHold_data()
{
    QTest::addColumn<double>("start");
    QTest::addColumn<double>("span");
    QTest::newRow("far left") << -100.0 << 1.0;
    QTest::newRow("far right") << 100.0 << 1.0;
    QTest::newRow("too wide") << 0.0 << 1e6;
    QTest::newRow("too narrow") << 0.5 << 1e-15;
}

void TestTimeScale::boundsHold()
{
    QFETCH(double, start);
    QFETCH(double, span);
    const double total = 2;
    const TimeScale scale = bounded({start, span, 0, 1000}, total);
    QVERIFY(scale.spanS > 0 && scale.spanS <= total * 1.1 + 1e-12);
    QVERIFY(scale.pixelS() >= 1e-9 * (1 - 1e-12));
    // Something of the iteration is on screen.
    QVERIFY(scale.endS() > 0 && scale.startS < total);
}

void TestTimeScale::ticks_data()
{
    QTest::addColumn<double>("start");
    QTest::addColumn<double>("span");
    QTest::addColumn<QStringList>("labels");
    QTest::newRow("two seconds") << 0.0 << 2.0 << QStringList{"0.0 s", "0.2 s", "0.4 s", "0.6 s", "0.8 s", "1.0 s",
                                                              "1.2 s", "1.4 s", "1.6 s", "1.8 s", "2.0 s"};
    QTest::newRow("quarter steps") << 0.0 << 2.3 << QStringList{"0.00 s", "0.25 s", "0.50 s", "0.75 s", "1.00 s",
                                                                "1.25 s", "1.50 s", "1.75 s", "2.00 s", "2.25 s"};
    QTest::newRow("milliseconds") << 0.0101 << 0.02 << QStringList{"12 ms", "14 ms", "16 ms", "18 ms", "20 ms",
                                                                   "22 ms", "24 ms", "26 ms", "28 ms", "30 ms"};
    QTest::newRow("deep in") << 1.0 << 0.0001 << QStringList{"1.00000 s", "1.00001 s", "1.00002 s", "1.00003 s",
                                                             "1.00004 s", "1.00005 s", "1.00006 s", "1.00007 s",
                                                             "1.00008 s", "1.00009 s", "1.00010 s"};
}

void TestTimeScale::ticks()
{
    QFETCH(double, start);
    QFETCH(double, span);
    QFETCH(QStringList, labels);
    const TimeScale scale{start, span, 0, 1000};
    const TimeTicks ticks = timeTicks(scale, 95);
    QStringList shown;
    for (const double time : ticks.timesS)
        shown << timeTickLabel(time, ticks.stepS, scale.endS(), QLocale::c()).replace(QChar(0x00a0), QLatin1Char(' '));
    QCOMPARE(shown, labels);
    QVERIFY(ticks.stepS / scale.pixelS() >= 95 - 1e-6);
}

void TestTimeScale::figures_data()
{
    QTest::addColumn<QString>("shown");
    QTest::addColumn<QString>("expected");
    const QLocale c = QLocale::c();
    const QLocale german(QLocale::German);
    QTest::newRow("ms") << formatSeconds(0.0412, c) << "41.2 ms";
    QTest::newRow("s") << formatSeconds(1.309, c) << "1.31 s";
    QTest::newRow("µs") << formatSeconds(12e-6, c) << "12 µs";
    QTest::newRow("rounds up to the next unit") << formatSeconds(0.99999, c) << "1 s";
    QTest::newRow("minutes") << formatSeconds(1500, c) << "25.0 min";
    QTest::newRow("decimal comma") << formatSeconds(0.0412, german) << "41,2 ms";
    QTest::newRow("span") << formatTimeSpan(0.801, 0.893, c) << "801 → 893 ms (92 ms)";
    QTest::newRow("span in seconds") << formatTimeSpan(1.801, 1.893, c) << "1.801 → 1.893 s (92 ms)";
    QTest::newRow("bytes") << formatBytes(18.43e9, c) << "18.4 GB";
    QTest::newRow("no bytes") << formatBytes(0, c) << "0 B";
    QTest::newRow("percent") << formatPercent(0.218, c) << "21.8 %";
    QTest::newRow("better") << formatDifference(0.0641, c) << "+6.4 %";
    QTest::newRow("worse") << formatDifference(-0.1263, c) << "−12.6 %";
    QTest::newRow("equal") << formatDifference(-0.0001, c) << "0.0 %";
    QTest::newRow("rate") << formatRate(139.32, c) << "139.3";
    QTest::newRow("small rate") << formatRate(0.41239, c) << "0.412";
    QTest::newRow("planning ms") << formatDuration(14.2, c) << "14 ms";
    QTest::newRow("planning s") << formatDuration(2100, c) << "2.1 s";
    QTest::newRow("planning long") << formatDuration(38000, c) << "38 s";
    QTest::newRow("planning none") << formatDuration(0.01, c) << "0 ms";
}

void TestTimeScale::figures()
{
    QFETCH(QString, shown);
    QFETCH(QString, expected);
    QCOMPARE(shown.replace(QChar(0x00a0), QLatin1Char(' ')), expected);
}

void TestTimeScale::barsMergeBelowAPixel_data()
{
    QTest::addColumn<int>("count");
    QTest::addColumn<int>("width");
    QTest::newRow("few") << 10 << 1000;
    QTest::newRow("one a pixel") << 1000 << 1000;
    QTest::newRow("hundred a pixel") << 100000 << 1000;
    QTest::newRow("narrow window") << 100000 << 120;
}

void TestTimeScale::barsMergeBelowAPixel()
{
    QFETCH(int, count);
    QFETCH(int, width);
    std::vector<TimelineOp> row;
    for (int i = 0; i < count; ++i)
        row.push_back({i % 2 ? OpKind::backward : OpKind::forward, 0, i, i * 1e-3, i * 1e-3 + 0.9e-3,
                       TimelineOp::Waited::nothing, -1});
    const TimeScale scale = fitted({0, 1, 0, static_cast<double>(width)}, 0, count * 1e-3);
    const std::vector<BarRun> runs = barRuns(row, scale);
    int shown = 0;
    for (const BarRun& run : runs)
        shown += run.count;
    QCOMPARE(shown, count);
    QVERIFY(static_cast<int>(runs.size()) <= qMin(count, 2 * width));
    for (std::size_t i = 1; i < runs.size(); ++i)
        QVERIFY(runs[i].left >= runs[i - 1].left);
    // Only what is on screen is looked at.
    const TimeScale close = fitted(scale, 2e-3, 4e-3);
    QVERIFY(barRuns(row, close).size() <= 5);
}

void TestTimeScale::mergedBarTakesTheBusiestKind()
{
    std::vector<TimelineOp> row;
    for (int i = 0; i < 100; ++i) {
        row.push_back({OpKind::forward, 0, i, i * 1e-3, i * 1e-3 + 0.2e-3, TimelineOp::Waited::nothing, -1});
        row.push_back({OpKind::backward, 0, i, i * 1e-3 + 0.2e-3, i * 1e-3 + 1e-3, TimelineOp::Waited::nothing, -1});
    }
    const std::vector<BarRun> runs = barRuns(row, fitted({0, 1, 0, 10}, 0, 0.1));
    QCOMPARE(runs.size(), std::size_t{1});
    QCOMPARE(runs.front().kind, OpKind::backward);
    QCOMPARE(runs.front().count, 200);
    QCOMPARE(runs.front().filled, 1.0);
    // Half of the time idle: half filled.
    for (TimelineOp& op : row)
        op.end_s = op.start_s + (op.end_s - op.start_s) / 2;
    QCOMPARE(barRuns(row, fitted({0, 1, 0, 10}, 0, 0.1)).front().filled, 0.5);
}

QTEST_APPLESS_MAIN(TestTimeScale)
#include "test_time_scale.moc"
