// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planners/chains/plain_chains.h"
#include "core/planners/planner.h"
#include "core/simulator/simulate.h"
#include "random_problem.h"

#include <QtTest>

#include <cmath>
#include <functional>
#include <limits>

using namespace nnpiper;

namespace {

std::vector<int> layers_of(const Plan& plan)
{
    std::vector<int> layers;
    for (const Stage& stage : plan.stages)
        layers.push_back(stage.end_layer - stage.first_layer);
    return layers;
}

/// Equal devices and layers of a second forward and backward each, links that cost nothing worth naming.
Problem equal_problem(int layers, int devices, int micro_batches)
{
    Random random(1);
    Problem problem = random_problem(random, layers, devices, micro_batches);
    Variant& v = problem.variants[0];
    for (int l = 0; l < layers; ++l) {
        problem.state_bytes[static_cast<std::size_t>(l)] = 1;
        v.stored_bytes[static_cast<std::size_t>(l)] = 0;
        for (int d = 0; d < devices; ++d) {
            v.forward_s(l, d) = 1;
            v.backward_input_s(l, d) = v.backward_weight_s(l, d) = 0.5;
        }
    }
    for (int a = 0; a < devices; ++a) {
        problem.device_memory_bytes[static_cast<std::size_t>(a)] = 1e9;
        for (int b = 0; b < devices; ++b) {
            problem.bandwidth_bytes_per_s(a, b) = a == b ? 0 : 1e12;
            problem.latency_s(a, b) = 0;
        }
    }
    return problem;
}

}  // namespace

class TestPlainAnswers : public QObject {
    Q_OBJECT

private slots:
    void proportional_ends_fill_the_model_data()
    {
        QTest::addColumn<int>("layers");
        QTest::addColumn<std::vector<double>>("weights");
        QTest::addColumn<std::vector<int>>("ends");
        QTest::newRow("even") << 9 << std::vector<double>{1, 1, 1} << std::vector<int>{3, 6, 9};
        QTest::newRow("one to three") << 8 << std::vector<double>{16, 48} << std::vector<int>{2, 8};
        QTest::newRow("never none") << 4 << std::vector<double>{0, 1e9, 0} << std::vector<int>{1, 3, 4};
        QTest::newRow("all zero") << 4 << std::vector<double>{0, 0} << std::vector<int>{2, 4};
    }

    void proportional_ends_fill_the_model()
    {
        QFETCH(int, layers);
        QFETCH(std::vector<double>, weights);
        QFETCH(std::vector<int>, ends);
        QCOMPARE(proportional_ends(layers, weights), ends);
    }

    void memory_decides_where_memory_is_asked()
    {
        Problem problem = equal_problem(12, 3, 4);
        problem.device_memory_bytes = {80, 40, 24};
        const Plan plan = run_planner(find_planner("memory-proportional"), problem, {}, {});
        // 12 x 80/144 = 6.67, 12 x 120/144 = 10.
        QCOMPARE(layers_of(plan), (std::vector<int>{7, 3, 2}));
        QCOMPARE(plan.stages[2].devices, std::vector<std::string>{"gpu2"});
        problem.locks = {{{"gpu0"}, {}, {}, {}, true}};
        for (const Stage& stage : run_planner(find_planner("memory-proportional"), problem, {}, {}).stages)
            QVERIFY(stage.devices.front() != "gpu0");
    }

    void fewer_devices_leave_the_slow_ones_out()
    {
        // Two devices of a second a layer and two that take 50 s: a slow device with a single layer would be the
        // bottleneck at 100 s, the two fast ones together take 8 s a stage.
        Problem problem = equal_problem(8, 4, 16);
        Variant& v = problem.variants[0];
        for (int l = 0; l < 8; ++l) {
            for (const int d : {1, 3}) {
                v.forward_s(l, d) = 50;
                v.backward_input_s(l, d) = v.backward_weight_s(l, d) = 25;
            }
        }
        const Plan plan = run_planner(find_planner("fewer-devices"), problem, {}, {});
        QVERIFY(plan.feasible);
        QCOMPARE(layers_of(plan), (std::vector<int>{4, 4}));
        QCOMPARE(plan.detail, std::string("2 devices are left idle"));
        for (const Stage& stage : plan.stages)
            QVERIFY(stage.devices.front() == "gpu0" || stage.devices.front() == "gpu2");
        QVERIFY(std::abs(plan.makespan_s - (16 + 1) * 8) < 1e-6);
        // Memory may need them all the same.
        for (auto& memory : problem.device_memory_bytes)
            memory = 3;
        const Plan tight = run_planner(find_planner("fewer-devices"), problem, {}, {});
        QVERIFY(tight.feasible);
        QVERIFY(tight.stages.size() > 2);
        QVERIFY(tight.makespan_s > plan.makespan_s);
    }

    void fewer_devices_are_never_worse_than_the_fastest_alone()
    {
        Random random(21);
        for (int round = 0; round < 30; ++round) {
            Problem problem = random_problem(random, 9, 5, 6);
            for (auto& memory : problem.device_memory_bytes)
                memory = 1e9;
            const Plan plan = run_planner(find_planner("fewer-devices"), problem, {}, {});
            QVERIFY(plan.feasible);
            double alone = std::numeric_limits<double>::infinity();
            for (int d = 0; d < problem.devices(); ++d) {
                double work = 0;
                for (int l = 0; l < problem.layers(); ++l) {
                    const Variant& v = problem.variants[0];
                    work += v.forward_s(l, d) + v.backward_input_s(l, d) + v.backward_weight_s(l, d);
                }
                alone = std::min(alone, 6 * work);
            }
            QVERIFY(plan.makespan_s <= alone * (1 + 1e-12));
        }
    }

