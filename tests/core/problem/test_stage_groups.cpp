// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planners/chains/chain.h"
#include "core/problem/compile.h"
#include "core/problem/group_costs.h"
#include "core/problem/pipeline.h"
#include "core/schedule/schedule.h"

#include <QtTest>

#include <algorithm>
#include <cmath>

using namespace nnpiper;

namespace {

constexpr double mega = 1e6;

/// Two nodes of four equal devices: 100 GB/s inside, 10 GB/s between them over one link, a GPT of eight heads.
Project two_nodes()
{
    Project project;
    Architecture& a = project.model.architecture;
    a.family = Family::gpt2;
    a.hidden = 512;
    a.blocks = 4;
    a.heads = a.key_value_heads = 8;
    a.head_dim = 64;
    a.feed_forward = 2048;
    a.vocabulary = 1000;
    a.positions = 128;
    project.model.sequence_length = 128;
    for (const char* id : {"a", "b"}) {
        Node node;
        node.id = id;
        node.interconnect_bytes_per_s = 100e9;
        node.interconnect_latency_s = 1e-6;
        node.host_bytes_per_s = 100e9;
        project.cluster.nodes.push_back(node);
        for (int i = 0; i < 4; ++i) {
            Device device;
            device.id = std::string(id) + "/" + std::to_string(i);
            device.node = id;
            device.spec.memory_bytes = 1e12;
            device.spec.peak_flop_per_s = {{"bf16", 1e12}};
            project.cluster.devices.push_back(device);
        }
    }
    Link link;
    link.id = "l";
    link.from = "a";
    link.to = "b";
    link.bandwidth_bytes_per_s = 10e9;
    link.achieved_fraction = 1;
    link.latency_s = 1e-5;
    project.cluster.links.push_back(link);
    project.job.global_batch = 32;
    project.job.micro_batch = 4;
    project.job.tensor_parallel.reset();
    return project;
}

Stage stage(std::vector<std::string> devices, int first, int end, int tensor_parallel)
{
    Stage s;
    s.devices = std::move(devices);
    s.first_layer = first;
    s.end_layer = end;
    s.tensor_parallel = tensor_parallel;
    return s;
}

Plan plan_of(std::vector<Stage> stages)
{
    Plan plan;
    plan.micro_batches = 8;
    plan.stages = std::move(stages);
    return plan;
}

const std::vector<std::string> node_a = {"a/0", "a/1", "a/2", "a/3"};
const std::vector<std::string> node_b = {"b/0", "b/1", "b/2", "b/3"};

}  // namespace

class TestStageGroups : public QObject {
    Q_OBJECT

private slots:
    void collectives_are_priced_on_the_group()
    {
        const Problem problem = compile(two_nodes());
        const Plan plan = plan_of({stage(node_a, 0, 3, 4), stage(node_b, 3, 6, 4)});
        QVERIFY2(validate(problem, plan).empty(), validate(problem, plan).empty() ? "" : validate(problem, plan)[0].c_str());
        const Pipeline p = lay_out(problem, plan);
        const Variant& v = variant_of(problem, plan);
        QCOMPARE(v.tensor_parallel, 4);
        // Embedding and two blocks: one and two times two all-reduces of s b h elements over four at 100 GB/s.
        const double bytes = 4 * 128 * 512 * 2.0;
        const double all_reduce = 2 * 3.0 / 4 * bytes / 100e9 + 2 * 3 * 1e-6;
        QCOMPARE(p.forward_s[0], v.forward_s(0, 0) + v.forward_s(1, 0) + v.forward_s(2, 0) + 5 * all_reduce);
        QCOMPARE(p.backward_input_s[1], v.backward_input_s(3, 4) + v.backward_input_s(4, 4) + v.backward_input_s(5, 4)
                                            + 5 * all_reduce);
        // Four ports send a quarter each.
        QCOMPARE(p.forward_occupancy_s[0], bytes / 4 / 10e9);
        QCOMPARE(p.all_reduce_s[0], 0.0);
    }

