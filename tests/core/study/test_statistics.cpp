// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/statistics.h"

#include <QTest>

#include <cmath>

using namespace nnpiper;

class TestStatistics : public QObject {
    Q_OBJECT
private slots:
    void student_data()
    {
        QTest::addColumn<double>("confidence");
        QTest::addColumn<int>("freedom");
        QTest::addColumn<double>("expected");
        // NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2, critical values of Student's t.
        const int freedom[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 15, 19, 20, 30, 49, 60, 99, 100};
        const double ninety[] = {6.314, 2.920, 2.353, 2.132, 2.015, 1.943, 1.895, 1.860, 1.833,
                                 1.812, 1.753, 1.729, 1.725, 1.697, 1.677, 1.671, 1.660, 1.660};
        const double ninety_five[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262,
                                      2.228,  2.131, 2.093, 2.086, 2.042, 2.010, 2.000, 1.984, 1.984};
        for (std::size_t i = 0; i < std::size(freedom); ++i) {
            QTest::addRow("90 %% of %d", freedom[i]) << 0.90 << freedom[i] << ninety[i];
            QTest::addRow("95 %% of %d", freedom[i]) << 0.95 << freedom[i] << ninety_five[i];
        }
        QTest::newRow("normal") << 0.90 << 1000000 << 1.645;
    }

    void student()
    {
        QFETCH(double, confidence);
        QFETCH(int, freedom);
        QFETCH(double, expected);
        QVERIFY(std::abs(student_quantile(confidence, freedom) - expected) <= 0.00051);
        QVERIFY(std::isinf(student_quantile(confidence, 0)));
    }

    void student_closed_forms()
    {
        for (const double confidence : {0.1, 0.5, 0.9, 0.99}) {
            // One degree is Cauchy's distribution; two have t = c sqrt(2 / (1 - c^2)).
            QVERIFY(std::abs(student_quantile(confidence, 1) / std::tan(M_PI / 2 * confidence) - 1) < 1e-9);
            QVERIFY(
                std::abs(student_quantile(confidence, 2) / (confidence * std::sqrt(2 / (1 - confidence * confidence)))
                         - 1)
                < 1e-9);
        }
    }

    void percentiles()
    {
        const std::vector<double> values{40, 15, 50, 20, 35};
        QCOMPARE(percentile(values, 0), 15.0);
        QCOMPARE(percentile(values, 0.4), 29.0);  // rank 2.6
        QCOMPARE(percentile(values, 0.5), 35.0);
        QCOMPARE(percentile(values, 0.95), 48.0);  // rank 4.8
        QCOMPARE(percentile(values, 1), 50.0);
        QCOMPARE(percentile({1, 2, 3, 4}, 0.5), 2.5);
        QCOMPARE(percentile({7}, 0.95), 7.0);
        QVERIFY(std::isnan(percentile({}, 0.5)));
    }

    void intervals()
    {
        // Mean 3, standard error 1, t(2) = 2.919986 for 90 %.
        const auto interval = student_interval({3, 3 + std::sqrt(3), 3 - std::sqrt(3)}, 0.9);
        QVERIFY(std::abs(interval.mean - 3) < 1e-12);
        QVERIFY(std::abs(interval.half_width - 2.919986) < 1e-6);
        QVERIFY(interval.above_zero() && !interval.below_zero());
        QVERIFY(student_interval({-1, -1.1, -0.9}, 0.9).below_zero());
        const auto wide = student_interval({-1, 1.2}, 0.9);
        QVERIFY(!wide.below_zero() && !wide.above_zero());
        QVERIFY(std::isinf(student_interval({1}, 0.9).half_width));
        QVERIFY(std::isnan(student_interval({}, 0.9).mean));
    }
};

QTEST_APPLESS_MAIN(TestStatistics)
#include "test_statistics.moc"
