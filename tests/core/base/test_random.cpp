// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/random.h"

#include <QtTest>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

using namespace nnpiper;

class TestRandom : public QObject {
    Q_OBJECT

private slots:
    /// Figures of an independent implementation (the published C code transcribed to another language).
    void same_on_every_platform()
    {
        Random random(42);
        const std::array<std::uint64_t, 4> expected = {0xd0764d4f4476689fULL, 0x519e4174576f3791ULL,
                                                       0xfbe07cfb0c24ed8cULL, 0xb37d9f600cd835b8ULL};
        for (const std::uint64_t value : expected)
            QCOMPARE(random.next(), value);
        QCOMPARE(Random(0).next(), std::uint64_t{5987356902031041503ULL});

        Random derived(1);
        QCOMPARE(derived.uniform(), 0.81161215888188476);
        QCOMPARE(derived.uniform(), 0.74710471615821872);
        QCOMPARE(derived.below(10), 1);
        QCOMPARE(derived.below(1000), 746);
    }

    void shuffle_is_a_fixed_permutation()
    {
        std::array<int, 8> items{};
        std::iota(items.begin(), items.end(), 0);
        Random random(3);
        random.shuffle(std::span<int>(items));
        QCOMPARE(items, (std::array<int, 8>{1, 3, 7, 2, 6, 5, 4, 0}));
        std::vector<int> nothing;
        random.shuffle(std::span<int>(nothing));
    }

    void uniform_fills_its_range()
    {
        Random random(11);
        constexpr int draws = 200000;
        double sum = 0, squares = 0;
        for (int i = 0; i < draws; ++i) {
            const double x = random.uniform(-1, 3);
            QVERIFY(x >= -1 && x < 3);
            sum += x;
            squares += x * x;
        }
        const double mean = sum / draws;
        QVERIFY(std::abs(mean - 1) < 0.02);
        QVERIFY(std::abs(squares / draws - mean * mean - 16.0 / 12) < 0.02);
    }

    void below_is_even()
    {
        Random random(12);
        std::array<int, 7> hits{};
        constexpr int draws = 70000;
        for (int i = 0; i < draws; ++i)
            ++hits.at(static_cast<std::size_t>(random.below(7)));
        double chi_square = 0;
        for (const int n : hits)
            chi_square += (n - 10000.0) * (n - 10000.0) / 10000.0;
        QVERIFY2(chi_square < 22.5, "six degrees of freedom: 22.5 is passed once in a thousand");
        QCOMPARE(random.below(1), 0);
    }

    void normal_has_its_moments()
    {
        Random random(13);
        constexpr int draws = 200000;
        double sum = 0, squares = 0, fourth = 0;
        for (int i = 0; i < draws; ++i) {
            const double x = random.normal();
            sum += x;
            squares += x * x;
            fourth += x * x * x * x;
        }
        QVERIFY(std::abs(sum / draws) < 0.01);
        QVERIFY(std::abs(squares / draws - 1) < 0.02);
        QVERIFY(std::abs(fourth / draws - 3) < 0.15);
    }

    void log_uniform_is_even_in_the_logarithm()
    {
        Random random(14);
        int low = 0;
        constexpr int draws = 20000;
        for (int i = 0; i < draws; ++i) {
            const double x = random.log_uniform(1e-3, 1e3);
            QVERIFY(x >= 1e-3 * (1 - 1e-12) && x <= 1e3 * (1 + 1e-12));
            low += x < 1;
        }
        QVERIFY(std::abs(low - draws / 2) < 300);
    }
};

QTEST_APPLESS_MAIN(TestRandom)
#include "test_random.moc"
