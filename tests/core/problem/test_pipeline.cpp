// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/error.h"
#include "core/problem/pipeline.h"
#include "core/simulator/simulate.h"

#include <QtTest>


using namespace nnpiper;

namespace {

/// Four equal devices and three layers; layer l takes (l+1) s forward, twice that backward, for 4 samples.
Problem small_problem()
{
    Problem p;
    p.name = "small";
    Variant v;
    v.micro_batch_samples = 4;
    v.micro_batches = 5;
    v.forward_s = v.backward_input_s = v.backward_weight_s = Matrix(3, 4);
    for (int l = 0; l < 3; ++l) {
        p.layer_names.push_back("l" + std::to_string(l));
        p.state_bytes.push_back(100.0 * (l + 1));
        p.gradient_bytes.push_back(10.0 * (l + 1));
        v.stored_bytes.push_back(8);
        v.transient_bytes.push_back(4.0 * (l + 1));
        v.output_bytes.push_back(40);
        v.buffer_bytes.push_back(80);
        for (int d = 0; d < 4; ++d) {
            v.forward_s(l, d) = l + 1;
            v.backward_input_s(l, d) = l + 1;
            v.backward_weight_s(l, d) = l + 1;
        }
    }
    p.bandwidth_bytes_per_s = p.latency_s = Matrix(4, 4);
    for (int a = 0; a < 4; ++a) {
        p.device_ids.push_back("gpu" + std::to_string(a));
        p.device_types.emplace_back();
        p.device_nodes.emplace_back();
        p.device_memory_bytes.push_back(1000);
        p.device_price_per_h.push_back(1);
        for (int b = 0; b < 4; ++b) {
            if (a != b) {
                p.bandwidth_bytes_per_s(a, b) = 20;
                p.latency_s(a, b) = 0.5;
            }
        }
    }
    p.variants.push_back(v);
    return p;
}

Stage stage(std::vector<std::string> devices, int first, int end)
{
    Stage s;
    s.devices = std::move(devices);
    s.first_layer = first;
    s.end_layer = end;
    return s;
}

Plan plan_of(std::vector<Stage> stages)
{
    Plan plan;
    plan.micro_batches = 5;
    plan.stages = std::move(stages);
    return plan;
}

}  // namespace

class TestPipeline : public QObject {
    Q_OBJECT

private slots:
    void costs_of_single_devices()
    {
        const Problem problem = small_problem();
        const Pipeline p = lay_out(problem, plan_of({stage({"gpu2"}, 0, 2), stage({"gpu0"}, 2, 3)}));
        QCOMPARE(p.forward_s, (std::vector<double>{3, 3}));
        QCOMPARE(p.backward_s(0), 6.0);
        QCOMPARE(p.forward_occupancy_s, std::vector<double>{2});
        QCOMPARE(p.backward_occupancy_s, std::vector<double>{2});
        QCOMPARE(p.forward_latency_s, std::vector<double>{0.5});
        QCOMPARE(p.all_reduce_s, (std::vector<double>{0, 0}));
        QCOMPARE(p.samples, 20.0);
    }

    void replicas_share_samples_messages_and_gradients()
    {
        Problem problem = small_problem();
        Plan plan = plan_of({stage({"gpu0", "gpu1"}, 0, 2), stage({"gpu2"}, 2, 3)});
        plan.stages[0].shares = {3, 1};
        const Pipeline p = lay_out(problem, plan);
        QCOMPARE(p.forward_s[0], 3.0 * 3 / 4);  // the slower replica has three of four samples
        // Both senders deliver to one port: 3/4 and 1/4 of 40 bytes at 20 bytes/s.
        QCOMPARE(p.forward_occupancy_s[0], 2.0);
        // Ring over two: 2 (1/2) 30/20 + 2 x 0.5.
        QCOMPARE(p.all_reduce_s[0], 1.5 + 1.0);
        const Op forward{OpKind::forward, 0, 0}, next{OpKind::forward, 0, 1}, last{OpKind::forward, 1, 0};
        const auto memory = memory_of(problem, plan, {{forward, next}, {last}});
        QCOMPARE(memory.size(), std::size_t{3});
        QCOMPARE(memory[0].needed_bytes(), 300 + 2 * 16 * 0.75 + 8 * 0.75 + 80 * 0.75);
        QCOMPARE(memory[1].needed_bytes(), 300 + 2 * 16 * 0.25 + 8 * 0.25 + 80 * 0.25);
        QCOMPARE(memory[2].needed_bytes(), 300.0 + 8 + 12 + 80);
    }

