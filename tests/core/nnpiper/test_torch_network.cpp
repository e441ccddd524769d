// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/error.h"
#include "core/nnpiper/features.h"
#include "core/nnpiper/network_shape.h"
#include "core/nnpiper/torch_solver.h"
#include "core/problem/virtual_problem.h"

#include "core/base/random.h"

#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <numeric>
#include <set>

using namespace nnpiper;

namespace {

std::filesystem::path write_random_weights(const QTemporaryDir& folder)
{
    NetworkShape shape;
    shape.width = 32;
    shape.feed_forward = 64;
    shape.layers = 2;
    TensorFile file;
    file.metadata["architecture"] = describe(shape);
    Random random(11);
    for (const auto& parameter : parameter_layout(shape)) {
        Tensor tensor{parameter.shape, {}};
        std::size_t size = 1;
        for (const auto n : parameter.shape)
            size *= static_cast<std::size_t>(n);
        for (std::size_t i = 0; i < size; ++i)
            tensor.values.push_back(static_cast<float>(0.15 * random.normal()));
        file.tensors[parameter.name] = std::move(tensor);
    }
    const std::filesystem::path path = folder.filePath("random.safetensors").toStdString();
    write_tensors(path, file);
    return path;
}

/// A virtual problem without twins: which of two equal devices comes first is a matter of rounding.
Problem without_twins(std::uint64_t seed, const VirtualSize& size)
{
    auto problem = virtual_problem(seed, size);
    auto& variant = problem.variants[0];
    Random random(seed);
    for (int d = 0; d < problem.devices(); ++d) {
        const double slower = random.uniform(1, 1.3);
        problem.device_memory_bytes[static_cast<std::size_t>(d)] *= random.uniform(1, 1.1);
        for (int l = 0; l < problem.layers(); ++l) {
            variant.forward_s(l, d) *= slower;
            variant.backward_input_s(l, d) *= slower;
            variant.backward_weight_s(l, d) *= slower;
        }
        for (int e = 0; e < problem.devices(); ++e)
            problem.bandwidth_bytes_per_s(d, e) *= random.uniform(0.7, 1);
    }
    return problem;
}

bool near(const std::vector<float>& a, const std::vector<float>& b)
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](float x, float y) { return std::abs(x - y) < 1e-4F; });
}

}  // namespace

class TestTorchNetwork : public QObject {
    Q_OBJECT
private:
    QTemporaryDir folder_;
    std::filesystem::path weights_;
    std::unique_ptr<TorchModule> module_;

private slots:
    void initTestCase()
    {
        module_ = make_torch_module();
        weights_ = write_random_weights(folder_);
    }

    void host_loop_equals_tensor_loop_data()
    {
        QTest::addColumn<int>("devices");
        QTest::addColumn<int>("stages");
        QTest::addColumn<int>("seed");
        QTest::newRow("one stage") << 3 << 1 << 1;
        QTest::newRow("all devices") << 6 << 6 << 2;
        QTest::newRow("some idle") << 16 << 11 << 3;
        QTest::newRow("large") << 40 << 24 << 4;
    }

    void host_loop_equals_tensor_loop()
    {
        QFETCH(int, devices);
        QFETCH(int, stages);
        QFETCH(int, seed);
        const auto host = open_order_network(weights_, "cpu", DecodeWith::host);
        const auto tensors = open_order_network(weights_, "cpu", DecodeWith::tensors);
        const auto problem = without_twins(static_cast<std::uint64_t>(seed), {2 * stages + 3, devices, stages, {}});
        const NetworkQuestion question{&problem, 0, ScheduleKind::one_f_one_b, stages, 6, 9};
        const auto a = host->answer(question);
        const auto b = tensors->answer(question);
        QCOMPARE(a.size(), b.size());
        for (std::size_t k = 0; k < a.size(); ++k) {
            QCOMPARE(a[k].devices, b[k].devices);
            QVERIFY(near(a[k].log_load, b[k].log_load));
            QVERIFY2(std::abs(a[k].log_probability - b[k].log_probability) < 1e-5,
                     qPrintable(QString("%1 %2").arg(a[k].log_probability).arg(b[k].log_probability)));
        }
    }

