// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planners/chains/order_search.h"

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

double OrderProbe::value_up_to(std::span<const int> order, double most, double total_guess)
{
    const int* const devices = order.data();
    const double scale = costs_.problem().objective == Objective::cost ? price(devices) : 1;
    const double rounds = std::max(1, costs_.micro_batches() - 1);
    const double period = (most / scale - total_guess) / rounds;
    if (!deal(devices, std::max(period, least_period_)))
        return std::numeric_limits<double>::infinity();
    const double least = narrow(devices, least_period_, std::max(period, least_period_));
    return (total_ + rounds * least) * scale;
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

OrderAnnealer::OrderAnnealer(const ChainCosts& costs, std::size_t keep)
    : costs_(costs)
    , probe_(costs)
    , keep_(keep)
{
}

void OrderAnnealer::offer(const std::vector<int>& order, double value)
{
    if (kept_.size() == keep_ && value >= kept_.back().value)
        return;
    for (const Kept& kept : kept_) {
        if (kept.value == value && kept.order == order)
            return;
    }
    if (kept_.size() == keep_)
        kept_.pop_back();
    const auto place =
        std::upper_bound(kept_.begin(), kept_.end(), value, [](double v, const Kept& kept) { return v < kept.value; });
    kept_.insert(place, {value, order});
}

std::vector<std::vector<int>> OrderAnnealer::best() const
{
    std::vector<std::vector<int>> orders;
    for (const Kept& kept : kept_)
        orders.push_back(kept.order);
    return orders;
}

void OrderAnnealer::run(std::vector<int> start, Random& random, long steps, double temperature, const Control& control)
{
    const int stages = costs_.stages();
    std::vector<int> current = std::move(start);
    current.resize(at(stages));
    // Behind the stages' devices stand the idle ones, so that a swap with them is a swap like any other.
    for (const int d : costs_.usable()) {
        if (std::find(current.begin(), current.end(), d) == current.end())
            current.push_back(d);
    }
    const int all = static_cast<int>(current.size());
    const auto head = [&](const std::vector<int>& order) { return std::span<const int>(order.data(), at(stages)); };
    double value = probe_.value(head(current));
    double total = probe_.total();
    offer({current.begin(), current.begin() + stages}, value);
    if (all < 2)
        return;
    std::vector<int> trial = current;
    double worst_heat = 0;
    for (long step = 0; step < steps; ++step) {
        if (step % 128 == 0) {
            if (control.should_stop())
                return;
            worst_heat = temperature * std::pow(1e-2, static_cast<double>(step) / static_cast<double>(steps));
        }
        ++looked_at_;
        const int a = random.below(stages);
        int low = a, high = a;
        const int kind = stages < 2 ? 0 : random.below(8);
        if (kind < 4) {
            const int b = random.below(all);
            if (a == b)
                continue;
            std::swap(trial[at(a)], trial[at(b)]);
            low = std::min(a, b), high = std::max(a, b);
        } else {
            const int length = 1 + random.below(std::min(stages - 1, kind == 7 ? 8 : 4));
            const int from = random.below(stages - length + 1);
            if (kind == 7) {  // turn a run round
                low = from, high = std::min(stages - 1, from + length);
                std::reverse(trial.begin() + low, trial.begin() + high + 1);
            } else {  // move a run elsewhere
                const int to = random.below(stages - length + 1);
                if (to == from)
                    continue;
                low = std::min(from, to), high = std::max(from, to) + length - 1;
                if (to > from)
                    std::rotate(trial.begin() + from, trial.begin() + from + length, trial.begin() + to + length);
                else
                    std::rotate(trial.begin() + to, trial.begin() + from, trial.begin() + from + length);
            }
        }
        double found;
        if (value >= OrderProbe::infeasible) {
            found = probe_.value(head(trial));
            if (found <= value)
                found = std::min(found, value);
        } else {
            const double most = value * (1 - worst_heat * std::log(std::max(1e-12, random.uniform())));
            found = probe_.value_up_to(head(trial), most, total);
            if (found > most)
                found = std::numeric_limits<double>::infinity();
        }
        if (found <= value || (std::isfinite(found) && value < OrderProbe::infeasible)) {
            std::copy(trial.begin() + low, trial.begin() + high + 1, current.begin() + low);
            if (found < value * (1 - 1e-9) || kept_.size() < keep_)
                offer({current.begin(), current.begin() + stages}, found);
            value = found;
            total = probe_.total();
        } else {
            std::copy(current.begin() + low, current.begin() + high + 1, trial.begin() + low);
        }
    }
}

}  // namespace nnpiper
