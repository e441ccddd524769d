// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planners/chains/chain_walk.h"

#include <algorithm>
#include <cmath>

namespace nnpiper {

namespace {

enum Column {
    forward,
    backward,
    forward_occupancy,
    forward_latency,
    backward_occupancy,
    backward_latency,
    over,
    update
};

std::size_t at(int i)
{
    return static_cast<std::size_t>(i);
}

}  // namespace

ChainWalk::ChainWalk(const ChainCosts& costs, const Chain& start)
    : trial(start)
    , costs_(costs)
    , evaluator_(costs.stages())
    , stride_(costs.stages())
    , current_(start)
    , trial_block_(at(columns * costs.stages()))
    , current_block_(trial_block_.size())
    , marked_(at(costs.stages()), 0)
{
    touched_.reserve(at(costs.stages()));
    for (int s = 0; s < costs.stages(); ++s)
        rounds_.push_back(std::floor((costs.micro_batches() - 1.0) / costs.in_flight(s)));
    for (int s = 0; s + 1 < costs.stages(); ++s) {
        const int behind = costs.in_flight(s + 1);
        pair_rounds_.push_back(
            std::floor(static_cast<double>(costs.micro_batches() - behind) / (costs.in_flight(s) - behind + 1)));
        filling_.push_back(behind - 1.0);
    }
    double* const block = trial_block_.data();
    views_ = {stride_,
              block + forward * stride_,
              block + backward * stride_,
              block + forward_occupancy * stride_,
              block + forward_latency * stride_,
              block + backward_occupancy * stride_,
              block + backward_latency * stride_};
    touch_range(0, stride_ - 1);
    bound();
    accept();
}

void ChainWalk::touch(int stage)
{
    priced_ = false;
    if (!marked_[at(stage)]) {
        marked_[at(stage)] = 1;
        touched_.push_back(stage);
    }
}

void ChainWalk::price_stage(int s)
{
    double* const block = trial_block_.data();
    const int device = trial.device[at(s)];
    const int first = trial.first(s);
    const int end = trial.end[at(s)];
    block[forward * stride_ + s] = costs_.forward(device, first, end);
    block[backward * stride_ + s] = costs_.backward(device, first, end);
    block[update * stride_ + s] = costs_.optimizer(device, first, end);
    const double capacity = costs_.capacity(device);
    const double needed = costs_.memory(s, first, end);
    block[over * stride_ + s] = needed > capacity * (1 + 1e-12) ? (capacity > 0 ? needed / capacity - 1 : 1) : 0;
}

void ChainWalk::price_boundary(int s)
{
    if (s < 0 || s + 1 >= stride_)
        return;
    double* const block = trial_block_.data();
    const int device = trial.device[at(s)];
    const int next = trial.device[at(s + 1)];
    const int end = trial.end[at(s)];
    block[forward_occupancy * stride_ + s] = costs_.occupancy(end, device, next);
    block[forward_latency * stride_ + s] = costs_.latency(device, next);
    block[backward_occupancy * stride_ + s] = costs_.occupancy(end, next, device);
    block[backward_latency * stride_ + s] = costs_.latency(next, device);
}

double ChainWalk::objective(double makespan) const
{
    const double* const block = trial_block_.data();
    double longest_update = 0;
    for (int s = 0; s < stride_; ++s)
        longest_update = std::max(longest_update, block[update * stride_ + s]);
    const Problem& problem = costs_.problem();
    double value = makespan + longest_update + problem.fixed_step_s;
    if (problem.objective != Objective::latency)
        value /= costs_.samples();
    if (problem.objective == Objective::cost) {
        double price = 0;
        for (const int d : trial.device)
            price += costs_.price_per_s(d);
        value *= price;
    }
    return value;
}

double ChainWalk::bound()
{
    double* const block = trial_block_.data();
    if (!priced_) {
        for (const int s : touched_) {
            price_stage(s);
            price_boundary(s - 1);
            price_boundary(s);
        }
        changed_ = false;
        for (const int s : touched_) {
            for (int c = 0; c < columns; ++c) {
                const std::size_t here = at(c * stride_ + s);
                changed_ = changed_ || trial_block_[here] != current_block_[here]
                           || (s > 0 && trial_block_[here - 1] != current_block_[here - 1]);
            }
        }
        excess_sum_ = 0;
        for (int s = 0; s < stride_; ++s)
            excess_sum_ += block[over * stride_ + s];
        if (costs_.locks().any())
            excess_sum_ += costs_.locks().broken(trial);
        priced_ = true;
    }
    const int micro_batches = costs_.micro_batches();
    double behind = 0, longest = 0, channel = 0;
    double behind_next = 0, forth = 0;
    for (int s = stride_ - 1; s >= 0; --s) {
        double boundary = 0;
        if (s + 1 < stride_) {
            forth = block[forward_occupancy * stride_ + s];
            const double back = block[backward_occupancy * stride_ + s];
            boundary = forth + back + block[forward_latency * stride_ + s] + block[backward_latency * stride_ + s];
            channel = std::max({channel, forth, back});
        }
        behind += boundary;
        const double own = block[forward * stride_ + s] + block[backward * stride_ + s];
        // All once, less what lies behind s, and the other micro-batches on s.
        longest = std::max(longest, (micro_batches - 1) * own - behind);
        const double behind_here = behind;
        behind += own;
        longest = std::max(longest, rounds_[at(s)] * behind);
        if (s + 1 < stride_)
            longest =
                std::max(longest, filling_[at(s)] * forth + pair_rounds_[at(s)] * (behind - behind_next) - behind_next);
        behind_next = behind_here;
    }
    return objective(behind + std::max(longest, (micro_batches - 1) * channel));
}

double ChainWalk::value()
{
    if (!priced_)
        bound();
    ++evaluations_;
    const double* const block = trial_block_.data();
    for (int s = 0; s + 1 < stride_; ++s) {
        if (!std::isfinite(block[forward_occupancy * stride_ + s] + block[backward_occupancy * stride_ + s]))
            return std::numeric_limits<double>::infinity();
    }
    return objective(evaluator_.makespan(costs_.setting().schedule, views_, costs_.micro_batches()));
}

void ChainWalk::accept()
{
    for (const int s : touched_) {
        for (int c = 0; c < columns; ++c) {
            current_block_[at(c * stride_ + s)] = trial_block_[at(c * stride_ + s)];
            if (s > 0)
                current_block_[at(c * stride_ + s - 1)] = trial_block_[at(c * stride_ + s - 1)];
        }
        current_.device[at(s)] = trial.device[at(s)];
        current_.end[at(s)] = trial.end[at(s)];
        marked_[at(s)] = 0;
    }
    touched_.clear();
}

void ChainWalk::reject()
{
    for (const int s : touched_) {
        for (int c = 0; c < columns; ++c) {
            trial_block_[at(c * stride_ + s)] = current_block_[at(c * stride_ + s)];
            if (s > 0)
                trial_block_[at(c * stride_ + s - 1)] = current_block_[at(c * stride_ + s - 1)];
        }
        trial.device[at(s)] = current_.device[at(s)];
        trial.end[at(s)] = current_.end[at(s)];
        marked_[at(s)] = 0;
    }
    touched_.clear();
    priced_ = false;
}

}  // namespace nnpiper