    void one_call_for_many_equals_many_calls()
    {
        const auto network = open_order_network(weights_, "cpu");
        const auto p = without_twins(5, {24, 9, 6, {}});
        const auto q = without_twins(6, {30, 7, 5, {}});
        const std::vector<NetworkQuestion> questions{{&p, 0, ScheduleKind::one_f_one_b, 6, 4, 1},
                                                     {&q, 0, ScheduleKind::one_f_one_b, 5, 4, 2},
                                                     {&p, 0, ScheduleKind::gpipe, 8, 4, 3}};
        const auto together = network->answer_all(questions);
        QCOMPARE(together.size(), 3U);
        for (std::size_t i = 0; i < 3; ++i) {
            const auto alone = network->answer(questions[i]);
            for (std::size_t k = 0; k < alone.size(); ++k)
                QCOMPARE(together[i][k].devices, alone[k].devices);
        }
    }

    void same_seed_same_answer()
    {
        const auto network = open_order_network(weights_, "cpu");
        const auto problem = virtual_problem(5, {24, 12, 9, {}});
        const auto ask = [&](std::uint64_t seed) {
            std::vector<std::vector<int>> orders;
            for (const auto& answer : network->answer({&problem, 0, ScheduleKind::one_f_one_b, 9, 8, seed}))
                orders.push_back(answer.devices);
            return orders;
        };
        QCOMPARE(ask(1), ask(1));
        QVERIFY(ask(1) != ask(2));
        QCOMPARE(ask(1).front(), ask(2).front());
    }

    void listing_devices_otherwise_names_the_same_ones()
    {
        const auto network = open_order_network(weights_, "cpu");
        const auto problem = without_twins(21, {24, 8, 6, {}});
        auto turned = problem;
        const int devices = problem.devices();
        for (int i = 0; i < devices; ++i) {
            const int from = devices - 1 - i;
            turned.device_ids[static_cast<std::size_t>(i)] = problem.device_ids[static_cast<std::size_t>(from)];
            turned.device_memory_bytes[static_cast<std::size_t>(i)] = problem.device_memory_bytes[static_cast<std::size_t>(from)];
            for (int j = 0; j < devices; ++j) {
                turned.bandwidth_bytes_per_s(i, j) = problem.bandwidth_bytes_per_s(from, devices - 1 - j);
                turned.latency_s(i, j) = problem.latency_s(from, devices - 1 - j);
            }
            auto& v = turned.variants[0];
            for (int l = 0; l < problem.layers(); ++l) {
                v.forward_s(l, i) = problem.variants[0].forward_s(l, from);
                v.backward_input_s(l, i) = problem.variants[0].backward_input_s(l, from);
                v.backward_weight_s(l, i) = problem.variants[0].backward_weight_s(l, from);
            }
        }
        const auto a = network->answer({&problem, 0, ScheduleKind::one_f_one_b, 6, 1, 1}).front();
        const auto b = network->answer({&turned, 0, ScheduleKind::one_f_one_b, 6, 1, 1}).front();
        QVERIFY(std::abs(a.log_probability - b.log_probability) < 1e-4);
        QVERIFY(near(a.log_load, b.log_load));
        for (std::size_t s = 0; s < 6; ++s)
            QCOMPARE(turned.device_ids[static_cast<std::size_t>(b.devices[s])], problem.device_ids[static_cast<std::size_t>(a.devices[s])]);
    }

    void unit_of_time_does_not_matter()
    {
        const auto network = open_order_network(weights_, "cpu");
        auto problem = virtual_problem(8, {24, 10, 8, {}});
        const auto before = network->answer({&problem, 0, ScheduleKind::one_f_one_b, 8, 4, 1});
        auto& v = problem.variants[0];
        for (auto* matrix : {&v.forward_s, &v.backward_input_s, &v.backward_weight_s})
            for (int l = 0; l < problem.layers(); ++l)
                for (int d = 0; d < problem.devices(); ++d)
                    (*matrix)(l, d) *= 1024;
        for (int i = 0; i < problem.devices(); ++i)
            for (int j = 0; j < problem.devices(); ++j) {
                problem.bandwidth_bytes_per_s(i, j) /= 1024;
                problem.latency_s(i, j) *= 1024;
            }
        const auto after = network->answer({&problem, 0, ScheduleKind::one_f_one_b, 8, 4, 1});
        for (std::size_t k = 0; k < before.size(); ++k) {
            QCOMPARE(before[k].devices, after[k].devices);
            QVERIFY(near(before[k].log_load, after[k].log_load));
        }
    }

