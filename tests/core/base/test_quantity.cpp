// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/error.h"
#include "core/base/quantity.h"
#include "core/base/random.h"

#include <QtTest>

#include <clocale>
#include <cmath>

using namespace nnpiper;

class TestQuantity : public QObject {
    Q_OBJECT

private slots:
    void prints_data()
    {
        QTest::addColumn<double>("value");
        QTest::addColumn<int>("unit");
        QTest::addColumn<QString>("text");
        const auto row = [](const char* text, double value, Unit unit) {
            QTest::newRow(text) << value << static_cast<int>(unit) << QString::fromUtf8(text);
        };
        row("24 GB", 24e9, Unit::bytes);
        row("1.5 kB", 1500, Unit::bytes);
        row("0 B", 0, Unit::bytes);
        row("25.77 GB", 25769803776.0, Unit::bytes);
        row("25 Gb/s", 3.125e9, Unit::bits_per_second);
        row("948 Mb/s", 0.1185e9, Unit::bits_per_second);
        row("0 b/s", 0, Unit::bits_per_second);
        row("936.2 GB/s", 936.2e9, Unit::bytes_per_second);
        row("2.039 TB/s", 2039e9, Unit::bytes_per_second);
        row("5 µs", 5e-6, Unit::seconds);
        row("850 ns", 8.5e-7, Unit::seconds);
        row("12.35 ms", 0.012345678, Unit::seconds);
        row("-2 s", -2, Unit::seconds);
        row("75.3 s", 75.3, Unit::seconds);
        row("71 TFLOP/s", 71e12, Unit::flop_per_second);
        row("1.65 TFLOP", 1.65e12, Unit::flop);
        row("0 FLOP", 0, Unit::flop);
        row("1.979 PFLOP/s", 1979e12, Unit::flop_per_second);
        row("45 %", 0.45, Unit::fraction);
        row("0.8 %", 0.008, Unit::fraction);
        row("450 W", 450, Unit::watts);
        row("2.5 $/h", 2.5, Unit::dollars_per_hour);
        row("51200", 51200, Unit::count);
        row("6.738 B", 6738415616.0, Unit::count);
        row("0.25", 0.25, Unit::count);
        // Rounding that would show 1000 of a unit takes the next one.
        row("1 GB", 999.96e6, Unit::bytes);
        row("999.9 MB", 999.9e6, Unit::bytes);
        row("unknown", std::nan(""), Unit::bytes);
    }
    void prints()
    {
        QFETCH(double, value);
        QFETCH(int, unit);
        QFETCH(QString, text);
        QCOMPARE(QString::fromStdString(format_quantity(value, static_cast<Unit>(unit))), text);
    }

