// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planners/chains/split.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace nnpiper {

namespace {
constexpr double infinite = std::numeric_limits<double>::infinity();
/// Of a range of periods; the widest that doubles hold needs half as many.
constexpr int most_halvings = 40;
}

SplitSearch::SplitSearch(const ChainCosts& costs) : costs_(costs)
{
    const std::size_t cells = ChainCosts::index(costs.stages() * (costs.layers() + 1));
    order_.resize(ChainCosts::index(costs.stages()));
    round_trip_.resize(cells);
    excess_.resize(cells);
    choice_.resize(cells);
    time_.resize(cells);
    boundary_.resize(cells);
    channel_.resize(cells);
    memory_end_.resize(cells);
    trial_.device.resize(order_.size());
    trial_.end.resize(order_.size());
}

void SplitSearch::prepare(std::span<const int> order)
{
    const int stages = costs_.stages();
    const int layers = costs_.layers();
    std::copy(order.begin(), order.end(), order_.begin());
    double rate = 0;       // 1 / (time of all layers), summed: a perfect balance takes 1 / rate
    double longest = 0;    // some device must run the longest layer
    for (int s = 0; s < stages; ++s) {
        const int device = order[ChainCosts::index(s)];
        const std::size_t row = ChainCosts::index(s * (layers + 1));
        for (int l = 0; l <= layers; ++l)
            time_[row + ChainCosts::index(l)] = costs_.forward(device, 0, l) + costs_.backward(device, 0, l);
        const double all = time_[row + ChainCosts::index(layers)];
        rate += all > 0 ? 1 / all : 0;
        if (s + 1 < stages) {
            const int next = order[ChainCosts::index(s + 1)];
            const double latency = costs_.latency(device, next) + costs_.latency(next, device);
            for (int e = 1; e <= layers; ++e) {
                const double forth = costs_.occupancy(e, device, next);
                const double back = costs_.occupancy(e, next, device);
                boundary_[row + ChainCosts::index(e)] = forth + back + latency;
                channel_[row + ChainCosts::index(e)] = std::max(forth, back);
            }
        }
        // Memory grows with the end except for the boundary's buffers, so walk both ends forward and look one by one.
        const double capacity = costs_.capacity(device) * (1 + 1e-12);
        const int last_first = layers - (stages - s);
        int end = s + 1;
        for (int first = s; first <= last_first; ++first) {
            end = std::max(end, first + 1);
            while (end < layers && costs_.memory(s, first, end + 1) <= capacity)
                ++end;
            while (end > first && costs_.memory(s, first, end) > capacity)
                --end;
            memory_end_[row + ChainCosts::index(first)] = end;
        }
    }
    for (int l = 0; l < layers; ++l) {
        double shortest = infinite;
        for (int s = 0; s < stages; ++s) {
            const std::size_t row = ChainCosts::index(s * (layers + 1));
            shortest = std::min(shortest, time_[row + ChainCosts::index(l + 1)] - time_[row + ChainCosts::index(l)]);
        }
        longest = std::max(longest, shortest);
    }
    least_period_ = std::max(longest, rate > 0 ? 1 / rate : 0);
}

bool SplitSearch::solve(double period, Least least, Chain& chain)
{
    const int stages = costs_.stages();
    const int layers = costs_.layers();
    const double limit = period * (1 + 1e-12);
    const bool spans = costs_.setting().schedule != ScheduleKind::gpipe;
    const bool locked = costs_.locks().any();
    for (int s = stages - 1; s >= 0; --s) {
        const std::size_t row = ChainCosts::index(s * (layers + 1));
        const double* const time = time_.data() + row;
        double* const round_trip = round_trip_.data() + row;
        double* const excess = excess_.data() + row;
        int* const choice = choice_.data() + row;
        const double throttle = limit * costs_.in_flight(s);
        const int last_first = layers - (stages - s);
        const int device = order_[ChainCosts::index(s)];
        bool any = false;
        for (int first = s; first <= last_first; ++first) {
            double best = infinite, best_trip = infinite, best_excess = infinite;
            int best_end = -1;
            const int memory_end = memory_end_[row + ChainCosts::index(first)];
            if (s + 1 == stages) {
                const double own = time[layers] - time[first];
                if (memory_end == layers && own <= limit && (!locked || costs_.locks().allow(device, s, first, layers))) {
                    best_trip = own;
                    best_excess = own - limit;
                    best_end = layers;
                }
            } else {
                const double* const boundary = boundary_.data() + row;
                const double* const channel = channel_.data() + row;
                const double* const behind = round_trip_.data() + row + layers + 1;
                const double* const behind_excess = excess_.data() + row + layers + 1;
                const double step = limit * (costs_.in_flight(s) - costs_.in_flight(s + 1));
                // A stage that holds every micro-batch at once lets none wait for another's way back.
                const bool waits = costs_.in_flight(s) < costs_.micro_batches();
                const int last_end = std::min(memory_end, layers - (stages - s - 1));
                for (int end = first + 1; end <= last_end; ++end) {
                    const double own = time[end] - time[first];
                    if (own > limit)
                        break;
                    const double trip = own + boundary[end] + behind[end];
                    double over = trip - throttle;
                    if (spans)
                        over = own + (waits ? std::max(-limit, boundary[end] + behind_excess[end] - step) : -limit);
                    const double value = least == Least::excess && waits ? over : trip;
                    if (value < best && over <= 0 && channel[end] <= limit
                        && (!locked || costs_.locks().allow(device, s, first, end))) {
                        best = value;
                        best_trip = trip;
                        best_excess = over;
                        best_end = end;
                    }
                }
            }
            round_trip[first] = best_trip;
            excess[first] = best_excess;
            choice[first] = best_end;
            any = any || best_end >= 0;
        }
        if (!any)
            return false;
    }
    if (!(round_trip_[0] < infinite))
        return false;
    trace(chain);
    return true;
}