    void unit_of_size_does_not_matter()
    {
        const auto network = open_order_network(weights_, "cpu");
        auto problem = virtual_problem(8, {24, 10, 8, {}});
        const auto before = network->answer({&problem, 0, ScheduleKind::one_f_one_b, 8, 4, 1});
        auto& v = problem.variants[0];
        for (auto* values : {&problem.state_bytes, &problem.device_memory_bytes, &v.stored_bytes, &v.output_bytes})
            for (auto& bytes : *values)
                bytes *= 1024;
        for (int i = 0; i < problem.devices(); ++i)
            for (int j = 0; j < problem.devices(); ++j)
                problem.bandwidth_bytes_per_s(i, j) *= 1024;
        const auto after = network->answer({&problem, 0, ScheduleKind::one_f_one_b, 8, 4, 1});
        for (std::size_t k = 0; k < before.size(); ++k) {
            QCOMPARE(before[k].devices, after[k].devices);
            QVERIFY(near(before[k].log_load, after[k].log_load));
        }
    }

    void explains_its_decisions()
    {
        auto problem = virtual_problem(8, {24, 10, 6, {}});
        problem.locks.push_back({{problem.device_ids[4]}, {}, {}, {}, true});
        for (const auto decode : {DecodeWith::host, DecodeWith::tensors}) {
            const auto network = open_order_network(weights_, "cpu", decode);
            QVERIFY(network->answer({&problem, 0, ScheduleKind::one_f_one_b, 6, 1, 1}).front().probability.empty());
            const auto answer = network->answer({&problem, 0, ScheduleKind::one_f_one_b, 6, 1, 1, true}).front();
            QCOMPARE(answer.probability.size(), std::size_t{6 * 10});
            std::set<int> used;
            for (std::size_t s = 0; s < 6; ++s) {
                double sum = 0;
                for (std::size_t d = 0; d < 10; ++d) {
                    const float p = answer.probability[s * 10 + d];
                    sum += p;
                    if (d == 4 || used.contains(static_cast<int>(d)))
                        QCOMPARE(p, 0.0F);
                }
                QVERIFY(std::abs(sum - 1) < 1e-5);
                QVERIFY(answer.probability[s * 10 + static_cast<std::size_t>(answer.devices[s])] > 0);
                used.insert(answer.devices[s]);
            }
        }
    }

    void tells_what_is_not_there()
    {
        QVERIFY_EXCEPTION_THROWN(open_order_network(folder_.filePath("none.safetensors").toStdString(), "cpu"), Error);
        QVERIFY_EXCEPTION_THROWN(resolve_device("tpu"), Error);
        QCOMPARE(resolve_device("cpu"), std::string("cpu"));
        if (!module_->cuda_available()) {
            QCOMPARE(resolve_device("auto"), std::string("cpu"));
            try {
                resolve_device("cuda");
                QFAIL("no error");
            } catch (const Error& error) {
                QCOMPARE(error.place(), std::string("device"));
            }
        }
    }

    void cuda_equals_cpu()
    {
        if (!module_->cuda_available())
            QSKIP("no CUDA device");
        const auto cpu = open_order_network(weights_, "cpu");
        const auto cuda = open_order_network(weights_, "cuda");
        QCOMPARE(cuda->device(), std::string("cuda"));
        const auto problem = virtual_problem(5, {24, 12, 9, {}});
        const NetworkQuestion question{&problem, 0, ScheduleKind::one_f_one_b, 9, 1, 1};
        QVERIFY(std::abs(cpu->answer(question)[0].log_probability - cuda->answer(question)[0].log_probability) < 1e-3);
    }
};

QTEST_GUILESS_MAIN(TestTorchNetwork)
#include "test_torch_network.moc"