    void replicas_share_by_speed()
    {
        // One device three times as fast as each of the other two, 10 samples: 6, 2 and 2 end together after 2 s a
        // layer and pass, which no other integers do.
        Problem problem = equal_problem(4, 3, 5);
        problem.raw = false;
        problem.samples_known = true;
        problem.gradient_bytes.assign(4, 3e11);
        Variant& v = problem.variants[0];
        v.micro_batch_samples = 10;
        for (int l = 0; l < 4; ++l) {
            for (int d = 0; d < 3; ++d) {
                v.forward_s(l, d) = d == 1 ? 10.0 / 3 : 10;
                v.backward_input_s(l, d) = v.backward_weight_s(l, d) = v.forward_s(l, d) / 2;
            }
        }
        const Plan plan = run_planner(find_planner("data-parallel"), problem, {}, {});
        QVERIFY(plan.feasible);
        QCOMPARE(plan.stages.size(), std::size_t{1});
        QCOMPARE(plan.stages[0].shares, (std::vector<int>{2, 6, 2}));
        QVERIFY(std::abs(plan.makespan_s - 5 * 4 * (2 + 2)) < 1e-9);
        // Ring all-reduce of 4 x 3e11 bytes over 1e12 bytes/s by three: 2 x 2/3 x 1.2 s.
        QVERIFY(std::abs(plan.iteration_s - plan.makespan_s - 1.6) < 1e-9);
        QCOMPARE(plan.detail, std::string("3 replicas"));
    }

    void data_parallel_leaves_slow_types_out_and_says_why_it_cannot()
    {
        Problem problem = equal_problem(4, 3, 5);
        problem.raw = false;
        problem.samples_known = true;
        problem.gradient_bytes.assign(4, 1e9);
        problem.variants[0].micro_batch_samples = 4;
        problem.device_types = {"fast", "slow", "fast"};
        for (int l = 0; l < 4; ++l)
            problem.variants[0].forward_s(l, 1) = 1000;
        const Plan plan = run_planner(find_planner("data-parallel"), problem, {}, {});
        QCOMPARE(plan.stages[0].devices, (std::vector<std::string>{"gpu0", "gpu2"}));
        QCOMPARE(plan.detail, std::string("2 replicas, 1 device is left idle"));

        problem.variants[0].micro_batch_samples = 1;
        problem.device_types = {"a", "a", "a"};
        const Plan few = run_planner(find_planner("data-parallel"), problem, {}, {});
        QCOMPARE(few.status, std::string("skipped"));
        QCOMPARE(few.reason, std::string("3 replicas cannot share a micro-batch of at most 1 sample"));

        problem.variants[0].micro_batch_samples = 4;
        for (auto& memory : problem.device_memory_bytes)
            memory = 3.5;
        const Plan large = run_planner(find_planner("data-parallel"), problem, {}, {});
        QCOMPARE(large.status, std::string("infeasible"));
        QVERIFY2(large.reason.find("needs 4 B") != std::string::npos, large.reason.c_str());

        problem.stages = 2;
        QCOMPARE(run_planner(find_planner("data-parallel"), problem, {}, {}).status, std::string("skipped"));
        problem.stages = 1;
        problem.samples_known = false;
        problem.raw = true;
        QCOMPARE(run_planner(find_planner("data-parallel"), problem, {}, {}).status, std::string("skipped"));
    }

    void groups_of_devices_hold_what_one_cannot()
    {
        // Two nodes of two: a model of 4 bytes of state on devices of 3 needs groups of two, one in each node.
        Problem problem = equal_problem(4, 4, 5);
        problem.raw = false;
        problem.samples_known = true;
        problem.gradient_bytes.assign(4, 1e9);
        problem.device_nodes = {"a", "b", "a", "b"};
        problem.device_types = {"t", "t", "t", "t"};
        problem.variants[0].micro_batch_samples = 4;
        Variant pair = problem.variants[0];
        pair.tensor_parallel = 2;
        pair.forward_traffic.assign(4, {});
        pair.backward_traffic.assign(4, {});
        problem.variants.push_back(pair);
        problem.tensor_parallel_free = true;
        const Plan roomy = run_planner(find_planner("data-parallel"), problem, {}, {});
        QCOMPARE(roomy.stages[0].tensor_parallel, 1);
        for (auto& memory : problem.device_memory_bytes)
            memory = 3;
        const Plan plan = run_planner(find_planner("data-parallel"), problem, {}, {});
        QVERIFY2(plan.feasible, plan.reason.c_str());
        QCOMPARE(plan.stages[0].tensor_parallel, 2);
        QCOMPARE(plan.stages[0].devices, (std::vector<std::string>{"gpu0", "gpu2", "gpu1", "gpu3"}));
        QCOMPARE(plan.detail, std::string("2 replicas of 2 devices"));
    }
};

QTEST_APPLESS_MAIN(TestPlainAnswers)
#include "test_plain_answers.moc"
