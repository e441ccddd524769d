// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planners/groups/run_starts.h"

#include "core/planners/groups/run_cutter.h"
#include "core/planners/groups/units.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace nnpiper {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
/// Periods: the first in parts of the ideal one, the ratio of the next, the longest in parts of the
/// shortest, then halvings towards the shortest.
constexpr double first_step = 1.15;
constexpr double next_steps = 1.25;
constexpr double widest = 3;
constexpr int most_steps = 40;
constexpr int halvings = 3;

std::size_t at(int i)
{
    return static_cast<std::size_t>(i);
}

/// All units in the order in which their first devices come.
std::vector<std::vector<int>> ordered(std::vector<std::vector<int>> units, const std::vector<int>& order)
{
    std::vector<int> position(1, 0);
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (at(order[i]) >= position.size())
            position.resize(at(order[i]) + 1, std::numeric_limits<int>::max());
        position[at(order[i])] = static_cast<int>(i);
    }
    const auto of = [&](const std::vector<int>& unit) {
        int least = std::numeric_limits<int>::max();
        for (const int d : unit)
            least = at(d) < position.size() ? std::min(least, position[at(d)]) : least;
        return least;
    };
    std::erase_if(units, [&](const auto& unit) { return of(unit) == std::numeric_limits<int>::max(); });
    std::stable_sort(units.begin(), units.end(), [&](const auto& a, const auto& b) { return of(a) < of(b); });
    return units;
}

void offer(GroupEvaluator& evaluator, GroupChain chain, std::vector<ScoredGroups>& found)
{
    for (int s = 0; s < chain.size(); ++s)
        evaluator.balance(chain.stages[at(s)], chain.first(s));
    if (std::any_of(found.begin(), found.end(), [&](const ScoredGroups& other) { return other.chain == chain; }))
        return;
    ScoredGroups scored{chain, evaluator.price(chain).score()};
    ScoredGroups again{std::move(chain), 0};
    cut_layers(evaluator, again.chain);
    for (int s = 0; s < again.chain.size(); ++s)
        evaluator.balance(again.chain.stages[at(s)], again.chain.first(s));
    again.score = evaluator.price(again.chain).score();
    found.push_back(again.score < scored.score ? std::move(again) : std::move(scored));
}

double least_score(const std::vector<ScoredGroups>& found)
{
    double least = infinite;
    for (const ScoredGroups& other : found)
        least = std::min(least, other.score);
    return least;
}

}  // namespace

std::vector<ScoredGroups> run_groups(GroupEvaluator& evaluator, const std::vector<std::vector<int>>& orders,
                                     std::size_t keep, const Control& control)
{
    std::vector<ScoredGroups> found;
    for (const int degree : evaluator.times().degrees()) {
        const auto units = tensor_units(evaluator.problem(), degree);
        for (const auto& order : orders) {
            if (control.should_stop())
                break;
            RunCutter cutter(evaluator, ordered(units, order), degree);
            const double ideal = cutter.ideal_s();
            if (!std::isfinite(ideal))
                continue;
            // Whether memory allows any cut at all.
            GroupChain any = cutter.cut(infinite);
            if (any.size() == 0)
                continue;
            offer(evaluator, std::move(any), found);
            double low = ideal, high = 0;
            const auto try_period = [&](double period) {
                GroupChain chain = cutter.cut(period);
                if (chain.size() == 0) {
                    low = std::max(low, period);
                    return;
                }
                high = high > 0 ? std::min(high, period) : period;
                offer(evaluator, std::move(chain), found);
            };
            // Longer ones than the shortest, too: with fewer stages, or without devices that are hard to reach. No use
            // where micro-batches alone would then take longer than the best chain.
            double period = ideal * first_step;
            for (int i = 0; i < most_steps && !control.should_stop(); ++i, period *= next_steps) {
                try_period(period);
                const double longest = evaluator.problem().objective == Objective::throughput
                                           ? least_score(found) * evaluator.setting().micro_batch_samples
                                           : infinite;
                if (high > 0 && (period > longest || period > high * widest))
                    break;
            }
            for (int i = 0; i < halvings && high > 0 && !control.should_stop(); ++i)
                try_period(std::sqrt(low * high));
        }
    }
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.score < b.score; });
    if (found.size() > keep)
        found.resize(keep);
    return found;
}

std::vector<std::vector<int>> whole_orders(const Problem& problem, const std::vector<std::vector<int>>& orders)
{
    std::vector<char> idle(at(problem.devices()), 0);
    for (const Lock& lock : problem.locks) {
        for (const std::string& id : lock.devices)
            idle[at(problem.device_index(id))] = lock.idle;
    }
    std::vector<std::vector<int>> whole;
    for (std::vector<int> order : orders) {
        for (int d = 0; d < problem.devices(); ++d) {
            if (idle[at(d)] || std::find(order.begin(), order.end(), d) != order.end())
                continue;
            // Behind the last of the nearest.
            auto place = order.begin();
            double best = -1;
            for (auto it = order.begin(); it != order.end(); ++it) {
                if (const double speed = problem.bandwidth_bytes_per_s(*it, d); speed >= best) {
                    best = speed;
                    place = it + 1;
                }
            }
            order.insert(place, d);
        }
        if (std::find(whole.begin(), whole.end(), order) == whole.end())
            whole.push_back(std::move(order));
    }
    return whole;
}

}  // namespace nnpiper
