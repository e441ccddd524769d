// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/random.h"
#include "core/schedule/schedule.h"
#include "core/simulator/flow_network.h"
#include "core/simulator/order_evaluator.h"
#include "core/simulator/simulate.h"
#include "tests/core/simulator/random_pipeline.h"

#include <QtTest>

#include <cmath>

using namespace nnpiper;

namespace {

using Uses = std::vector<BoundaryFlow::Use>;

/// Ends of flows that start at the given times, by id.
std::vector<double> ends(FlowNetwork& network, const std::vector<std::pair<double, Uses>>& flows,
                         const std::vector<double>& bytes, double limit)
{
    std::vector<double> result(flows.size());
    std::vector<int> owner;
    std::size_t next = 0;
    while (true) {
        const double end = network.next_end_s();
        if (next < flows.size() && flows[next].first <= end) {
            const int id = network.start(flows[next].first, bytes[next], limit, flows[next].second);
            owner.resize(std::max(owner.size(), static_cast<std::size_t>(id) + 1));
            owner[static_cast<std::size_t>(id)] = static_cast<int>(next++);
            continue;
        }
        if (std::isinf(end))
            return result;
        result[static_cast<std::size_t>(owner[static_cast<std::size_t>(network.finish())])] = end;
    }
}

bool near(const std::vector<double>& found, const std::vector<double>& expected)
{
    for (std::size_t i = 0; i < expected.size(); ++i) {
        if (std::abs(found[i] - expected[i]) > 1e-9)
            return false;
    }
    return found.size() == expected.size();
}

}  // namespace

class TestFlowNetwork : public QObject {
    Q_OBJECT

private slots:
    void shares_by_hand()
    {
        constexpr double gb = 1e9;
        constexpr double fast = 1e12;
        const Uses one{{0, 1}};
        FlowNetwork both({gb});
        QVERIFY(near(ends(both, {{0, one}, {0, one}}, {gb, gb}, fast), {2, 2}));
        FlowNetwork late({gb});
        QVERIFY(near(ends(late, {{0, one}, {0.5, one}}, {gb, gb}, fast), {1.5, 2}));
        const Uses far{{0, 1}, {1, 1}};
        const Uses second{{1, 1}};
        FlowNetwork two({gb, 2 * gb});
        QVERIFY(near(ends(two, {{0, far}, {0, second}}, {2 * gb, 2 * gb}, fast), {2, 2}));
        FlowNetwork three({gb, 3 * gb});
        QVERIFY(near(ends(three, {{0, far}, {0, second}}, {gb, 4 * gb}, fast), {1, 5.0 / 3}));
        QVERIFY(three.throttled());
    }

    void nobody_is_throttled_alone()
    {
        FlowNetwork network({10, 10});
        const Uses first{{0, 1}};
        const Uses second{{1, 1}};
        QVERIFY(near(ends(network, {{0, first}, {0, second}}, {20, 30}, 10), {2, 3}));
        QVERIFY(!network.throttled());
    }

    /// No link carries more than it can, and every flow is at its limit or crosses a full link on which nobody is faster.
    void rates_are_max_min_fair()
    {
        Random random(3);
        for (int round = 0; round < 300; ++round) {
            const int links = 1 + random.below(6);
            std::vector<double> capacity;
            for (int l = 0; l < links; ++l)
                capacity.push_back(random.log_uniform(1, 10));
            FlowNetwork network(capacity);
            std::vector<Uses> uses;
            std::vector<double> limits;
            std::vector<int> ids;
            const int flows = 1 + random.below(10);
            uses.reserve(static_cast<std::size_t>(flows));
            for (int f = 0; f < flows; ++f) {
                Uses path;
                for (int l = 0; l < links; ++l) {
                    if (random.below(2) == 0)
                        path.push_back({l, 1});
                }
                uses.push_back(path);
                limits.push_back(random.log_uniform(0.5, 20));
                ids.push_back(network.start(0, 1e6, limits.back(), uses.back()));
            }
            std::vector<double> load(capacity.size(), 0.0), fastest(capacity.size(), 0.0);
            for (std::size_t f = 0; f < uses.size(); ++f) {
                for (const auto& use : uses[f]) {
                    const double rate = network.rate_bytes_per_s(ids[f]);
                    load[static_cast<std::size_t>(use.link)] += rate;
                    fastest[static_cast<std::size_t>(use.link)] = std::max(fastest[static_cast<std::size_t>(use.link)], rate);
                }
            }
            for (std::size_t l = 0; l < load.size(); ++l)
                QVERIFY(load[l] <= capacity[l] * (1 + 1e-9));
            for (std::size_t f = 0; f < uses.size(); ++f) {
                const double rate = network.rate_bytes_per_s(ids[f]);
                bool held = rate >= limits[f] * (1 - 1e-9);
                for (const auto& use : uses[f]) {
                    const auto l = static_cast<std::size_t>(use.link);
                    held = held || (load[l] >= capacity[l] * (1 - 1e-9) && rate >= fastest[l] * (1 - 1e-9));
                }
                QVERIFY(held);
            }
        }
    }