bool SplitSearch::balance(std::span<const float> log_load, Chain& chain)
{
    const int stages = costs_.stages();
    const int layers = costs_.layers();
    const bool locked = costs_.locks().any();
    for (int s = stages - 1; s >= 0; --s) {
        const std::size_t row = ChainCosts::index(s * (layers + 1));
        double* const sum = excess_.data() + row;
        int* const choice = choice_.data() + row;
        const int device = order_[ChainCosts::index(s)];
        const bool last = s + 1 == stages;
        const double scale = (log_load.empty() ? 1 : std::exp(-log_load[ChainCosts::index(s)])) / std::max(least_period_, 1e-300);
        const auto power = [scale](double load) {
            const double x = load * scale, x2 = x * x, x4 = x2 * x2;
            return x4 * x4;
        };
        for (int first = s; first <= layers - (stages - s); ++first) {
            double best = infinite;
            int best_end = -1;
            const int last_end = std::min(memory_end_[row + ChainCosts::index(first)], layers - (stages - s - 1));
            for (int end = last ? layers : first + 1; end <= last_end; ++end) {
                const double value = power(load(s, first, end)) + (last ? 0 : sum[layers + 1 + end]);
                if (value < best && (!locked || costs_.locks().allow(device, s, first, end))) {
                    best = value;
                    best_end = end;
                }
                if (power(time_[row + ChainCosts::index(end)] - time_[row + ChainCosts::index(first)]) >= best)
                    break;
            }
            sum[first] = best;
            choice[first] = best_end;
        }
    }
    if (!(excess_[0] < infinite))
        return false;
    trace(chain);
    return true;
}

bool SplitSearch::balance(std::span<const int> order, std::span<const float> log_load, Chain& best)
{
    prepare(order);
    return balance(log_load, best);
}

double SplitSearch::load(int stage, int first, int end) const
{
    const std::size_t each = ChainCosts::index(costs_.layers() + 1), row = ChainCosts::index(stage) * each;
    double load = time_[row + ChainCosts::index(end)] - time_[row + ChainCosts::index(first)];
    if (stage > 0)
        load += boundary_[row - each + ChainCosts::index(first)] / 2;
    if (stage + 1 < costs_.stages())
        load += boundary_[row + ChainCosts::index(end)] / 2;
    return load;
}

void SplitSearch::trace(Chain& chain) const
{
    chain.device.resize(order_.size());
    chain.end.resize(order_.size());
    int first = 0;
    for (int s = 0; s < costs_.stages(); ++s) {
        first = choice_[ChainCosts::index(s * (costs_.layers() + 1) + first)];
        chain.device[ChainCosts::index(s)] = order_[ChainCosts::index(s)];
        chain.end[ChainCosts::index(s)] = first;
    }
}

double SplitSearch::split(std::span<const int> order, ChainEvaluator& evaluator, Chain& best, int effort)
{
    prepare(order);
    double low = least_period_;
    // A period that holds every stage with half of the transfers around it holds every span.
    if (!balance({}, best))
        return infinite;
    double high = low;
    for (int s = 0; s < costs_.stages(); ++s) {
        const int end = best.end[ChainCosts::index(s)];
        high = std::max(high, load(s, best.first(s), end));
        if (s + 1 < costs_.stages())
            high = std::max(high, channel_[ChainCosts::index(s * (costs_.layers() + 1) + end)]);
    }
    double best_score = evaluator.score(best);
    for (int step = 0; step < most_halvings && high > low * 1.002; ++step) {
        const double middle = std::sqrt(low) * std::sqrt(high);
        if (solve(middle, Least::excess, trial_)) {
            high = middle;
            if (const double score = evaluator.score(trial_); score < best_score) {
                best_score = score;
                best = trial_;
            }
        } else {
            low = middle;
        }
    }
    static constexpr double factors[] = {1.0, 1.01, 1.03, 1.06, 1.12, 1.25, 1.6, 3, 1e3};
    // The fewer micro-batches, the more a short way through counts against a short period.
    const int tried = costs_.micro_batches() < costs_.stages() && effort > 2 ? static_cast<int>(std::size(factors)) : effort;
    for (int i = 0; i < std::min<int>(tried, std::size(factors)); ++i) {
        if (!solve(high * factors[i], Least::round_trip, trial_))
            continue;
        if (const double score = evaluator.score(trial_); score < best_score) {
            best_score = score;
            best = trial_;
        }
    }
    return best_score;
}

}  // namespace nnpiper