    void weights_that_are_updated_without_a_flush_are_held_twice()
    {
        Problem problem = small_problem();
        problem.weight_bytes = {10, 20, 40};
        Plan plan = plan_of({stage({"gpu0"}, 0, 2), stage({"gpu2"}, 2, 3)});
        const OpOrder order{{{OpKind::forward, 0, 0}}, {{OpKind::forward, 1, 0}}};
        const auto once = memory_of(problem, plan, order);
        plan.schedule = ScheduleKind::pipedream_2bw;
        const auto twice = memory_of(problem, plan, order);
        QCOMPARE(twice[0].state_bytes, once[0].state_bytes + 30);
        QCOMPARE(twice[1].state_bytes, once[1].state_bytes + 40);
    }

    void overlapping_ranges_between_groups()
    {
        const Problem problem = small_problem();
        // Samples 0-1 | 2-3 to 0 | 1-3: sender 0 gives one to each, sender 1 both to the second.
        Plan plan = plan_of({stage({"gpu0", "gpu1"}, 0, 2), stage({"gpu2", "gpu3"}, 2, 3)});
        plan.stages[1].shares = {1, 3};
        const Pipeline p = lay_out(problem, plan);
        QCOMPARE(p.forward_occupancy_s[0], 40.0 * 3 / 4 / 20);  // gpu3's port receives three samples
    }

    void share_times_come_from_priced_sizes()
    {
        Problem problem = small_problem();
        Variant half = problem.variants[0];
        half.micro_batch_samples = 2;
        half.micro_batches = 10;
        for (int l = 0; l < 3; ++l) {
            for (int d = 0; d < 4; ++d)
                half.forward_s(l, d) = 0.9 * (l + 1);  // small batches are inefficient
        }
        problem.variants.insert(problem.variants.begin(), half);
        Plan plan = plan_of({stage({"gpu0", "gpu1"}, 0, 3)});
        QCOMPARE(lay_out(problem, plan).forward_s[0], 0.9 * 6);
        plan.stages[0].shares = {3, 1};
        QCOMPARE(lay_out(problem, plan).forward_s[0], (0.9 + 1) / 2 * 6);
    }

    void makespan_leaves_out_what_iteration_includes()
    {
        Problem problem = small_problem();
        problem.fixed_step_s = 7;
        problem.optimizer_s = Matrix(3, 4, 0.25);
        Plan plan = plan_of({stage({"gpu0", "gpu1"}, 0, 3)});
        predict(problem, plan);
        const Timeline timeline = simulate(problem, plan);
        const double all_reduce = 60.0 / 20 + 2 * 0.5;
        QCOMPARE(timeline.makespan_s, 5 * (3.0 + 6.0));
        QCOMPARE(timeline.iteration_s, timeline.makespan_s + all_reduce + 0.75 + 7);
        QCOMPARE(plan.makespan_s, timeline.makespan_s);
        QCOMPARE(plan.iteration_s, timeline.iteration_s);
        QCOMPARE(plan.throughput_samples_per_s, 20 / timeline.iteration_s);
    }

    void over_capacity_is_told_with_figures()
    {
        Problem problem = small_problem();
        problem.device_memory_bytes[1] = 250;
        Plan plan = plan_of({stage({"gpu0"}, 0, 2), stage({"gpu1"}, 2, 3)});
        predict(problem, plan);
        QVERIFY(!plan.feasible);
        QCOMPARE(plan.status, std::string("infeasible"));
        QVERIFY2(plan.reason.find("stage 1 needs 400 B on gpu1, which has 250 B") != std::string::npos, plan.reason.c_str());
        QVERIFY(plan.makespan_s > 0);
    }

