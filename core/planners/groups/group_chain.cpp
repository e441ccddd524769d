// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planners/groups/group_chain.h"

#include "core/planners/chains/chain.h"
#include "core/problem/pipeline.h"
#include "core/schedule/schedule.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace nnpiper {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr int arrays = 6;

}  // namespace

double GroupPrice::score() const
{
    return ChainEvaluator::score_of(value, excess);
}

GroupEvaluator::GroupEvaluator(const Problem& problem, const GroupSetting& setting)
    : problem_(&problem)
    , setting_(setting)
    , times_(problem, setting.micro_batch_samples)
    , links_(problem)
    , evaluator_(std::min(problem.devices(), problem.layers()))
{
    const std::size_t most = at(std::min(problem.devices(), problem.layers()));
    priced_.resize(most);
    buffer_.resize(arrays * most);
    routed_.resize(most);
    stale_.assign(most, 1);
    views_.forward_s = buffer_.data();
    views_.backward_s = views_.forward_s + most;
    views_.forward_occupancy_s = views_.backward_s + most;
    views_.forward_latency_s = views_.forward_occupancy_s + most;
    views_.backward_occupancy_s = views_.forward_latency_s + most;
    views_.backward_latency_s = views_.backward_occupancy_s + most;
    for (int d = 0; d < problem.devices(); ++d) {
        const double price = at(d) < problem.device_price_per_h.size() ? problem.device_price_per_h[at(d)] : NAN;
        price_per_s_.push_back(price / 3600);
    }
    for (const Lock& lock : problem.locks) {
        for (const std::string& id : lock.devices)
            places_.push_back({problem.device_index(id), lock.idle ? nullptr : &lock});
    }
}

double GroupEvaluator::replica_s(const GroupStage& stage, int kind, int replica, int share, int first)
{
    double slowest = 0;
    for (int i = 0; i < stage.tensor_parallel; ++i) {
        const int device = stage.devices[at(replica * stage.tensor_parallel + i)];
        slowest = std::max(slowest, times_.forward(kind, share, device, first, stage.end)
                                        + times_.backward(kind, share, device, first, stage.end));
    }
    return slowest;
}

void GroupEvaluator::balance(GroupStage& stage, int first)
{
    const int kind = times_.kind(stage.tensor_parallel, stage.recompute);
    const int replicas = static_cast<int>(stage.devices.size()) / stage.tensor_parallel;
    stage.shares.assign(at(replicas), 1);
    if (kind < 0 || replicas > times_.samples())
        return;
    for (int left = times_.samples() - replicas; left > 0; --left) {
        int best = 0;
        double best_s = infinite;
        for (int r = 0; r < replicas; ++r) {
            const double seconds = replica_s(stage, kind, r, stage.shares[at(r)] + 1, first);
            if (seconds < best_s) {
                best_s = seconds;
                best = r;
            }
        }
        ++stage.shares[at(best)];
    }
}