    /// Two replicas of two, shares 3 and 1: the larger replica sets the pace; each slice has a ring of its own.
    void replicas_of_groups()
    {
        const Problem problem = compile(two_nodes());
        Plan plan = plan_of({stage({"a/0", "a/1", "b/0", "b/1"}, 0, 6, 2)});
        plan.stages[0].shares = {3, 1};
        QVERIFY(validate(problem, plan).empty());
        const Pipeline p = lay_out(problem, plan);
        const Variant& v = variant_of(problem, plan);
        double compute = 0, gradients = 0;
        for (int l = 0; l < 6; ++l) {
            compute += v.forward_s(l, 0);
            gradients += problem.held_share(l, 2) * problem.gradient_bytes[static_cast<std::size_t>(l)];
        }
        const double bytes = 3 * 128 * 512 * 2.0;
        const double passes = 2 + 4 * 4;  // embedding and four blocks
        QCOMPARE(p.forward_s[0], 0.75 * compute + passes * (bytes / 2 / 100e9 + 1e-6));
        // Two rings cross the link, each has half of it.
        const double latency = problem.latency_s(0, 4);
        QCOMPARE(p.all_reduce_s[0], 2 * (gradients / 2 / 5e9 + latency));
        const StageGroup group = stage_group(problem, plan.stages[0], 4);
        QCOMPARE(group.peers(1), (std::vector<int>{1, 5}));
        QCOMPARE(group.members(1), (std::vector<int>{4, 5}));
        const std::vector<std::pair<double, double>> ranges = {{0, 1.5}, {1.5, 3}, {3, 3.5}, {3.5, 4}};
        QVERIFY(group.ranges() == ranges);
    }

    void distributed_optimizer_shares_state_and_update()
    {
        Project project = two_nodes();
        const Problem plain = compile(project);
        project.job.zero_stage = 1;
        const Problem zero = compile(project);
        const Plan plan = plan_of({stage(node_a, 0, 6, 1)});
        const Pipeline all = lay_out(plain, plan);
        const Pipeline shared = lay_out(zero, plan);
        QCOMPARE(shared.optimizer_s[0], all.optimizer_s[0] / 4);
        // bf16 gradients out, bf16 weights back: as many bytes as the all-reduce.
        QCOMPARE(shared.all_reduce_s[0], all.all_reduce_s[0]);
        double parameters = 0;
        for (const double bytes : plain.weight_bytes)
            parameters += bytes / 2;
        const OpOrder order = op_order(ScheduleKind::one_f_one_b, 1, 8);
        QCOMPARE(memory_of(plain, plan, order)[0].state_bytes, 16 * parameters);
        QCOMPARE(memory_of(zero, plan, order)[0].state_bytes, (4 + 12.0 / 4) * parameters);
        // Slices of the weights on top.
        const double held = memory_of(zero, plan_of({stage(node_a, 0, 6, 2)}), order)[0].state_bytes;
        double sliced = 0;
        for (int l = 0; l < 6; ++l)
            sliced += zero.held_share(l, 2) * zero.weight_bytes[static_cast<std::size_t>(l)] / 2;
        QCOMPARE(held, (4 + 12.0 / 2) * sliced);
        QVERIFY(sliced > parameters / 2 && sliced < 0.6 * parameters);
    }

    /// Each stage has the times and the memory of its own policy.
    void recompute_by_stage()
    {
        Project project = two_nodes();
        project.job.tensor_parallel = 1;
        project.job.recompute.reset();
        const Problem problem = compile(project);
        const auto plan_with = [](Recompute first, Recompute second) {
            Plan plan = plan_of({stage({"a/0"}, 0, 3, 1), stage({"a/1"}, 3, 6, 1)});
            plan.stages[0].recompute = first;
            plan.stages[1].recompute = second;
            return plan;
        };
        const OpOrder order = op_order(ScheduleKind::one_f_one_b, 2, 8);
        const Plan none = plan_with(Recompute::none, Recompute::none);
        const Plan full = plan_with(Recompute::full, Recompute::full);
        const Plan mixed = plan_with(Recompute::full, Recompute::none);
        QVERIFY2(validate(problem, mixed).empty(), "each stage may have a policy of its own");
        const Pipeline p = lay_out(problem, mixed);
        QCOMPARE(p.backward_s(0), lay_out(problem, full).backward_s(0));
        QCOMPARE(p.backward_s(1), lay_out(problem, none).backward_s(1));
        QVERIFY(p.backward_s(0) > lay_out(problem, none).backward_s(0));
        const auto memory = memory_of(problem, mixed, order);
        QCOMPARE(memory[0].needed_bytes(), memory_of(problem, full, order)[0].needed_bytes());
        QCOMPARE(memory[1].needed_bytes(), memory_of(problem, none, order)[1].needed_bytes());
        QVERIFY(memory[0].stored_bytes < memory_of(problem, none, order)[0].stored_bytes);

        project.job.recompute = Recompute::none;
        const auto found = validate(compile(project), mixed);
        QCOMPARE(found.size(), std::size_t{1});
        QCOMPARE(found[0], std::string("/stages/0/recompute: it is full; the policies that the problem prices: none"));
    }