    void reads_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("unit");
        QTest::addColumn<double>("value");
        const auto row = [](const char* text, Unit unit, double value) {
            QTest::addRow("%s as %d", text, static_cast<int>(unit))
                << QString::fromUtf8(text) << static_cast<int>(unit) << value;
        };
        row("25 Gb/s", Unit::bits_per_second, 3.125e9);
        row("3.1 GB/s", Unit::bits_per_second, 3.1e9);
        row("25 Gbit/s", Unit::bits_per_second, 3.125e9);
        row("25Gbps", Unit::bits_per_second, 3.125e9);
        row("10 gb/s", Unit::bits_per_second, 1.25e9);
        row("3125000000", Unit::bits_per_second, 3.125e9);
        row("100 Gb/s", Unit::bytes_per_second, 12.5e9);
        row("24 GiB/s", Unit::bytes_per_second, 24.0 * 1073741824);
        row("5 us", Unit::seconds, 5e-6);
        row("5 µs", Unit::seconds, 5e-6);
        row("5 \u03bcs", Unit::seconds, 5e-6);
        row(" 1.5\u00a0ms ", Unit::seconds, 1.5e-3);
        row("2 min", Unit::seconds, 120);
        row("1e-3", Unit::seconds, 1e-3);
        row("24 GiB", Unit::bytes, 25769803776.0);
        row("24gb", Unit::bytes, 24e9);
        row("512", Unit::bytes, 512);
        row("0.45", Unit::fraction, 0.45);
        row("45 %", Unit::fraction, 0.45);
        row("120%", Unit::fraction, 1.2);
        row("71 TFLOP/s", Unit::flop_per_second, 71e12);
        row("2.5 GFLOP", Unit::flop, 2.5e9);
        row("3 TFLOPs", Unit::flop, 3e12);
        row("71 TFLOPS", Unit::flop_per_second, 71e12);
        row("1 kW", Unit::watts, 1000);
        row("$2.5/h", Unit::dollars_per_hour, 2.5);
        row("2.5 USD/h", Unit::dollars_per_hour, 2.5);
        row("7 B", Unit::count, 7e9);
        row("+64", Unit::count, 64);
        row("-3", Unit::count, -3);
    }
    void reads()
    {
        QFETCH(QString, text);
        QFETCH(int, unit);
        QFETCH(double, value);
        QCOMPARE(parse_quantity(text.toStdString(), static_cast<Unit>(unit)), value);
    }

    void refuses_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("unit");
        const auto row = [](const char* text, Unit unit) {
            QTest::newRow(text) << QString::fromUtf8(text) << static_cast<int>(unit);
        };
        row("", Unit::bytes);
        row("   ", Unit::bytes);
        row("GB", Unit::bytes);
        row("24 GB/s", Unit::bytes);
        row("24 GB", Unit::bits_per_second);
        row("24 Gb", Unit::bytes);
        row("5 ms", Unit::bytes);
        row("5 GB", Unit::seconds);
        row("nan", Unit::seconds);
        row("inf", Unit::seconds);
        row("-inf s", Unit::seconds);
        row("1e999", Unit::seconds);
        row("1e308 h", Unit::seconds);
        row("12 GB extra", Unit::bytes);
        row("1,5 GB", Unit::bytes);
        row("0x10", Unit::bytes);
        row("++5", Unit::count);
        row("+-5", Unit::count);
        row("45", Unit::fraction);
        row("-0.1", Unit::fraction);
        row("5 W", Unit::fraction);
    }
    void refuses()
    {
        QFETCH(QString, text);
        QFETCH(int, unit);
        try {
            const double value = parse_quantity(text.toStdString(), static_cast<Unit>(unit));
            QFAIL(qPrintable(QString("read as %1").arg(value)));
        } catch (const Error& error) {
            QVERIFY(!error.found().empty());
            QVERIFY2(error.allowed().find(" with one of: ") != std::string::npos, error.what());
        }
    }

    /// What is printed can be typed back and gives the value to the precision shown.
    void round_trip()
    {
        Random random(7);
        for (int unit = 0; unit <= static_cast<int>(Unit::count); ++unit) {
            for (int i = 0; i < 2000; ++i) {
                const double value = unit == static_cast<int>(Unit::fraction) ? random.log_uniform(1e-4, 10)
                                                                              : random.log_uniform(1e-12, 1e21);
                const std::string text = format_quantity(value, static_cast<Unit>(unit));
                const double back = parse_quantity(text, static_cast<Unit>(unit));
                QVERIFY2(std::abs(back - value) <= 5.1e-4 * value, text.c_str());
                QCOMPARE(format_quantity(back, static_cast<Unit>(unit)), text);
            }
        }
    }

    void ignores_the_c_locale()
    {
        const char* set = std::setlocale(LC_ALL, "de_DE.UTF-8");
        const std::string printed = format_quantity(1.5e9, Unit::bytes);
        const double read = parse_quantity("1.5 GB", Unit::bytes);
        std::setlocale(LC_ALL, "C");
        QCOMPARE(printed, std::string("1.5 GB"));
        QCOMPARE(read, 1.5e9);
        if (!set)
            QSKIP("de_DE.UTF-8 is not installed: checked under the C locale only");
    }
};

QTEST_APPLESS_MAIN(TestQuantity)
#include "test_quantity.moc"
