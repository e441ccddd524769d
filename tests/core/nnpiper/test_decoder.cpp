// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nnpiper/decoder.h"
#include "core/problem/virtual_problem.h"

#include "core/base/random.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

using namespace nnpiper;

namespace {

NetworkShape small_shape()
{
    NetworkShape shape;
    shape.width = 16;
    shape.heads = 2;
    shape.layers = 1;
    shape.feed_forward = 16;
    return shape;
}

std::vector<float> noise(Random& random, std::size_t count, double scale)
{
    std::vector<float> values(count);
    for (auto& v : values)
        v = static_cast<float>(scale * random.normal());
    return values;
}

TensorFile random_weights(const NetworkShape& shape, std::uint64_t seed)
{
    Random random(seed);
    TensorFile file;
    for (const auto& parameter : parameter_layout(shape)) {
        std::size_t size = 1;
        for (const auto n : parameter.shape)
            size *= static_cast<std::size_t>(n);
        file.tensors[parameter.name] = {parameter.shape, noise(random, size, 0.4)};
    }
    return file;
}

DecoderTables random_tables(const NetworkShape& shape, std::size_t devices, std::uint64_t seed)
{
    Random random(seed);
    const auto d = static_cast<std::size_t>(shape.width);
    DecoderTables tables;
    tables.last = noise(random, devices * d, 1);
    tables.used = noise(random, devices * d, 1);
    tables.key = noise(random, devices * d, 1);
    tables.context = noise(random, d, 1);
    tables.edge = noise(random, devices * devices * static_cast<std::size_t>(shape.edge_out), 1);
    tables.option_key = noise(random, devices * static_cast<std::size_t>(shape.option_hidden), 1);
    tables.load_device = noise(random, devices * static_cast<std::size_t>(shape.load_hidden), 1);
    return tables;
}

Features ask(const Problem& problem, int stages)
{
    return features_of({&problem, 0, ScheduleKind::one_f_one_b, stages, 1, 1});
}

}  // namespace

class TestDecoder : public QObject {
    Q_OBJECT
private slots:
    void orders_are_valid()
    {
        const auto shape = small_shape();
        const Decoder decoder(shape, random_weights(shape, 1));
        Random random(8);
        for (std::uint64_t seed = 0; seed < 30; ++seed) {
            const auto size = random_virtual_size(random, 24);
            const auto problem = virtual_problem(seed, size);
            const auto features = ask(problem, size.stages);
            const auto tables = random_tables(shape, static_cast<std::size_t>(size.devices), seed);
            const auto orders = decoder.decode(features, tables, 5, decode_uniforms(seed, 5, size.stages));
            QCOMPARE(orders.size(), 5U);
            for (const auto& order : orders) {
                QCOMPARE(order.devices.size(), static_cast<std::size_t>(size.stages));
                QCOMPARE(std::set<int>(order.devices.begin(), order.devices.end()).size(), order.devices.size());
                QVERIFY(*std::min_element(order.devices.begin(), order.devices.end()) >= 0);
                QVERIFY(*std::max_element(order.devices.begin(), order.devices.end()) < size.devices);
                QVERIFY(std::isfinite(order.log_probability) && order.log_probability <= 1e-6);
                QCOMPARE(order.log_load.size(), order.devices.size());
                QVERIFY(std::all_of(order.log_load.begin(), order.log_load.end(), [](float x) { return std::isfinite(x); }));
            }
        }
    }

    void same_numbers_same_orders()
    {
        const auto shape = small_shape();
        const Decoder decoder(shape, random_weights(shape, 1));
        const auto features = ask(virtual_problem(4, {20, 10, 8, {}}), 8);
        const auto tables = random_tables(shape, 10, 3);
        const auto a = decoder.decode(features, tables, 12, decode_uniforms(5, 12, 8));
        const auto b = decoder.decode(features, tables, 12, decode_uniforms(5, 12, 8));
        const auto c = decoder.decode(features, tables, 12, decode_uniforms(6, 12, 8));
        std::set<std::vector<int>> distinct;
        int other = 0;
        for (std::size_t i = 0; i < a.size(); ++i) {
            QCOMPARE(a[i].devices, b[i].devices);
            distinct.insert(a[i].devices);
            other += a[i].devices != c[i].devices ? 1 : 0;
        }
        QCOMPARE(a[0].devices, c[0].devices);  // the greedy one
        QVERIFY(distinct.size() > 3);
        QVERIFY(other > 3);
    }