    /// The engine that keeps the clock agrees with the one that does not, and with the fast one, where every boundary has
    /// a link of its own.
    void engines_agree_without_sharing()
    {
        Random random(11);
        for (int round = 0; round < 2000; ++round) {
            constexpr ScheduleKind kinds[] = {ScheduleKind::gpipe, ScheduleKind::one_f_one_b, ScheduleKind::eager,
                                              ScheduleKind::zb_h1, ScheduleKind::zb_h2,       ScheduleKind::interleaved,
                                              ScheduleKind::zb_v,  ScheduleKind::chimera,     ScheduleKind::hanayo,
                                              ScheduleKind::dualpipe, ScheduleKind::dualpipe_v};
            ScheduleShape shape;
            shape.kind = kinds[random.below(static_cast<int>(std::size(kinds)))];
            shape.devices = 2 * (1 + random.below(3));
            shape.micro_batches = 2 * shape.devices * (1 + random.below(2));
            shape.chunks = default_chunks(shape.kind);
            const StageMap map = stage_map(shape.kind, shape.devices, shape.chunks);
            Pipeline pipeline = random_pipeline(random, map.all_stages(), shape.micro_batches);
            pipeline.map = map;
            pipeline.pair_scale = random.log_uniform(0.6, 1);
            pipeline.blocking = random.below(3) == 0;
            const OpOrder order = op_order(shape);
            const Timeline plain = run(pipeline, order);
            QVERIFY(std::abs(makespan(pipeline, order) - plain.makespan_s) <= 1e-9 * plain.makespan_s);

            BoundaryFlows flows;
            for (std::size_t b = 0; b < pipeline.forward_occupancy_s.size(); ++b) {
                for (const bool backward : {false, true}) {
                    const double occupancy = (backward ? pipeline.backward_occupancy_s : pipeline.forward_occupancy_s)[b];
                    BoundaryFlow flow;
                    flow.bytes = 100 * occupancy;
                    flow.uses = {{static_cast<int>(flows.links.size()), 1}};
                    flows.links.push_back("own");
                    flows.capacity_bytes_per_s.push_back(100);
                    (backward ? flows.backward : flows.forward).push_back(flow);
                }
            }
            pipeline.flows = flows;
            const Timeline timed = run(pipeline, order);
            QVERIFY(!timed.links_shared);
            QVERIFY(std::abs(timed.makespan_s - plain.makespan_s) <= 1e-9 * plain.makespan_s);
            for (std::size_t d = 0; d < plain.metrics.size(); ++d) {
                QVERIFY(std::abs(timed.metrics[d].busy_s - plain.metrics[d].busy_s) < 1e-6);
                QVERIFY(std::abs(plain.metrics[d].bubble.sum_s() - plain.metrics[d].idle_s) < 1e-6);
                QVERIFY(std::abs(timed.metrics[d].bubble.sum_s() - timed.metrics[d].idle_s) < 1e-6);
            }
        }
    }

    /// Sharing a link can only make things later.
    void sharing_costs_time()
    {
        Random random(12);
        int slower = 0;
        for (int round = 0; round < 100; ++round) {
            const int stages = 2 + random.below(6);
            Pipeline pipeline = random_pipeline(random, stages, 8);
            const OpOrder order = op_order(ScheduleKind::one_f_one_b, stages, 8);
            const double alone = run(pipeline, order).makespan_s;
            BoundaryFlows flows;
            flows.links = {"trunk"};
            flows.capacity_bytes_per_s = {100};
            for (std::size_t b = 0; b < pipeline.forward_occupancy_s.size(); ++b) {
                flows.forward.push_back({100 * pipeline.forward_occupancy_s[b], {{0, 1}}});
                flows.backward.push_back({100 * pipeline.backward_occupancy_s[b], {{0, 1}}});
            }
            pipeline.flows = flows;
            const Timeline shared = run(pipeline, order);
            QVERIFY(shared.makespan_s >= alone * (1 - 1e-9));
            slower += shared.links_shared && shared.makespan_s > alone * (1 + 1e-9);
        }
        QVERIFY(slower > 50);
    }
};

QTEST_APPLESS_MAIN(TestFlowNetwork)
#include "test_flow_network.moc"
