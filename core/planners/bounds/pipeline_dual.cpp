// SPDX-License-Identifier: GPL-3.0-or-later
// Weak duality over the inequalities that every plan with S stages keeps. T_s is the time of stage s for one micro-batch,
// c_s its transfer to the next stage there and back, M the micro-batches, H the makespan.
//
//   work     Every layer is computed for every sample. With p(l,d) device-seconds of layer l on device d, weights w_d >= 0
//            and W(w) = sum_l min_d w_d p(l,d):    sum_s (sum of w_d on stage s) T_s >= W(w).
//   start    fill sum_{i<s} (T_i + c_i) + M T_s <= H     (stage s waits for the first micro-batch to come and for the last
//            one's gradient to go back).
//   trip     sum_i (T_i + c_i) + g_s T_s <= H            (while one micro-batch goes there and back, stage s can work on
//            at most its launch count of forwards more; g_s is what it must do besides).
//   rounds   q sum_i (T_i + c_i) <= H                    (a micro-batch enters when an earlier one has come back).
//   boundary sum_i (T_i + c_i) + (M-1) o_i <= H          (o_i the busier channel: it takes one message at a time).
//   layer    (of single devices) a stage that has layer l has T_s >= least time of l, and what lies before l is done first.
//   pair     n c_i <= H                                  (under 1F1B a stage has one micro-batch more in flight than the
//            next one, so every other micro-batch waits for a round trip over the boundary between them).
//
// Multipliers on these, for stage weights w_s in the order of stages:
//   start:   L_s = L_{s+1} (1 - fill/M) + w_s / M  gives  W <= H L_0 - sum_{s>=1} c_s L_s. Where w_s < fill L_{s+1} the
//            multiplier would be negative and L_s = L_{s+1} holds instead. An exchange of neighbours shows that no order of
//            the stages has a larger L_0 than the heaviest first; with the transfers so too as long as
//            H (1 - fill/M)^(S-1) >= (S-1) c, hence the cap on c.
//   trip:    N = sum_s (w_s - N)^+ / g_s  gives  W + N sum c <= H N; N is largest with the heaviest stage where g is least.
//   rounds:  z on every stage gives  W(w + z) and z/q more on the right.
// Which devices are used is the adversary's choice too: the S heaviest, or with replicas all of them, S - 1 lightest ones
// alone and the others on the first stage. So the bound holds for every order, cut and choice of devices, whatever w is;
// good w come from subgradient steps on its logarithm, starting at the devices' speeds (Held, Wolfe and Crowder 1974).
#include "core/planners/bounds/pipeline_dual.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>