    void threads_draw_the_same()
    {
        const auto shape = small_shape();
        const Decoder decoder(shape, random_weights(shape, 1));
        const auto features = ask(virtual_problem(4, {60, 40, 30, {}}), 30);
        const auto tables = random_tables(shape, 40, 3);
        const auto alone = decoder.decode(features, tables, 24, decode_uniforms(5, 24, 30));
        const auto together = decoder.decode(features, tables, 24, decode_uniforms(5, 24, 30), false, 4);
        for (std::size_t i = 0; i < alone.size(); ++i) {
            QCOMPARE(alone[i].devices, together[i].devices);
            QCOMPARE(alone[i].log_load, together[i].log_load);
        }
    }

    void draws_follow_their_probabilities()
    {
        // One stage: the log probability of a device is exact, so frequencies can be held against it.
        const auto shape = small_shape();
        const Decoder decoder(shape, random_weights(shape, 1));
        const auto problem = virtual_problem(4, {20, 5, 1, {}});
        auto features = ask(problem, 1);
        std::fill(features.memory_end.begin(), features.memory_end.end(), 20);  // everything fits everywhere
        std::iota(features.alike.begin(), features.alike.end(), 0);             // and every device is its own kind
        auto tables = random_tables(shape, 5, 3);
        for (auto& v : tables.key)
            v *= 0.1F;
        constexpr int samples = 20001;
        std::vector<double> count(5, 0), probability(5, 0);
        for (const auto& order : decoder.decode(features, tables, samples, decode_uniforms(2, samples, 1))) {
            count[static_cast<std::size_t>(order.devices[0])] += 1;
            probability[static_cast<std::size_t>(order.devices[0])] = std::exp(order.log_probability);
        }
        for (std::size_t d = 0; d < 5; ++d)
            QVERIFY(std::abs(count[d] / samples - probability[d]) < 0.015);
    }

    void takes_no_device_without_a_route()
    {
        const auto shape = small_shape();
        const Decoder decoder(shape, random_weights(shape, 1));
        auto problem = virtual_problem(4, {20, 6, 3, {}});
        for (int i = 0; i < 3; ++i)  // two islands of three
            for (int j = 3; j < 6; ++j)
                problem.bandwidth_bytes_per_s(i, j) = problem.bandwidth_bytes_per_s(j, i) = 0;
        const auto features = ask(problem, 3);
        for (const auto& order : decoder.decode(features, random_tables(shape, 6, 3), 40, decode_uniforms(2, 40, 3))) {
            const bool left = order.devices[0] < 3;
            for (const int d : order.devices)
                QCOMPARE(d < 3, left);
        }
    }

    void keeps_room_for_the_layers()
    {
        // Two big devices and four that hold a twentieth each: whatever the weights say, both big ones are needed.
        auto problem = virtual_problem(4, {40, 6, 3, {8}}, VirtualKind::equal_devices);
        auto& variant = problem.variants[0];
        std::fill(problem.state_bytes.begin(), problem.state_bytes.end(), 1e9);
        std::fill(variant.stored_bytes.begin(), variant.stored_bytes.end(), 0.0);
        problem.device_memory_bytes = {2e9, 21e9, 2e9, 2e9, 2e9, 22e9};
        const auto features = ask(problem, 3);
        const auto shape = small_shape();
        const Decoder decoder(shape, random_weights(shape, 1));
        for (const auto& order : decoder.decode(features, random_tables(shape, 6, 9), 40, decode_uniforms(2, 40, 3))) {
            QVERIFY(std::find(order.devices.begin(), order.devices.end(), 1) != order.devices.end());
            QVERIFY(std::find(order.devices.begin(), order.devices.end(), 5) != order.devices.end());
        }
    }
};

QTEST_APPLESS_MAIN(TestDecoder)
#include "test_decoder.moc"