void GroupEvaluator::price_stage(Priced& priced)
{
    const GroupStage& stage = priced.stage;
    const int t = stage.tensor_parallel;
    const int replicas = stage.replicas();
    const int first = priced.first;
    const int kind = times_.kind(t, stage.recompute);
    priced.possible = kind >= 0 && stage.end > first && (replicas == 1 || problem_->replicas_allowed());
    for (std::size_t i = 0; i < stage.devices.size() && priced.possible && !links_.all_routed(); ++i) {
        for (std::size_t k = i + 1; k < stage.devices.size(); ++k)
            priced.possible = priced.possible && links_.routed(stage.devices[i], stage.devices[k]);
    }
    if (!priced.possible)
        return;
    const int samples = times_.samples();
    priced.forward = priced.backward = priced.step = priced.dollars_per_s = 0;
    priced.ranges.clear();
    int begin = 0;
    for (int r = 0; r < replicas; ++r) {
        const int own = stage.shares[at(r)];
        const std::span<const int> members(stage.devices.data() + at(r * t), at(t));
        double forth = 0, back = 0;
        if (t > 1) {
            const double share = static_cast<double>(own) / samples;
            const auto total = [&](const GroupTimes::Exchange& exchange) {
                double seconds = 0;
                for (std::size_t c = 0; c < exchange.traffic.size(); ++c) {
                    const int count = exchange.count[c][at(stage.end)] - exchange.count[c][at(first)];
                    if (count > 0)
                        seconds += count * links_.traffic(members, exchange.traffic[c], share);
                }
                return seconds;
            };
            forth = total(times_.forward_exchange(kind));
            back = total(times_.backward_exchange(kind));
        }
        for (int i = 0; i < t; ++i) {
            const int device = members[at(i)];
            priced.forward = std::max(priced.forward, times_.forward(kind, own, device, first, stage.end) + forth);
            priced.backward = std::max(priced.backward, times_.backward(kind, own, device, first, stage.end) + back);
            priced.step = std::max(priced.step, times_.optimizer(kind, device, first, stage.end));
            priced.dollars_per_s += price_per_s_[at(device)];
            priced.ranges.emplace_back(begin + static_cast<double>(own) * i / t,
                                       begin + static_cast<double>(own) * (i + 1) / t);
        }
        begin += own;
    }
    const bool sharded = !problem_->sharded_bytes.empty();
    if (sharded)
        priced.step /= replicas;
    if (replicas > 1 && !problem_->gradient_bytes.empty()) {
        for (const double bytes : {times_.scattered(kind, first, stage.end), times_.gathered(kind, first, stage.end)})
            priced.step += ring_pass_s(replicas, bytes, links_.ring(stage.devices, t, bytes));
    }
    priced.state = times_.whole_state(kind, first, stage.end) + times_.sharded_state(kind, first, stage.end) / replicas;
    priced.stored = times_.stored(kind, first, stage.end);
    priced.transient = times_.transient(kind, first, stage.end);
}

bool GroupEvaluator::price_boundary(const Priced& before, const Priced& behind, int boundary)
{
    const std::size_t most = priced_.size();
    if (!links_.all_routed()) {
        for (const int from : before.stage.devices) {
            for (const int to : behind.stage.devices) {
                if (!links_.routed(from, to))
                    return false;
            }
        }
    }
    const double bytes = times_.output(before.stage.end);
    const auto forth = links_.message(bytes, times_.samples(), before.stage.devices, before.ranges,
                                      behind.stage.devices, behind.ranges);
    const auto back = links_.message(bytes, times_.samples(), behind.stage.devices, behind.ranges, before.stage.devices,
                                     before.ranges);
    double* const array = buffer_.data() + boundary;
    array[2 * most] = forth.occupancy_s;
    array[3 * most] = forth.latency_s;
    array[4 * most] = back.occupancy_s;
    array[5 * most] = back.latency_s;
    return true;
}

double GroupEvaluator::excess(const GroupChain& chain) const
{
    double total = broken_locks(chain);
    const int samples = times_.samples();
    for (int s = 0; s < chain.size(); ++s) {
        const Priced& priced = priced_[at(s)];
        const double carried =
            peak_in_flight(setting_.schedule, chain.size(), setting_.micro_batches, s) * priced.stored
            + priced.transient;
        for (std::size_t i = 0; i < priced.stage.devices.size(); ++i) {
            const int share = priced.stage.shares[i / at(priced.stage.tensor_parallel)];
            const double needed = priced.state + carried * share / samples;
            const double capacity = problem_->device_memory_bytes[at(priced.stage.devices[i])];
            if (needed > capacity * (1 + 1e-12))
                total += capacity > 0 ? needed / capacity - 1 : 1;
        }
    }
    return total;
}

double GroupEvaluator::broken_locks(const GroupChain& chain) const
{
    double broken = 0;
    for (const Place& place : places_) {
        int found = -1;
        for (int s = 0; s < chain.size() && found < 0; ++s) {
            const auto& devices = chain.stages[at(s)].devices;
            if (std::find(devices.begin(), devices.end(), place.device) != devices.end())
                found = s;
        }
        const Lock* lock = place.lock;
        const bool kept = !lock ? found < 0
                                : found >= 0 && (!lock->stage || *lock->stage == found)
                                      && (!lock->first_layer || *lock->first_layer == chain.first(found))
                                      && (!lock->end_layer || *lock->end_layer == chain.stages[at(found)].end);
        broken += kept ? 0 : 1;
    }
    return broken;
}

