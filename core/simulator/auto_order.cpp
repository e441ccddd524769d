// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/simulator/auto_order.h"

#include "core/schedule/list_scheduler.h"
#include "core/schedule/orders.h"
#include "core/schedule/schedule.h"
#include "core/simulator/simulate.h"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace nnpiper {

namespace {

/// 1F1B whose backward is split and runs in one go.
OpOrder split_one_f_one_b(int stages, int micro_batches)
{
    OpOrder order = launch_order(default_launch_counts(ScheduleKind::one_f_one_b, stages), micro_batches);
    for (auto& ops : order) {
        std::vector<Op> split;
        for (const Op& op : ops) {
            if (op.kind == OpKind::forward) {
                split.push_back(op);
                continue;
            }
            split.push_back({OpKind::backward_input, op.stage, op.micro_batch, false});
            split.push_back({OpKind::backward_weight, op.stage, op.micro_batch, false});
        }
        ops = std::move(split);
    }
    return order;
}

ListCosts costs_of(const Pipeline& pipeline)
{
    ListCosts costs{pipeline.forward_s, pipeline.backward_input_s, pipeline.backward_weight_s, {}, {}};
    for (std::size_t b = 0; b < pipeline.forward_occupancy_s.size(); ++b) {
        costs.forward_delay_s.push_back(pipeline.forward_occupancy_s[b] + pipeline.forward_latency_s[b]);
        costs.backward_delay_s.push_back(pipeline.backward_occupancy_s[b] + pipeline.backward_latency_s[b]);
    }
    return costs;
}

/// How long an order takes: from first to last, and the longest that one device is at it.
struct Length {
    double makespan_s = std::numeric_limits<double>::infinity();
    double span_s = std::numeric_limits<double>::infinity();
};

constexpr double close = 1 + 1e-12;

/// Collects orders that keep the limit. Statics set the mark; an order found is taken when it is worse in neither length
/// and better in one.
class Best {
public:
    Best(const Pipeline& pipeline, const std::vector<int>& held)
        : pipeline_(pipeline), held_(held)
    {
    }

    bool offer(OpOrder order)
    {
        if (order.empty() || !keeps_limit(order))
            return false;
        const Timeline timeline = run(pipeline_, order);
        ++tries_;
        const Length length{timeline.makespan_s, timeline.max_span_s};
        const bool no_worse = length.makespan_s <= length_.makespan_s * close && length.span_s <= length_.span_s * close;
        const bool better = length.makespan_s * close < length_.makespan_s || length.span_s * close < length_.span_s;
        // A static order may beat another in one length only; the makespan then decides.
        const bool shorter = length.makespan_s * close < length_.makespan_s;
        if (!(better && (no_worse || (choosing_static_ && shorter))))
            return false;
        length_ = length;
        order_ = std::move(order);
        return true;
    }

    void statics_done() { choosing_static_ = false; }
    int tries() const { return tries_; }
    bool empty() const { return order_.empty(); }
    OpOrder take() { return std::move(order_); }

private:
    bool keeps_limit(const OpOrder& order) const
    {
        const std::vector<int> peaks = peak_in_flight(order);
        for (std::size_t d = 0; d < peaks.size(); ++d) {
            if (peaks[d] > held_[d])
                return false;
        }
        return true;
    }

    const Pipeline& pipeline_;
    const std::vector<int>& held_;
    bool choosing_static_ = true;
    int tries_ = 0;
    Length length_;
    OpOrder order_;
};

/// Every combination of warm-up slope, patience and who goes first.
std::vector<ListPolicy> starting_policies(int devices, const std::vector<int>& held)
{
    std::vector<ListPolicy> policies;
    // Warm-up from that of 1F1B to that of ZB-H2 and to all that memory allows.
    for (const int slope : {1, 2, 0}) {
        for (int extra = 0; extra <= (slope == 0 ? 0 : 2); ++extra) {
            ListPolicy policy;
            policy.held = held;
            for (int s = 0; s < devices; ++s)
                policy.warm_up.push_back(slope == 0 ? held[static_cast<std::size_t>(s)]
                                                    : slope * (devices - s) - (slope - 1) + extra);
            for (const double patience : {1.0, 0.75, 0.5, 0.25, 0.0}) {
                for (const bool forward_first : {false, true}) {
                    policy.patience.assign(held.size(), patience);
                    policy.forward_first = forward_first;
                    policies.push_back(policy);
                }
            }
        }
    }
    return policies;
}

}  // namespace

OpOrder zero_bubble_order(const Pipeline& pipeline, const std::vector<int>& held)
{
    const int p = pipeline.devices();
    const int m = pipeline.micro_batches;
    Best best(pipeline, held);
    best.offer(split_one_f_one_b(p, m));
    best.offer(zb_h1_order(p, m));
    best.offer(zb_h2_order(p, m));
    best.statics_done();
    // Weight gradients put off further leave the last stages a shorter span, for more memory.
    for (double lag = 2.5; lag <= 6; lag += 0.5)
        best.offer(zb_h2_order(p, m, lag));
    const ListCosts costs = costs_of(pipeline);
    const auto attempt = [&](const ListPolicy& policy) {
        return best.offer(list_schedule(pipeline.map, m, costs, policy));
    };
    ListPolicy lead;
    for (const ListPolicy& policy : starting_policies(p, held)) {
        if (lead.warm_up.empty() || attempt(policy))
            lead = policy;
    }
    // From the best of them, another warm-up and patience on one device at a time, as long as that helps.
    const int most_tries = best.tries() + static_cast<int>(std::clamp(2e6 / (3.0 * p * m), 20.0, 400.0));
    for (bool improved = true; improved;) {
        improved = false;
        for (std::size_t d = 0; d < lead.warm_up.size(); ++d) {
            for (const int step : {-1, 0, 1}) {
                for (const double patience : {1.0, 0.75, 0.5, 0.25, 0.0}) {
                    ListPolicy changed = lead;
                    changed.warm_up[d] += step;
                    changed.patience[d] = patience;
                    if (changed.warm_up[d] < 1 || best.tries() >= most_tries)
                        continue;
                    if (attempt(changed)) {
                        lead = changed;
                        improved = true;
                    }
                }
            }
        }
    }
    // Not even one activation fits somewhere: the plan is infeasible, and 1F1B shows by how much.
    return best.empty() ? split_one_f_one_b(p, m) : best.take();
}

}  // namespace nnpiper