    void faults_data()
    {
        QTest::addColumn<int>("fault");
        QTest::addColumn<QString>("expected");
        QTest::newRow("no stage") << 0 << "/stages: there is no stage";
        QTest::newRow("gap") << 1 << "/stages/1/first_layer: it is 2; the end of the stage before, 1";
        QTest::newRow("empty stage") << 2 << "/stages/0/end_layer: the stage holds no layer";
        QTest::newRow("layers missing") << 3 << "/stages/1/end_layer: the stages end at layer 2; all 3 layers";
        QTest::newRow("unknown device") << 4 << "/stages/0/devices/0: there is no device \"tpu\"";
        QTest::newRow("device twice") << 5 << "/stages/1/devices/0: device \"gpu0\" is already in stage 0";
        QTest::newRow("no route") << 6 << "there is no route between \"gpu0\" and \"gpu1\"";
        QTest::newRow("replicas not allowed") << 7 << "one device, since the problem gives no gradient_bytes";
        QTest::newRow("shares") << 8 << "/stages/0/shares: the shares do not fit";
        QTest::newRow("too many replicas") << 9 << "4 replicas share micro-batches of 2 samples";
        QTest::newRow("micro-batches") << 10 << "/micro_batches: the problem has no variant with 3 micro-batches";
        QTest::newRow("idle lock") << 11 << "/locks/0: device \"gpu1\" is used; it is locked idle";
        QTest::newRow("stage lock") << 12 << "/locks/0: device \"gpu1\" has stage 1";
        QTest::newRow("unused lock") << 13 << "/locks/0: device \"gpu3\" is not used";
        QTest::newRow("tensor parallel") << 14 << "/stages/0/tensor_parallel: it is 2";
    }

    void faults()
    {
        QFETCH(int, fault);
        QFETCH(QString, expected);
        Problem problem = small_problem();
        Plan plan = plan_of({stage({"gpu0"}, 0, 1), stage({"gpu1"}, 1, 3)});
        QVERIFY(validate(problem, plan).empty());
        switch (fault) {
        case 0: plan.stages.clear(); break;
        case 1: plan.stages[1].first_layer = 2; break;
        case 2: plan.stages[0].end_layer = 0; break;
        case 3: plan.stages[1].end_layer = 2; break;
        case 4: plan.stages[0].devices = {"tpu"}; break;
        case 5: plan.stages[1].devices = {"gpu0"}; break;
        case 6: problem.bandwidth_bytes_per_s(1, 0) = 0; break;
        case 7:
            problem.gradient_bytes.clear();
            plan.stages[0].devices = {"gpu0", "gpu2"};
            break;
        case 8:
            plan.stages[0].devices = {"gpu0", "gpu2"};
            plan.stages[0].shares = {4, 0};
            break;
        case 9:
            problem.variants[0].micro_batch_samples = 2;
            plan.stages = {stage({"gpu0", "gpu1", "gpu2", "gpu3"}, 0, 3)};
            break;
        case 10: plan.micro_batches = 3; break;
        case 11: problem.locks = {{{"gpu1"}, {}, {}, {}, true}}; break;
        case 12: problem.locks = {{{"gpu1"}, 0, {}, {}, false}}; break;
        case 13: problem.locks = {{{"gpu3"}, {}, {}, {}, false}}; break;
        case 14: plan.stages[0].tensor_parallel = 2; break;
        }
        const auto faults = validate(problem, plan);
        QVERIFY(!faults.empty());
        QVERIFY2(faults.front().find(expected.toStdString()) != std::string::npos, faults.front().c_str());
        predict(problem, plan);
        QVERIFY(!plan.feasible);
        QVERIFY_EXCEPTION_THROWN(simulate(problem, plan), Error);
    }

    void a_raw_problem_takes_any_number_of_micro_batches()
    {
        Problem problem = small_problem();
        problem.raw = true;
        Plan plan = plan_of({stage({"gpu0"}, 0, 3)});
        plan.micro_batches = 11;
        predict(problem, plan);
        QCOMPARE(plan.makespan_s, 11 * 18.0);
        plan.micro_batches = 0;
        QVERIFY(!validate(problem, plan).empty());
    }
};

QTEST_APPLESS_MAIN(TestPipeline)
#include "test_pipeline.moc"
