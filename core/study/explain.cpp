// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/explain.h"

#include "core/problem/pipeline.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace nnpiper {

namespace {

struct Scored {
    double weight;
    Reason reason;
};

std::size_t at(int i)
{
    return static_cast<std::size_t>(i);
}

/// What the reasons are drawn from, for one plan.
struct Facts {
    double slowest_s = 0;  ///< forward and backward of the slowest stage, a micro-batch
    int slowest_stage = 0;
    double balance = 1;  ///< mean / slowest
    int slow_boundaries = 0;
    double slow_bytes_per_s = 0;
    int boundaries = 0;
    double busiest_channel_s = 0;
    int busiest_boundary = -1;
};

/// Bandwidth up to which a route counts as slow: near the slowest one of a cluster whose routes differ threefold or
/// more, else nothing is slow.
double slow_limit(const Problem& problem)
{
    double slowest = std::numeric_limits<double>::infinity();
    double fastest = 0;
    for (int a = 0; a < problem.devices(); ++a)
        for (int b = 0; b < problem.devices(); ++b) {
            const double bandwidth = a == b ? 0 : problem.bandwidth_bytes_per_s(a, b);
            if (bandwidth > 0) {
                slowest = std::min(slowest, bandwidth);
                fastest = std::max(fastest, bandwidth);
            }
        }
    return fastest >= 3 * slowest ? 1.5 * slowest : 0;
}

Facts facts_of(const Problem& problem, const Plan& plan)
{
    Facts facts;
    const Pipeline pipeline = lay_out(problem, plan);
    // One direction tells the story of a bidirectional pipeline.
    const int stages = pipeline.map.stages;
    double sum = 0;
    for (int s = 0; s < stages; ++s) {
        const double time = pipeline.forward_s[at(s)] + pipeline.backward_s(s);
        sum += time;
        if (time > facts.slowest_s) {
            facts.slowest_s = time;
            facts.slowest_stage = s;
        }
    }
    facts.balance = facts.slowest_s > 0 ? sum / stages / facts.slowest_s : 1;
    facts.boundaries = stages - 1;
    const double limit = slow_limit(problem);
    for (int b = 0; b < facts.boundaries; ++b) {
        if (!pipeline.map.crosses(b))
            continue;
        const double channel = std::max(pipeline.forward_occupancy_s[at(b)], pipeline.backward_occupancy_s[at(b)]);
        if (channel > facts.busiest_channel_s) {
            facts.busiest_channel_s = channel;
            facts.busiest_boundary = b;
        }
        double bandwidth = std::numeric_limits<double>::infinity();
        for (const std::string& from : plan.stages[at(b)].devices)
            for (const std::string& to : plan.stages[at(b + 1)].devices)
                bandwidth = std::min(
                    bandwidth, problem.bandwidth_bytes_per_s(problem.device_index(from), problem.device_index(to)));
        if (bandwidth <= limit) {
            ++facts.slow_boundaries;
            facts.slow_bytes_per_s = bandwidth;
        }
    }
    return facts;
}

double speed(const Plan& plan)
{
    return plan.throughput_samples_per_s > 0 ? plan.throughput_samples_per_s
           : plan.makespan_s > 0             ? 1 / plan.makespan_s
                                             : 0;
}

/// The fastest of the other plans that fit and are really another plan.
const Plan* runner_up(const Problem& problem, const std::vector<Plan>& plans, int winner)
{
    const Plan* best = nullptr;
    for (int i = 0; i < static_cast<int>(plans.size()); ++i) {
        const Plan& plan = plans[at(i)];
        if (i == winner || !plan.feasible || plan.stages == plans[at(winner)].stages
            || !validate(problem, plan).empty())
            continue;
        if (!best || speed(plan) > speed(*best))
            best = &plan;
    }
    return best;
}

Reason reason_of(Reason::Kind kind)
{
    Reason reason;
    reason.kind = kind;
    return reason;
}

void add_memory(std::vector<Scored>& found, const Problem& problem, const std::vector<Plan>& plans, int winner,
                const Timeline& timeline)
{
    Reason reason = reason_of(Reason::Kind::memory_saved);
    for (int i = 0; i < static_cast<int>(plans.size()); ++i) {
        const Plan& plan = plans[at(i)];
        // A valid plan that is not feasible lacks memory.
        if (i == winner || plan.feasible || plan.stages.empty() || !validate(problem, plan).empty())
            continue;
        ++reason.count;
        reason.planner = plan.planner;
    }
    for (const DeviceMemory& memory : timeline.memory)
        if (memory.capacity_bytes > 0)
            reason.fraction = std::max(reason.fraction, memory.needed_bytes() / memory.capacity_bytes);
    if (reason.count > 0 && timeline.fits && !timeline.memory.empty())
        found.push_back({0.9, reason});
}

void add_idle(std::vector<Scored>& found, const Problem& problem, const Plan& plan)
{
    Reason reason = reason_of(Reason::Kind::idle_devices);
    reason.total = problem.devices();
    for (const std::string& id : problem.device_ids) {
        const bool used = std::any_of(plan.stages.begin(), plan.stages.end(), [&](const Stage& stage) {
            return std::find(stage.devices.begin(), stage.devices.end(), id) != stage.devices.end();
        });
        if (!used) {
            ++reason.count;
            reason.device = id;
        }
    }
    if (reason.count > 0)
        found.push_back({0.7, reason});
}

void add_links(std::vector<Scored>& found, const Facts& own, const Facts& other, const Plan* next)
{
    if (own.boundaries == 0)
        return;
    Reason slow = reason_of(Reason::Kind::slow_links);
    slow.count = own.slow_boundaries;
    slow.total = own.boundaries;
    slow.value_bytes_per_s = own.slow_bytes_per_s;
    if (next && other.slow_boundaries > own.slow_boundaries) {
        slow.other_count = other.slow_boundaries;
        slow.planner = next->planner;
        slow.value_bytes_per_s = other.slow_bytes_per_s;
        found.push_back({0.95, slow});
    } else if (own.slow_boundaries > 0 && own.slow_boundaries < own.boundaries) {
        found.push_back({0.45, slow});
    }
    if (own.slowest_s <= 0 || own.busiest_boundary < 0)
        return;
    Reason channel = reason_of(Reason::Kind::hidden_transfers);
    channel.stage = own.busiest_boundary;
    channel.fraction = own.busiest_channel_s / own.slowest_s;
    if (channel.fraction >= 1)
        channel.kind = Reason::Kind::link_bound;
    found.push_back({channel.fraction >= 1 ? 0.85 : channel.fraction > 0.02 ? 0.5 : 0.2, channel});
}

}  // namespace

