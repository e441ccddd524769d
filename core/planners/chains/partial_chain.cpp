// SPDX-License-Identifier: GPL-3.0-or-later
// Stages 0..k of a chain are known, r = S-k-1 stages, the layers from e on and the unused devices Q are left. With
// A_i the time of all stages and transfers before stage i, there and back, c the transfers, L_i the launch counts of 1F1B:
//   A_i + M T_i                                       stage i waits for the first micro-batch and for the last gradient
//   R + (M-1) b_i + (M-L_i) f_i                       R = A_k + T_k + c_k + rest: one micro-batch's way there and back, in
//                                                     which stage i runs L_i forwards and one backward
//   A_i + (L_j-1) f_i + n (T_i + c_i + .. + T_j)      n = 1 + floor((M-L_j) / (L_i-L_j+1)) round trips between i and j that
//                                                     follow each other
//   A_i + ceil(M/L_i) (R - A_i)                       the same to the last stage
//   A_k + T_k + c_k + what PipelineDual proves of r stages with the layers left, on all devices or, with fixed weights, on Q
// Under GPipe R + (M-1) (max f + max b) takes the place of the second to fourth. The rest of R is every layer's shortest
// time on Q and the lightest transfers that r stages need.
#include "core/planners/chains/partial_chain.h"

#include "core/planners/chains/symmetry.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <numeric>

namespace nnpiper {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double rounding = 1 - 1e-9;

std::size_t at(int index)
{
    return static_cast<std::size_t>(index);
}

double transfer_s(const ChainCosts& costs, int end, int from, int to)
{
    return costs.occupancy(end, from, to) + costs.occupancy(end, to, from) + costs.latency(from, to)
           + costs.latency(to, from);
}

}  // namespace

struct PartialChainBounds::Prefix {
    std::vector<double> way;       ///< [stage] A_i
    std::vector<double> forward;   ///< [stage]
    std::vector<double> span;      ///< [stage] from it to the last known one, without the transfer behind
    double after = 0;              ///< A_k + T_k of the last known stage
    double most_forward = 0;
    double most_backward = 0;
    double outside = 0;            ///< most that a stage does outside of a round trip
    double update = 0;
    double price_per_s = 0;

    Prefix(const ChainCosts& costs, const Chain& chain)
    {
        const int m = costs.micro_batches();
        for (int s = 0; s < chain.stages(); ++s) {
            const int d = chain.device[at(s)], first = chain.first(s), end = chain.end[at(s)];
            const double c = s == 0 ? 0 : transfer_s(costs, first, chain.device[at(s - 1)], d);
            const double f = costs.forward(d, first, end), b = costs.backward(d, first, end);
            way.push_back(after + c);
            forward.push_back(f);
            for (double& sum : span)
                sum += c + f + b;
            span.push_back(f + b);
            after += c + f + b;
            most_forward = std::max(most_forward, f);
            most_backward = std::max(most_backward, b);
            outside = std::max(outside, (m - 1) * b + (m - costs.in_flight(s)) * f);
            update = std::max(update, costs.optimizer(d, first, end));
            price_per_s += costs.price_per_s(d);
        }
    }
};

struct PartialChainBounds::Rest {
    std::vector<double> pass;              ///< [first] shortest times of the layers from there on
    std::vector<std::vector<double>> work; ///< [choice][first] with the choice's weights
    std::vector<double> start;             ///< [choice]
    std::vector<double> trip;              ///< [choice]
    double capacity = 0;                   ///< of the largest devices, one a stage
    double price_per_s = 0;                ///< of the cheapest
};

