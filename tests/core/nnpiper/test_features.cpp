// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/error.h"
#include "core/nnpiper/features.h"
#include "core/problem/virtual_problem.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace nnpiper;

namespace {

/// The same problem with its devices listed in another order: device i of the result is device order[i] of the original.
Problem permuted(const Problem& problem, const std::vector<int>& order)
{
    Problem result = problem;
    const int devices = problem.devices();
    for (int i = 0; i < devices; ++i) {
        const auto to = static_cast<std::size_t>(i);
        const auto from = static_cast<std::size_t>(order[to]);
        result.device_ids[to] = problem.device_ids[from];
        result.device_memory_bytes[to] = problem.device_memory_bytes[from];
        for (int j = 0; j < devices; ++j) {
            result.bandwidth_bytes_per_s(i, j) = problem.bandwidth_bytes_per_s(order[to], order[static_cast<std::size_t>(j)]);
            result.latency_s(i, j) = problem.latency_s(order[to], order[static_cast<std::size_t>(j)]);
        }
        for (int l = 0; l < problem.layers(); ++l) {
            result.variants[0].forward_s(l, i) = problem.variants[0].forward_s(l, order[to]);
            result.variants[0].backward_input_s(l, i) = problem.variants[0].backward_input_s(l, order[to]);
            result.variants[0].backward_weight_s(l, i) = problem.variants[0].backward_weight_s(l, order[to]);
        }
    }
    return result;
}

Features ask(const Problem& problem, int stages)
{
    return features_of({&problem, 0, ScheduleKind::one_f_one_b, stages, 1, 1});
}

bool close(const std::vector<float>& a, const std::vector<float>& b)
{
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](float x, float y) {
               return std::abs(x - y) <= 1e-5F * std::max(1.0F, std::abs(x));
           });
}

}  // namespace

class TestFeatures : public QObject {
    Q_OBJECT
private slots:
    void sizes_and_ranges()
    {
        Random random(2);
        for (std::uint64_t seed = 0; seed < 40; ++seed) {
            const auto size = random_virtual_size(random);
            const auto problem = virtual_problem(seed, size);
            const auto f = ask(problem, size.stages);
            const auto d = static_cast<std::size_t>(size.devices);
            const auto s = static_cast<std::size_t>(size.stages);
            QCOMPARE(f.device.size(), d * FeatureSizes::device);
            QCOMPARE(f.edge.size(), d * d * FeatureSizes::edge);
            QCOMPARE(f.global.size(), std::size_t{FeatureSizes::global});
            QCOMPARE(f.position.size(), s * FeatureSizes::position);
            QCOMPARE(f.candidate.size(), s * d * FeatureSizes::candidate);
            QCOMPARE(f.memory_end.size(), s * static_cast<std::size_t>(f.memory_classes * (size.layers + 1)));
            for (const auto* values : {&f.device, &f.edge, &f.global, &f.position, &f.candidate})
                for (const float v : *values)
                    QVERIFY(std::isfinite(v) && std::abs(v) <= 8);
            QVERIFY(std::abs(std::accumulate(f.layer_work.begin(), f.layer_work.end(), 0.0) - 1) < 1e-9);
        }
    }

    void order_of_the_list_does_not_matter()
    {
        const auto problem = virtual_problem(9, {40, 12, 9, {}});
        std::vector<int> order(12);
        std::iota(order.begin(), order.end(), 0);
        Random random(4);
        random.shuffle(std::span(order));
        const auto a = ask(problem, 9);
        const auto b = ask(permuted(problem, order), 9);
        QVERIFY(close(a.global, b.global));
        for (std::size_t i = 0; i < 12; ++i) {
            const auto from = static_cast<std::size_t>(order[i]);
            for (std::size_t k = 0; k < FeatureSizes::device; ++k)
                QVERIFY(std::abs(a.device[from * FeatureSizes::device + k] - b.device[i * FeatureSizes::device + k]) < 1e-5F);
            for (std::size_t j = 0; j < 12; ++j)
                for (std::size_t k = 0; k < FeatureSizes::edge; ++k)
                    QVERIFY(std::abs(a.edge[(from * 12 + static_cast<std::size_t>(order[j])) * FeatureSizes::edge + k]
                                     - b.edge[(i * 12 + j) * FeatureSizes::edge + k]) < 1e-5F);
        }
    }

    void units_of_time_and_size_do_not_matter()
    {
        auto problem = virtual_problem(3, {30, 8, 6, {}});
        const auto before = ask(problem, 6);
        auto& variant = problem.variants[0];
        constexpr double seconds = 60, bytes = 1e-6;
        for (auto* matrix : {&variant.forward_s, &variant.backward_input_s, &variant.backward_weight_s})
            for (int l = 0; l < problem.layers(); ++l)
                for (int d = 0; d < problem.devices(); ++d)
                    (*matrix)(l, d) *= seconds;
        for (int i = 0; i < problem.devices(); ++i)
            for (int j = 0; j < problem.devices(); ++j) {
                problem.latency_s(i, j) *= seconds;
                problem.bandwidth_bytes_per_s(i, j) *= bytes / seconds;
            }
        for (auto* values : {&problem.state_bytes, &problem.device_memory_bytes, &variant.stored_bytes, &variant.output_bytes})
            for (auto& v : *values)
                v *= bytes;
        const auto after = ask(problem, 6);
        QVERIFY(close(before.device, after.device));
        QVERIFY(close(before.edge, after.edge));
        QVERIFY(close(before.global, after.global));
        QVERIFY(close(before.candidate, after.candidate));
        QVERIFY(close(before.position, after.position));
    }

    void names_do_not_matter()
    {
        auto problem = virtual_problem(3, {30, 8, 6, {}});
        const auto before = ask(problem, 6);
        for (auto* names : {&problem.device_ids, &problem.device_nodes, &problem.device_types})
            for (auto& name : *names)
                name = "x" + std::to_string(name.size());
        const auto after = ask(problem, 6);
        QCOMPARE(before.device, after.device);
        QCOMPARE(before.edge, after.edge);
    }

    void idle_devices_are_not_seen()
    {
        auto problem = virtual_problem(3, {30, 8, 6, {}});
        problem.locks.push_back({{problem.device_ids[2]}, {}, {}, {}, true});
        const auto f = ask(problem, 6);
        QCOMPARE(f.devices, 7);
        QCOMPARE(f.device_index, (std::vector<int>{0, 1, 3, 4, 5, 6, 7}));
        QVERIFY_EXCEPTION_THROWN(ask(problem, 8), Error);
        QVERIFY_EXCEPTION_THROWN(ask(problem, 0), Error);
    }

    void missing_route_is_marked()
    {
        auto problem = virtual_problem(3, {30, 4, 4, {}});
        problem.bandwidth_bytes_per_s(0, 3) = 0;
        const auto f = ask(problem, 4);
        QCOMPARE(static_cast<int>(f.route[3]), 0);
        QCOMPARE(static_cast<int>(f.route[12]), 0);  // the gradient would have no way back
        QCOMPARE(static_cast<int>(f.route[1]), 1);
        for (const float v : f.edge)
            QVERIFY(std::isfinite(v));
    }
};

QTEST_APPLESS_MAIN(TestFeatures)
#include "test_features.moc"