namespace nnpiper {

namespace {

constexpr double rounding = 1 - 1e-9;   // sums in another order than the simulator's

std::size_t at(int index)
{
    return static_cast<std::size_t>(index);
}

}  // namespace

double start_room(std::span<const double> stage_weights, double fill, int micro_batches)
{
    const double a = 1.0 / micro_batches;
    double room = 0, power = 1;
    for (const double weight : stage_weights) {
        room += weight * a * power;
        power *= 1 - fill * a;
    }
    return room;
}

double trip_room(std::span<const double> stage_weights, std::span<const double> remaining)
{
    double sum = 0, inverse = 0, room = 0;
    for (std::size_t s = 0; s < stage_weights.size() && stage_weights[s] > room; ++s) {
        const double g = std::max(remaining[s], 1e-9);
        sum += stage_weights[s] / g;
        inverse += 1 / g;
        room = sum / (1 + inverse);
    }
    return room;
}

PipelineDual::PipelineDual(const LeastCosts& costs, int stages, ScheduleRules rules)
    : costs_(costs), stages_(stages), rules_(std::move(rules)), order_(at(costs.devices)), stage_weight_(at(stages))
{
    best_ = pass_bound();
    best_weights_.assign(at(costs.devices), 1);
    if (stages > costs.devices)
        best_ = std::numeric_limits<double>::infinity();
    for (int r = 0; r < costs.rows(); ++r) {
        const auto times = costs.row(r);
        if (std::all_of(times.begin(), times.end(), [](double t) { return std::isinf(t); }))
            best_ = std::numeric_limits<double>::infinity();
    }
    if (std::isinf(best_)) {
        open_ = false;
        return;
    }
    double mean = 0;
    for (int d = 0; d < costs.devices; ++d) {
        double total = 0, layers = 0;
        for (int r = 0; r < costs.rows(); ++r) {
            if (std::isfinite(costs.row(r)[at(d)])) {
                total += costs.count[at(r)] * costs.row(r)[at(d)];
                layers += costs.count[at(r)];
            }
        }
        weights_.push_back(total > 0 ? layers / total : 0);
        mean += weights_.back() / costs.devices;
    }
    // A device that nothing takes time on could do it all; one that nothing fits on weighs next to nothing.
    if (!(mean > 0)) {
        open_ = false;
        return;
    }
    for (double& w : weights_)
        w = std::max(w, 1e-6 * mean);
    for (double& w : weights_)
        w /= mean;
    best_weights_ = weights_;
    best_ = std::max(best_, evaluate(weights_, 0, nullptr));
    if (rules_.round_trip) {
        for (const double z : {0.1, 0.5, 2.0, 10.0}) {
            if (const double bound = evaluate(weights_, z, nullptr); bound > best_) {
                best_ = bound;
                pass_weight_ = z;
            }
        }
    }
}

/// Without weights: one micro-batch goes there and back; its fellows wait for it at the slowest boundary.
double PipelineDual::pass_bound() const
{
    double bound = 0;
    for (int r = 0; r < costs_.rows(); ++r)
        bound += costs_.count[at(r)] * costs_.pass[at(r)];
    if (costs_.transfers.empty())
        return bound * rounding;
    if (rules_.round_trip) {
        const double trip = bound + costs_.transfers[at(stages_)];
        bound = std::max({trip * rules_.rounds, trip + (costs_.micro_batches - 1) * costs_.largest_occupancy[at(stages_)],
                          rules_.boundary_rounds * costs_.largest_transfer[at(stages_)]});
        if (costs_.single_devices)
            bound = std::max(bound, layer_bound(trip));
    } else if (std::isinf(costs_.transfers[at(stages_)])) {
        bound = costs_.transfers[at(stages_)];
    }
    return bound * rounding;
}

/// A device has the whole of a layer. `trip` is the least round trip of one micro-batch.
double PipelineDual::layer_bound(double trip) const
{
    const double remaining = *std::min_element(rules_.remaining.begin(), rules_.remaining.end());
    double bound = 0, before = 0;
    for (int r = 0; r < costs_.rows(); ++r) {
        const auto times = costs_.row(r);
        const double least = *std::min_element(times.begin(), times.end());
        before += (costs_.count[at(r)] - 1) * costs_.pass[at(r)];   // the last of the row's layers
        bound = std::max({bound, before + costs_.micro_batches * least, trip + remaining * least});
        before += costs_.pass[at(r)];
    }
    return bound;
}

void PipelineDual::improve(int steps)
{
    std::vector<double> gradient(at(costs_.devices));
    for (int i = 0; i < steps && open_; ++i) {
        const double bound = evaluate(weights_, pass_weight_, &gradient);
        if (bound > best_ * (1 + 1e-4)) {
            stuck_ = 0;
        } else if (++stuck_ % 4 == 0) {
            step_ *= 0.6;
            weights_ = best_weights_;
        }
        if (bound > best_) {
            best_ = bound;
            best_weights_ = weights_;
        }
        for (int d = 0; d < costs_.devices; ++d)
            weights_[at(d)] *= std::exp(step_ * std::clamp(gradient[at(d)], -1.0, 1.0));
        if (rules_.round_trip && i % 5 == 4) {
            for (const double factor : {0.7, 1.4}) {
                const double z = pass_weight_ * factor;
                if (const double other = evaluate(best_weights_, z, nullptr); other > best_) {
                    best_ = other;
                    pass_weight_ = z;
                    stuck_ = 0;
                    break;
                }
            }
        }
        open_ = step_ > 0.003;
    }
}

/// Bound with the given weights. The gradient is that of the bound's logarithm by the weights' logarithms, relative to
/// the device's part of the right side: 1 or more where a device has too much to do.
double PipelineDual::evaluate(std::span<const double> weights, double pass_weight, std::vector<double>* gradient)
{
    work_ += 1.5 * static_cast<double>(costs_.rows()) * costs_.devices;
    const double extra = costs_.single_devices ? pass_weight : 0;
    double total = 0;
    std::vector<double> load;
    if (gradient)
        load.assign(at(costs_.devices), 0);
    for (int r = 0; r < costs_.rows(); ++r) {
        const auto times = costs_.row(r);
        double least = std::numeric_limits<double>::infinity();
        for (std::size_t d = 0; d < times.size(); ++d)
            least = std::min(least, (weights[d] + extra) * times[d]);
        total += costs_.count[at(r)] * least;
        if (!gradient)
            continue;
        // Devices that tie share the layer.
        double ways = 0;
        const double close = least * (1 + 1e-3);
        for (std::size_t d = 0; d < times.size(); ++d)
            ways += (weights[d] + extra) * times[d] <= close;
        for (std::size_t d = 0; d < times.size(); ++d) {
            if ((weights[d] + extra) * times[d] <= close)
                load[d] += costs_.count[at(r)] * times[d] / ways;
        }
    }
    if (!costs_.single_devices) {
        for (int r = 0; r < costs_.rows(); ++r)
            total += pass_weight * costs_.count[at(r)] * costs_.pass[at(r)];
    }
    sort_stages(weights);
    std::vector<double> slope, trip_slope;
    const double start = start_bound(total, pass_weight, true, gradient ? &slope : nullptr);
    double bound = start;
    if (rules_.round_trip) {
        if (const double trip = trip_bound(total, pass_weight, gradient ? &trip_slope : nullptr); trip > start) {
            bound = trip;
            slope.swap(trip_slope);
        }
    }
    if (gradient) {
        // `slope` is d(right side)/d(stage weight) over the right side.
        const int shared = costs_.single_devices ? 0 : costs_.devices - stages_;
        for (int rank = 0; rank < costs_.devices; ++rank) {
            const int d = order_[at(rank)];
            const int stage = std::max(0, rank - shared);
            const double right = stage < stages_ ? slope[at(stage)] : 0;
            const double left = load[at(d)] / total;
            (*gradient)[at(d)] = right > 0 ? left / right - 1 : left > 0 ? 1 : 0;
        }
    }
    return bound * rounding;
}

void PipelineDual::sort_stages(std::span<const double> weights)
{
    std::iota(order_.begin(), order_.end(), 0);
    std::stable_sort(order_.begin(), order_.end(), [&](int a, int b) { return weights[at(a)] > weights[at(b)]; });
    const int shared = costs_.single_devices ? 0 : costs_.devices - stages_;
    std::fill(stage_weight_.begin(), stage_weight_.end(), 0);
    for (int rank = 0; rank < stages_ + shared; ++rank)
        stage_weight_[at(std::max(0, rank - shared))] += weights[at(order_[at(rank)])];
}

double PipelineDual::start_bound(double total, double pass_weight, bool use_transfers, std::vector<double>* slope) const
{
    const double a = 1.0 / costs_.micro_batches;
    const double keep = 1 - rules_.fill * a;
    double transfer = 0;
    if (use_transfers && rules_.round_trip && stages_ > 1)
        transfer = std::min(costs_.transfer, best_ * std::pow(keep, stages_ - 1) / (stages_ - 1));
    double moved = 0, power = 1;
    for (int s = 0; s < stages_; ++s, power *= keep)
        moved += stage_weight_[at(s)] * (1 - power);
    const double right = start_room(stage_weight_, rules_.fill, costs_.micro_batches) + pass_weight / rules_.rounds;
    double left = total + transfer * moved;
    if (pass_weight > 0)
        left += pass_weight * costs_.transfers[at(stages_)];
    if (slope) {
        slope->clear();
        power = 1;
        for (int s = 0; s < stages_; ++s, power *= keep)
            slope->push_back(a * power / right);
    }
    return right > 0 ? left / right : 0;
}

double PipelineDual::trip_bound(double total, double pass_weight, std::vector<double>* slope) const
{
    const double n = trip_room(stage_weight_, rules_.remaining);
    const double right = n + pass_weight / rules_.rounds;
    if (slope) {
        // Stages that weigh less than N take nothing of it.
        double inverse = 1;
        slope->assign(at(stages_), 0);
        for (int s = 0; s < stages_ && stage_weight_[at(s)] > n; ++s) {
            (*slope)[at(s)] = 1 / std::max(rules_.remaining[at(s)], 1e-9);
            inverse += (*slope)[at(s)];
        }
        for (double& part : *slope)
            part /= inverse * right;
    }
    return right > 0 ? (total + (n + pass_weight) * costs_.transfers[at(stages_)]) / right : 0;
}

}  // namespace nnpiper
