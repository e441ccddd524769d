// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/random.h"
#include "core/planners/literature/ordered_costs.h"
#include "core/problem/compile.h"
#include "core/problem/pipeline.h"
#include "core/problem/share_times.h"
#include "core/schedule/schedule.h"
#include "../random_problem.h"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace nnpiper;

namespace {

bool near(double a, double b)
{
    return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b));
}

/// Three nodes of four devices: equal, half as fast, and mixed; a GPT of eight heads whose job leaves everything open.
Problem three_nodes()
{
    Project project;
    Architecture& a = project.model.architecture;
    a.family = Family::gpt2;
    a.hidden = 512;
    a.blocks = 10;
    a.heads = a.key_value_heads = 8;
    a.head_dim = 64;
    a.feed_forward = 2048;
    a.vocabulary = 1000;
    a.positions = 128;
    project.model.sequence_length = 128;
    for (const char* id : {"slow", "fast", "mixed"}) {
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
            device.spec.memory_bytes = i == 3 ? 3e9 : 1e9;
            device.spec.peak_flop_per_s = {{"bf16", node.id == "slow" ? 1e12 : 2e12}};
            device.speed_factor = node.id == "mixed" ? 1 - 0.23 * i : 1;
            project.cluster.devices.push_back(device);
        }
    }
    for (const char* id : {"slow", "fast"}) {
        Link link;
        link.id = std::string("to ") + id;
        link.from = id;
        link.to = "mixed";
        link.bandwidth_bytes_per_s = 10e9;
        link.achieved_fraction = 1;
        link.latency_s = 1e-5;
        project.cluster.links.push_back(link);
    }
    project.job.global_batch = 32;
    project.job.micro_batch.reset();
    project.job.tensor_parallel.reset();
    project.job.recompute.reset();
    return compile(project);
}

}  // namespace

class TestOrderedCosts : public QObject {
    Q_OBJECT

private slots:
    void true_costs_are_those_of_the_simulator()
    {
        const Problem problem = three_nodes();
        const auto settings = ordered_settings(problem);
        QVERIFY(settings.size() >= 10);
        Random random(3);
        int replicated = 0, unequal = 0, grouped = 0, whole = 0;
        for (int round = 0; round < 600; ++round) {
            const OrderedSetting& setting =
                settings[static_cast<std::size_t>(random.below(static_cast<int>(settings.size())))];
            const OrderedLinks links(problem, default_order(problem, CostView::true_costs), CostView::true_costs, 12);
            const OrderedCosts costs(problem, setting, links);
            // Two stages, three where there is room.
            std::vector<StageRun> runs;
            int layer = 0, device = 0;
            while (static_cast<int>(runs.size()) < 3 && device < 12 && layer < costs.layers()) {
                StageRun run{
                    layer, 0, device, 0,
                    setting.degrees[static_cast<std::size_t>(random.below(static_cast<int>(setting.degrees.size())))]};
                run.end = std::min(costs.layers(), layer + 1 + random.below(6));
                if (runs.size() == 2)
                    run.end = costs.layers();
                run.to = device + run.tensor_parallel * (1 + random.below(4));
                if (run.to > 12 || !costs.possible(run.from, run.to, run.tensor_parallel))
                    continue;
                runs.push_back(run);
                layer = run.end;
                device = run.to;
            }
            if (layer < costs.layers())
                continue;
            Plan plan;
            plan.micro_batches = setting.micro_batches;
            for (const StageRun& run : runs)
                plan.stages.push_back(costs.stage(run));
            const auto faults = validate(problem, plan);
            QVERIFY2(faults.empty(), faults.empty() ? "" : faults.front().c_str());
            const Pipeline pipeline = lay_out(problem, plan);
            const auto memory =
                memory_of(problem, plan, op_order(plan.schedule, static_cast<int>(runs.size()), plan.micro_batches));
            for (std::size_t s = 0; s < runs.size(); ++s) {
                const StageRun& run = runs[s];
                QVERIFY(near(costs.forward_s(run), pipeline.forward_s[s]));
                QVERIFY(near(costs.backward_s(run), pipeline.backward_s(static_cast<int>(s))));
                QVERIFY(near(costs.stage_s(run), pipeline.forward_s[s] + pipeline.backward_s(static_cast<int>(s))));
                QVERIFY(near(costs.sync_s(run), pipeline.all_reduce_s[s]));
                replicated += run.replicas() > 1;
                unequal += !plan.stages[s].shares.empty();
                grouped += run.tensor_parallel > 1;
                if (s + 1 < runs.size() && run.devices() == runs[s + 1].devices() && plan.stages[s].shares.empty()
                    && plan.stages[s + 1].shares.empty() && setting.micro_batch_samples % run.replicas() == 0
                    && setting.micro_batch_samples % runs[s + 1].replicas() == 0
                    && (run.devices() == 1 || run.to % 4 == 0)) {
                    const BoundaryTime time = costs.transfer_s(run.end, run.from, run.to, runs[s + 1].to);
                    QVERIFY(near(time.forward_s(), pipeline.forward_occupancy_s[s] + pipeline.forward_latency_s[s]));
                    QVERIFY(near(time.backward_s(), pipeline.backward_occupancy_s[s] + pipeline.backward_latency_s[s]));
                    ++whole;
                }
                const int in_flight = std::min(plan.micro_batches, static_cast<int>(runs.size() - s));
                double needed = 0;
                bool fits = true;
                for (const DeviceMemory& device_memory : memory) {
                    if (device_memory.stage == static_cast<int>(s)) {
                        needed = std::max(needed, device_memory.needed_bytes());
                        fits = fits && device_memory.fits();
                    }
                }
                QVERIFY(near(costs.state_bytes(run) + in_flight * costs.stored_bytes(run) + costs.transient_bytes(run),
                             needed));
                QCOMPARE(costs.fits(run, in_flight), fits);
            }
        }
        QVERIFY(replicated > 100 && unequal > 30 && grouped > 50 && whole > 10);
    }