PartialChainBounds::PartialChainBounds(const ChainCosts& costs)
    : costs_(costs), evaluator_(costs), forward_(forward_part(costs.problem())), classes_(device_classes(costs)),
      locks_(costs.problem())
{
    const Problem& problem = costs.problem();
    const auto& usable = costs.usable();
    const auto slots = static_cast<int>(usable.size());
    all_.devices = slots;
    all_.micro_batches = costs.micro_batches();
    all_.count.assign(at(costs.layers()), 1);
    for (int l = 0; l < costs.layers(); ++l) {
        double least = infinite;
        for (const int d : usable) {
            all_.time.push_back(time(d, l, l + 1));
            least = std::min(least, all_.time.back());
        }
        all_.pass.push_back(least);
    }
    add_transfers(all_, problem, problem.variants[at(costs.setting().variant)], usable);

    held_.assign(at(costs.layers() + 1), 0);
    for (int l = costs.layers() - 1; l >= 0; --l)
        held_[at(l)] = held_[at(l + 1)] + problem.state_bytes[at(l)]
                       + costs.in_flight(costs.stages() - 1) * problem.variants[at(costs.setting().variant)].stored_bytes[at(l)];
    partner_.assign(at(slots * (costs.layers() + 1)), infinite);
    for (int slot = 0; slot < slots; ++slot) {
        for (int end = 1; end < costs.layers(); ++end) {
            double& least = partner_[at(slot * (costs.layers() + 1) + end)];
            for (const int other : usable) {
                if (other != usable[at(slot)])
                    least = std::min(least, transfer_s(costs, end, usable[at(slot)], other));
            }
        }
    }
    suffix_.assign(at((costs.stages() + 1) * (costs.layers() + 1)), std::numeric_limits<double>::quiet_NaN());

    PipelineDual dual(all_, costs.stages(),
                      schedule_rules(forward_, costs.setting().schedule, costs.stages(), costs.micro_batches()));
    weights_.push_back(dual.weights());
    dual.improve(1000);
    if (dual.weights() != weights_.front())
        weights_.push_back(dual.weights());
    root_ = dual.bound();
}

double PartialChainBounds::least_price_per_s() const
{
    std::vector<double> prices;
    for (const int d : costs_.usable())
        prices.push_back(costs_.price_per_s(d));
    std::sort(prices.begin(), prices.end());
    return std::accumulate(prices.begin(), prices.begin() + costs_.stages(), 0.0);
}

double PartialChainBounds::suffix(int stages_left, int first)
{
    double& known = suffix_[at(stages_left * (costs_.layers() + 1) + first)];
    if (std::isnan(known)) {
        LeastCosts costs = all_;
        costs.time.erase(costs.time.begin(), costs.time.begin() + static_cast<std::ptrdiff_t>(first) * all_.devices);
        costs.count.erase(costs.count.begin(), costs.count.begin() + first);
        costs.pass.erase(costs.pass.begin(), costs.pass.begin() + first);
        PipelineDual dual(costs, stages_left,
                          schedule_rules(forward_, costs_.setting().schedule, stages_left, costs_.micro_batches()));
        dual.improve(20);
        known = dual.bound();
    }
    return known;
}

PartialChainBounds::Rest PartialChainBounds::rest_of(int stages_left, int device, const std::vector<char>& used) const
{
    const int layers = costs_.layers();
    std::vector<int> slots;
    for (int slot = 0; slot < all_.devices; ++slot) {
        const int d = costs_.usable()[at(slot)];
        if (!used[at(d)] && d != device)
            slots.push_back(slot);
    }
    Rest rest;
    rest.pass.assign(at(layers + 1), 0);
    rest.work.assign(weights_.size(), std::vector<double>(at(layers + 1), 0));
    for (int l = layers - 1; l >= 0; --l) {
        const auto times = all_.row(l);
        double least = infinite;
        for (const int slot : slots)
            least = std::min(least, times[at(slot)]);
        rest.pass[at(l)] = rest.pass[at(l + 1)] + least;
        for (std::size_t c = 0; c < weights_.size(); ++c) {
            double lightest = infinite;
            for (const int slot : slots)
                lightest = std::min(lightest, weights_[c][at(slot)] * times[at(slot)]);
            rest.work[c][at(l)] = rest.work[c][at(l + 1)] + lightest;
        }
    }
    const auto rules = schedule_rules(forward_, costs_.setting().schedule, stages_left, costs_.micro_batches());
    std::vector<double> values;
    const auto first_ones = [&](auto value, auto order) {
        values.clear();
        for (const int slot : slots)
            values.push_back(value(slot));
        std::sort(values.begin(), values.end(), order);
        values.resize(at(stages_left));
    };
    const auto sum = [&] {
        double total = 0;
        for (const double value : values)
            total += value;
        return total;
    };
    for (const auto& weights : weights_) {
        first_ones([&](int slot) { return weights[at(slot)]; }, std::greater<>());
        rest.start.push_back(start_room(values, rules.fill, costs_.micro_batches()));
        rest.trip.push_back(trip_room(values, rules.remaining));
    }
    first_ones([&](int slot) { return costs_.capacity(costs_.usable()[at(slot)]); }, std::greater<>());
    rest.capacity = sum();
    first_ones([&](int slot) { return costs_.price_per_s(costs_.usable()[at(slot)]); }, std::less<>());
    rest.price_per_s = sum();
    return rest;
}