    void faults_data()
    {
        QTest::addColumn<int>("fault");
        QTest::addColumn<QString>("beginning");
        QTest::newRow("degree") << 0 << "/stages/0/tensor_parallel: it is 3";
        QTest::newRow("devices") << 1 << "/stages/0/devices: 3 devices do not make groups of 2";
        QTest::newRow("shares") << 2 << "/stages/0/shares: the shares do not fit";
        QTest::newRow("route") << 3 << "/stages/0/devices: there is no route";
    }
    void faults()
    {
        QFETCH(int, fault);
        QFETCH(QString, beginning);
        Project project = two_nodes();
        Plan plan = plan_of({stage(node_a, 0, 6, 2)});
        QVERIFY(validate(compile(project), plan).empty());
        if (fault == 0)
            plan.stages[0].tensor_parallel = 3;
        if (fault == 1)
            plan.stages[0].devices.pop_back();
        if (fault == 2)
            plan.stages[0].shares = {1, 1, 1, 1};
        if (fault == 3) {
            plan.stages[0].devices = {"a/0", "b/0"};
            project.cluster.links.clear();
        }
        const auto found = validate(compile(project), plan);
        QVERIFY(!found.empty());
        QVERIFY2(QString::fromStdString(found.front()).startsWith(beginning), found.front().c_str());
    }

    /// A message takes the speed of its own size, in the layout and in search alike.
    void bandwidth_by_message_size()
    {
        Project project = two_nodes();
        project.job.tensor_parallel = 1;
        project.cluster.links[0].speed = {{0.1 * mega, 1e9}, {10 * mega, 8e9}};
        const Problem problem = compile(project);
        QCOMPARE(problem.bandwidth_bytes_per_s(0, 4), 8e9);
        QCOMPARE(bandwidth_of(problem, 0, 4, 0.1 * mega), 1e9);
        QCOMPARE(bandwidth_of(problem, 0, 4, mega), 4.5e9);
        QCOMPARE(bandwidth_of(problem, 0, 1, mega), 100e9);

        const Plan plan = plan_of({stage({"a/0"}, 0, 3, 1), stage({"b/0"}, 3, 6, 1)});
        const double bytes = 4 * 128 * 512 * 2.0;
        const Pipeline p = lay_out(problem, plan);
        QCOMPARE(p.forward_occupancy_s[0], bytes / bandwidth_of(problem, 0, 4, bytes));
        const ChainCosts costs(problem, {problem.default_variant, 2, 8, ScheduleKind::one_f_one_b});
        QCOMPARE(costs.occupancy(3, 0, 4), p.forward_occupancy_s[0]);
        QCOMPARE(costs.occupancy(3, 0, 1), bytes / 100e9);

        // The nominal bandwidth stays the ceiling.
        project.cluster.links[0].bandwidth_bytes_per_s = 2e9;
        QCOMPARE(bandwidth_of(compile(project), 0, 4, mega), 2e9);
    }

    /// Every device of a node sends to every one of the other: what the link carries sets the pace.
    void exchange_over_a_shared_link()
    {
        const Problem problem = compile(two_nodes());
        // Four senders, four receivers, 16 routes over 10 GB/s, 7 partners each.
        QCOMPARE(exchange_speed(problem, {0, 1, 2, 3, 4, 5, 6, 7}, mega).bytes_per_s, 7 * 10e9 / 16);
        QCOMPARE(exchange_speed(problem, {0, 1, 2, 3}, mega).bytes_per_s, 100e9);
    }

    /// Search and layout count alike what a stage keeps for its later layers.
    void carried_bytes_count_once()
    {
        Project project = two_nodes();
        Architecture& a = project.model.architecture;
        a.family = Family::t5;
        a.decoder_blocks = 4;
        project.job.tensor_parallel = 1;
        const Problem problem = compile(project);
        const Variant& v = problem.variants[0];
        const Plan plan = plan_of({stage({"a/0"}, 0, 8, 1), stage({"a/1"}, 8, 11, 1)});
        const auto memory = memory_of(problem, plan, op_order(ScheduleKind::one_f_one_b, 2, 8));
        double kept = 4 * 128 * 512 * 2.0;
        for (int l = 8; l < 11; ++l)
            kept += v.stored_bytes[static_cast<std::size_t>(l)];
        QCOMPARE(memory[1].stored_bytes, kept);
        const ChainCosts costs(problem, {0, 2, 8, ScheduleKind::one_f_one_b});
        QCOMPARE(costs.memory(1, 8, 11), memory[1].needed_bytes());
        QCOMPARE(costs.memory(0, 0, 8), memory[0].needed_bytes());
    }
};

QTEST_APPLESS_MAIN(TestStageGroups)
#include "test_stage_groups.moc"