bool GroupEvaluator::update_stages(const GroupChain& chain)
{
    bool possible = true;
    for (int s = 0; s < chain.size(); ++s) {
        Priced& priced = priced_[at(s)];
        const int first = chain.first(s);
        if (s >= priced_stages_ || priced.first != first || priced.stage != chain.stages[at(s)]) {
            priced.stage = chain.stages[at(s)];
            priced.first = first;
            price_stage(priced);
            stale_[at(s)] = 1;
            if (s > 0)
                stale_[at(s - 1)] = 1;
        }
        possible = possible && priced.possible;
        buffer_[at(s)] = priced.forward;
        buffer_[priced_.size() + at(s)] = priced.backward;
    }
    priced_stages_ = chain.size();
    return possible;
}

bool GroupEvaluator::update_boundaries(int stages)
{
    bool routed = true;
    for (int s = 0; s + 1 < stages; ++s) {
        if (stale_[at(s)]) {
            routed_[at(s)] = price_boundary(priced_[at(s)], priced_[at(s + 1)], s);
            stale_[at(s)] = 0;
        }
        routed = routed && routed_[at(s)];
    }
    return routed;
}

double GroupEvaluator::least_makespan(int stages) const
{
    double way = 0, least = 0;
    for (int s = 0; s < stages; ++s) {
        const double own = stage_s(s);
        least = std::max(least, way + setting_.micro_batches * own);
        way += own;
    }
    return least;
}

double GroupEvaluator::value_of(double makespan_s, int stages) const
{
    double step = 0, dollars_per_s = 0;
    for (int s = 0; s < stages; ++s) {
        step = std::max(step, priced_[at(s)].step);
        dollars_per_s += priced_[at(s)].dollars_per_s;
    }
    double value = makespan_s + step + problem_->fixed_step_s;
    if (problem_->objective != Objective::latency)
        value /= static_cast<double>(setting_.micro_batches) * setting_.micro_batch_samples;
    if (problem_->objective == Objective::cost)
        value *= dollars_per_s;
    return value;
}

GroupPrice GroupEvaluator::price(const GroupChain& chain, double limit)
{
    ++evaluations_;
    const int stages = chain.size();
    if (!update_stages(chain))
        return {infinite, infinite};
    GroupPrice price{value_of(least_makespan(stages), stages), excess(chain)};
    if (price.walk() > limit * (1 + 1e-9))
        return price;
    if (!update_boundaries(stages))
        return {infinite, infinite};
    views_.stages = stages;
    price.value = value_of(evaluator_.makespan(setting_.schedule, views_, setting_.micro_batches), stages);
    return price;
}

Plan to_plan(const Problem& problem, const GroupSetting& setting, const GroupChain& chain, std::string planner)
{
    Plan plan;
    plan.planner = std::move(planner);
    plan.schedule = setting.schedule;
    plan.micro_batches = setting.micro_batches;
    for (int s = 0; s < chain.size(); ++s) {
        const GroupStage& group = chain.stages[static_cast<std::size_t>(s)];
        Stage stage;
        for (const int device : group.devices)
            stage.devices.push_back(problem.device_ids[static_cast<std::size_t>(device)]);
        stage.first_layer = chain.first(s);
        stage.end_layer = group.end;
        stage.tensor_parallel = group.tensor_parallel;
        stage.recompute = group.recompute;
        if (group.replicas() > 1)
            stage.shares = group.shares;
        plan.stages.push_back(std::move(stage));
    }
    return plan;
}

GroupChain to_groups(const Problem& problem, const Plan& plan)
{
    const int samples = variant_of(problem, plan).micro_batch_samples;
    GroupChain chain;
    for (const Stage& stage : plan.stages) {
        const StageGroup group = stage_group(problem, stage, samples);
        chain.stages.push_back({group.devices, group.shares, group.tensor_parallel, stage.recompute, stage.end_layer});
    }
    return chain;
}

GroupSetting group_setting(const Problem& problem, const Plan& plan)
{
    return {variant_of(problem, plan).micro_batch_samples, plan.micro_batches, plan.schedule};
}

}  // namespace nnpiper