std::vector<Reason> explain(const Problem& problem, const std::vector<Plan>& plans, int winner,
                            const Timeline& timeline, int most)
{
    if (winner < 0 || winner >= static_cast<int>(plans.size()))
        return {};
    const Plan& plan = plans[at(winner)];
    if (plan.stages.empty() || !validate(problem, plan).empty())
        return {};
    const Facts own = facts_of(problem, plan);
    const Plan* next = runner_up(problem, plans, winner);
    const Facts other = next ? facts_of(problem, *next) : Facts{};
    std::vector<Scored> found;

    if (own.boundaries > 0) {
        Reason balance = reason_of(Reason::Kind::balance);
        balance.stage = own.slowest_stage;
        balance.value_s = own.slowest_s;
        balance.fraction = own.balance;
        const bool better = next && own.balance > other.balance + 0.01;
        if (better) {
            balance.planner = next->planner;
            balance.other_fraction = other.balance;
        }
        found.push_back({better ? 0.88 : own.balance > 0.9 ? 0.55 : 0.3, balance});

        Reason bubble = reason_of(Reason::Kind::bubble);
        bubble.fraction = timeline.bubble_fraction;
        const bool less = next && next->bubble_fraction > timeline.bubble_fraction + 0.01;
        if (less) {
            bubble.planner = next->planner;
            bubble.other_fraction = next->bubble_fraction;
        }
        found.push_back({less ? 0.6 : 0.25, bubble});
    }
    add_links(found, own, other, next);
    add_memory(found, problem, plans, winner, timeline);
    add_idle(found, problem, plan);
    if (next && speed(plan) > speed(*next) * 1.002) {
        Reason margin = reason_of(Reason::Kind::margin);
        margin.planner = next->planner;
        margin.fraction = speed(plan) / speed(*next) - 1;
        found.push_back({0.65, margin});
    }
    std::stable_sort(found.begin(), found.end(), [](const Scored& a, const Scored& b) { return a.weight > b.weight; });
    std::vector<Reason> reasons;
    for (const Scored& scored : found)
        if (static_cast<int>(reasons.size()) < most)
            reasons.push_back(scored.reason);
    return reasons;
}

}  // namespace nnpiper