    void as_published_devices_are_equal_and_links_are_one()
    {
        Random random(8);
        const Problem problem = random_problem(random, 7, 5, 4);
        const OrderedLinks links(problem, default_order(problem, CostView::as_published), CostView::as_published, 5);
        const OrderedCosts costs(problem, ordered_settings(problem).front(), links);
        const Variant& v = problem.variants[0];
        double work = 0, inverse = 0;
        for (int d = 0; d < 5; ++d) {
            for (int l = 2; l < 6; ++l)
                work += (v.forward_s(l, d) + v.backward_input_s(l, d) + v.backward_weight_s(l, d)) / 5;
            if (d < 4)
                inverse += 1 / problem.bandwidth_bytes_per_s(d, d + 1) / 4;
        }
        for (int d = 0; d < 5; ++d) {
            const StageRun run{2, 6, d, d + 1, 1};
            QVERIFY(near(costs.stage_s(run), work));
            QVERIFY(!costs.possible(d, d + 2, 1));  // a raw file knows no samples
            QCOMPARE(costs.stage(run).devices,
                     std::vector<std::string>{problem.device_ids[static_cast<std::size_t>(d)]});
        }
        QVERIFY(near(links.mean().bytes_per_s, 1 / inverse));
        QVERIFY(near(costs.transfer_s(3, 0, 1, 2).forward_occupancy_s, v.output_bytes[2] * inverse));
        QCOMPARE(costs.transfer_s(3, 0, 1, 2).both_s(), costs.transfer_s(3, 3, 4, 5).both_s());
    }

    void shares_by_speed_are_best_possible()
    {
        // Against every composition of the samples.
        Random random(5);
        for (int round = 0; round < 60; ++round) {
            const int replicas = 2 + random.below(3);
            const int samples = replicas + random.below(6);
            std::vector<double> slowness;
            for (int r = 0; r < replicas; ++r)
                slowness.push_back(random.uniform(1, 4));
            const auto time = [&](int r, int share) { return slowness[static_cast<std::size_t>(r)] * (0.3 + share); };
            const auto slowest = [&](const std::vector<int>& shares) {
                double most = 0;
                for (int r = 0; r < replicas; ++r)
                    most = std::max(most, time(r, shares[static_cast<std::size_t>(r)]));
                return most;
            };
            const auto shares = balanced_shares(samples, replicas, time);
            QCOMPARE(std::accumulate(shares.begin(), shares.end(), 0), samples);
            double best = 1e300;
            std::vector<int> trial(static_cast<std::size_t>(replicas), 1);
            const std::function<void(std::size_t, int)> compose = [&](std::size_t r, int left) {
                if (r + 1 == trial.size()) {
                    trial[r] = left;
                    best = std::min(best, slowest(trial));
                    return;
                }
                for (trial[r] = 1; left - trial[r] >= static_cast<int>(trial.size() - r - 1); ++trial[r])
                    compose(r + 1, left - trial[r]);
            };
            compose(0, samples);
            QVERIFY(near(slowest(shares), best));
        }
    }

    void idle_devices_are_left_out_and_nodes_stay_together()
    {
        Problem problem = three_nodes();
        problem.locks = {{{"fast/1"}, {}, {}, {}, true}};
        const auto order = default_order(problem, CostView::true_costs);
        QCOMPARE(order.size(), std::size_t{11});
        QCOMPARE(problem.device_ids[static_cast<std::size_t>(order[0])], std::string("fast/0"));
        QCOMPARE(problem.device_ids[static_cast<std::size_t>(order[3])], std::string("mixed/0"));
        QCOMPARE(problem.device_ids[static_cast<std::size_t>(order[10])], std::string("slow/3"));
        QCOMPARE(problem.device_ids[static_cast<std::size_t>(default_order(problem, CostView::as_published)[0])],
                 std::string("slow/0"));
    }
};

QTEST_APPLESS_MAIN(TestOrderedCosts)
#include "test_ordered_costs.moc"
