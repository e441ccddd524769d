// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/error.h"
#include "core/problem/pipeline.h"
#include "core/problem/virtual_problem.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <set>

using namespace nnpiper;

class TestVirtualProblem : public QObject {
    Q_OBJECT
private slots:
    void same_seed_same_problem()
    {
        const auto a = virtual_problem(12, {24, 9, 7, {}});
        const auto b = virtual_problem(12, {24, 9, 7, {}});
        const auto c = virtual_problem(14, {24, 9, 7, {}});
        QCOMPARE(a.device_ids, b.device_ids);
        QCOMPARE(a.state_bytes, b.state_bytes);
        QVERIFY(std::ranges::equal(a.variants[0].forward_s.row(5), b.variants[0].forward_s.row(5)));
        QVERIFY(!std::ranges::equal(a.variants[0].forward_s.row(5), c.variants[0].forward_s.row(5)));
    }

    void numbers_are_sound_data()
    {
        QTest::addColumn<int>("kind");
        for (const auto kind : {VirtualKind::any, VirtualKind::mixed_devices, VirtualKind::equal_devices, VirtualKind::slow_wan,
                                VirtualKind::unlike_layers})
            QTest::newRow(std::string(name_of(kind)).c_str()) << static_cast<int>(kind);
    }

    void numbers_are_sound()
    {
        QFETCH(int, kind);
        Random random(5);
        for (std::uint64_t seed = 0; seed < 60; ++seed) {
            const auto size = random_virtual_size(random);
            QVERIFY(size.stages >= 1 && size.stages <= size.devices && size.stages <= size.layers);
            QVERIFY(size.devices >= 2 && size.devices <= 64 && size.stages <= size.devices && size.layers <= 200);
            const auto problem = virtual_problem(seed, size, static_cast<VirtualKind>(kind));
            QCOMPARE(problem.layers(), size.layers);
            QCOMPARE(problem.devices(), size.devices);
            QCOMPARE(std::set<std::string>(problem.device_ids.begin(), problem.device_ids.end()).size(),
                     static_cast<std::size_t>(size.devices));
            const auto& variant = problem.variants.front();
            QVERIFY(variant.micro_batches >= 1);
            QCOMPARE(variant.output_bytes.back(), 0.0);
            for (int d = 0; d < size.devices; ++d) {
                QVERIFY(problem.device_memory_bytes[static_cast<std::size_t>(d)] > 0);
                for (int l = 0; l < size.layers; ++l)
                    QVERIFY(std::isfinite(variant.forward_s(l, d)) && variant.forward_s(l, d) > 0
                            && variant.backward_input_s(l, d) > 0 && variant.backward_weight_s(l, d) > 0);
                for (int e = 0; e < size.devices; ++e) {
                    QVERIFY(std::isfinite(problem.bandwidth_bytes_per_s(d, e)) && std::isfinite(problem.latency_s(d, e)));
                    QCOMPARE(problem.bandwidth_bytes_per_s(d, e) > 0, d != e);
                }
            }
            for (int l = 0; l < size.layers; ++l)
                QVERIFY(problem.state_bytes[static_cast<std::size_t>(l)] > 0 && variant.stored_bytes[static_cast<std::size_t>(l)] > 0);
        }
    }

    void kinds_do_what_they_say()
    {
        const auto slowest_link = [](const Problem& problem) {
            double slowest = 1e300;
            for (int i = 0; i < problem.devices(); ++i)
                for (int j = 0; j < problem.devices(); ++j)
                    if (i != j)
                        slowest = std::min(slowest, problem.bandwidth_bytes_per_s(i, j));
            return slowest;
        };
        int slower = 0;
        for (std::uint64_t seed = 0; seed < 40; ++seed) {
            const VirtualSize size{32, 12, 8, {}};
            const auto equal = virtual_problem(seed, size, VirtualKind::equal_devices);
            QCOMPARE(std::set<std::string>(equal.device_types.begin(), equal.device_types.end()).size(), 1U);
            const auto mixed = virtual_problem(seed, size, VirtualKind::mixed_devices);
            const auto wan = virtual_problem(seed, size, VirtualKind::slow_wan);
            slower += slowest_link(wan) < slowest_link(mixed) ? 1 : 0;
        }
        QVERIFY(slower > 30);
    }

    void training_and_evaluation_never_meet()
    {
        std::set<std::uint64_t> training;
        for (std::uint64_t run = 0; run < 4; ++run)
            for (std::uint64_t i = 0; i < 500; ++i)
                training.insert(training_seed(run, i));
        QCOMPARE(training.size(), 2000U);
        for (std::uint64_t i = 0; i < 500; ++i) {
            QCOMPARE(evaluation_seed(1, i) % 2, 1U);
            QVERIFY(!training.contains(evaluation_seed(1, i)));
        }
    }

    void refuses_the_impossible()
    {
        QVERIFY_EXCEPTION_THROWN(virtual_problem(1, {4, 8, 6, {}}), Error);
        QVERIFY_EXCEPTION_THROWN(virtual_problem(1, {8, 4, 6, {}}), Error);
        QVERIFY_EXCEPTION_THROWN(virtual_problem(1, {8, 4, 0, {}}), Error);
    }
};

QTEST_APPLESS_MAIN(TestVirtualProblem)
#include "test_virtual_problem.moc"