const std::vector<NextStage>& PartialChainBounds::next(const PartialChain& partial)
{
    next_.clear();
    const Prefix prefix(costs_, partial.chain);
    std::vector<char> used(at(costs_.devices()), 0);
    for (const int d : partial.chain.device)
        used[at(d)] = 1;
    const auto& usable = costs_.usable();
    const int left = costs_.stages() - partial.chain.stages() - 1;
    int needed = 0;
    for (const int d : usable)
        needed += locks_.wants(d) && !used[at(d)];
    std::vector<int> tried;
    for (int slot = 0; slot < all_.devices; ++slot) {
        const int d = usable[at(slot)];
        if (used[at(d)] || std::find(tried.begin(), tried.end(), classes_[at(slot)]) != tried.end())
            continue;
        tried.push_back(classes_[at(slot)]);
        if (needed - locks_.wants(d) <= left)
            collect(partial, prefix, slot, used);
    }
    std::sort(next_.begin(), next_.end(),
              [](const NextStage& a, const NextStage& b) { return a.makespan < b.makespan; });
    return next_;
}

void PartialChainBounds::collect(const PartialChain& partial, const Prefix& prefix, int slot, const std::vector<char>& used)
{
    const int device = costs_.usable()[at(slot)];
    const int stage = partial.chain.stages();
    const int left = costs_.stages() - stage - 1;
    const int layers = costs_.layers();
    const int m = costs_.micro_batches();
    const int first = stage == 0 ? 0 : partial.chain.end.back();
    const double link = stage == 0 ? 0 : transfer_s(costs_, first, partial.chain.device.back(), device);
    if (!(link < infinite))
        return;
    const double way = prefix.after + link;
    const bool launches = costs_.setting().schedule == ScheduleKind::one_f_one_b;
    const int held = costs_.in_flight(stage);
    const Rest rest = left > 0 ? rest_of(left, device, used) : Rest{};
    const double light = left > 0 ? all_.transfers[at(left)] : 0;
    for (int end = left == 0 ? layers : first + 1; end <= layers - left; ++end) {
        if ((locks_.any() && !locks_.allow(device, stage, first, end))
            || costs_.memory(stage, first, end) > costs_.capacity(device) * (1 + 1e-12))
            continue;
        const double f = costs_.forward(device, first, end), b = costs_.backward(device, first, end);
        NextStage next{device, end, partial.makespan, std::max(prefix.update, costs_.optimizer(device, first, end)),
                       prefix.price_per_s + costs_.price_per_s(device) + rest.price_per_s};
        if (left == 0) {
            Chain chain = partial.chain;
            chain.device.push_back(device);
            chain.end.push_back(end);
            next.makespan = evaluator_.makespan(chain);
            if (next.makespan < infinite)
                next_.push_back(next);
            continue;
        }
        if (held_[at(end)] > rest.capacity * (1 + 1e-9))
            continue;
        const double after = way + f + b + partner_[at(slot * (layers + 1) + end)];
        const double round = after + rest.pass[at(end)] + light;
        double bound = std::max(way + m * (f + b), after + suffix(left, end));
        for (std::size_t c = 0; c < weights_.size(); ++c)
            bound = std::max({bound, after + rest.work[c][at(end)] / rest.start[c],
                              after + rest.work[c][at(end)] / rest.trip[c] + light});
        if (launches) {
            bound = std::max(bound, round + std::max(prefix.outside, (m - 1) * b + (m - held) * f));
            for (int i = 0; i <= stage; ++i) {
                const double before = i < stage ? prefix.way[at(i)] : way;
                const int launched = costs_.in_flight(i);
                bound = std::max(bound, before + (m + launched - 1) / launched * (round - before));
                if (i < stage)
                    bound = std::max(bound, before + (held - 1) * prefix.forward[at(i)]
                                                + ((m - held) / (launched - held + 1) + 1)
                                                      * (prefix.span[at(i)] + link + f + b));
            }
        } else {
            bound = std::max(bound, round + (m - 1) * (std::max(prefix.most_forward, f) + std::max(prefix.most_backward, b)));
        }
        next.makespan = std::max(next.makespan, bound * rounding);
        if (next.makespan < infinite)
            next_.push_back(next);
    }
}

}  // namespace nnpiper
