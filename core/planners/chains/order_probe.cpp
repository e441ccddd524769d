// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planners/chains/order_probe.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace nnpiper {

namespace {

std::size_t at(int i)
{
    return static_cast<std::size_t>(i);
}

}  // namespace

OrderProbe::OrderProbe(const ChainCosts& costs)
    : costs_(costs)
    , stages_(costs.stages())
    , layers_(costs.layers())
{
    const int devices = costs.devices();
    time_.resize(at(devices * (layers_ + 1)));
    dealt_ends_.resize(at(stages_));
    ends_.resize(at(stages_));
    memory_class_.assign(at(devices), 0);
    std::vector<double> capacities;
    for (const int d : costs.usable()) {
        for (int l = 0; l <= layers_; ++l)
            time_[at(d * (layers_ + 1) + l)] = costs.forward(d, 0, l) + costs.backward(d, 0, l);
        const auto found = std::find(capacities.begin(), capacities.end(), costs.capacity(d));
        memory_class_[at(d)] = static_cast<int>(found - capacities.begin());
        if (found == capacities.end())
            capacities.push_back(costs.capacity(d));
    }
    classes_ = static_cast<int>(capacities.size());
    memory_first_.resize(at(stages_ * classes_ * (layers_ + 1)));
    for (int s = 0; s < stages_; ++s) {
        for (int c = 0; c < classes_; ++c) {
            const double capacity = capacities[at(c)] * (1 + 1e-12);
            int* const row = memory_first_.data() + at((s * classes_ + c) * (layers_ + 1));
            int first = 0;
            for (int end = 1; end <= layers_; ++end) {
                while (first < end && costs.memory(s, first, end) > capacity)
                    ++first;
                while (first > 0 && costs.memory(s, first - 1, end) <= capacity)
                    --first;  // a boundary with small buffers
                row[end] = first;
            }
        }
    }
    for (int l = 0; l < layers_; ++l) {
        double shortest = std::numeric_limits<double>::infinity();
        for (const int d : costs.usable())
            shortest = std::min(shortest, time_[at(d * (layers_ + 1) + l + 1)] - time_[at(d * (layers_ + 1) + l)]);
        least_period_ = std::max(least_period_, shortest);
    }
}

bool OrderProbe::deal(const int* order, double period)
{
    const double limit = period * (1 + 1e-12);
    const double inverse_rounds = 1.0 / std::max(1, costs_.micro_batches() - 1);
    int end = layers_;
    double behind = 0;  // round trip from the next stage on, with the way there
    dealt_ends_[at(stages_ - 1)] = layers_;
    double spans = std::numeric_limits<double>::infinity();  // least behind_j - P (L_j - 1) of the stages dealt
    dealt_total_ = 0;
    for (int s = stages_ - 1; s >= 0; --s) {
        const int d = order[s];
        const double* const time = time_.data() + at(d * (layers_ + 1));
        const double flight = costs_.in_flight(s);
        const double budget = std::min(limit + behind * inverse_rounds, spans + limit * flight - behind);
        spans = std::min(spans, behind - limit * (flight - 1));
        const int memory_first = memory_first_[at((s * classes_ + memory_class_[at(d)]) * (layers_ + 1) + end)];
        const int least = std::max(memory_first, s);
        const double floor = time[end] - budget;
        int first = end;
        while (first > least && time[first - 1] >= floor)
            --first;
        if (s == 0) {
            left_over_ = first;
            if (first > 0)
                return false;
            behind += time[end];
            break;
        }
        const int before = order[s - 1];
        double forth = 0, back = 0;
        for (; first < end; ++first) {
            forth = costs_.occupancy(first, before, d);
            back = costs_.occupancy(first, d, before);
            if (forth <= limit && back <= limit)
                break;
        }
        if (first >= end) {
            left_over_ = end;
            return false;
        }
        behind += time[end] - time[first] + forth + back + costs_.latency(before, d) + costs_.latency(d, before);
        end = first;
        dealt_ends_[at(s - 1)] = end;
    }
    dealt_total_ = behind;
    return true;
}

double OrderProbe::price(const int* order) const
{
    double price = 0;
    for (int s = 0; s < stages_; ++s)
        price += costs_.price_per_s(order[s]);
    return price;
}

/// The least period between one that is too short and one that was just dealt, to a thousandth; the total goes with it.
double OrderProbe::narrow(const int* order, double low, double high)
{
    total_ = dealt_total_;
    ends_ = dealt_ends_;
    constexpr int most_halvings = 64;
    for (int step = 0; step < most_halvings && high > low * 1.001; ++step) {
        const double middle = 0.5 * (low + high);
        if (deal(order, middle)) {
            high = middle;
            total_ = dealt_total_;
            ends_ = dealt_ends_;
        } else {
            low = middle;
        }
    }
    return high;
}

double OrderProbe::value(std::span<const int> order)
{
    const int* const devices = order.data();
    double whole = 0;
    for (int s = 0; s < stages_; ++s)
        whole = std::max(whole, time_[at(devices[s] * (layers_ + 1) + layers_)]);
    double low = least_period_;
    double high = std::max(low, whole / stages_);
    for (int tries = 0; !deal(devices, high); ++tries) {
        low = high;
        high *= tries < 6 ? 1.5 : 6;
        if (tries == 16)
            return infeasible * (1 + left_over_);
    }
    const double scale = costs_.problem().objective == Objective::cost ? price(devices) : 1;
    const double least = narrow(devices, low, high);
    return (total_ + std::max(1, costs_.micro_batches() - 1) * least) * scale;
}

}  // namespace nnpiper
