// SPDX-License-Identifier: GPL-3.0-or-later
// pipeedge (Hu et al., PipeEdge, DSD 2022): partitions over heterogeneous devices with the least bottleneck
//   max over the stages of max( stage, transfer ).
// The paper's programme runs over subsets of devices; devices of one kind are exchangeable, so a state is how many of
// every kind are used, the kind of the first stage and its first layer, built from the last stage on:
//   B(u + d, d, i) = min over c, j of max[ t_d(i, j), 2c_dc(j), B(u, c, j) ],
// found as the least value whose reachable states include the whole model, and among its chains the least sum
//   sum t + sum 2c.
// O(log(K L) prod (n_k + 1) K^2 L) words of bits for the first, O(prod (n_k + 1) K^2 L w) for the second, K kinds of
// n_k devices, w the layers a stage may hold. Optimal where links depend on kinds alone. The original knows inference
// only: here a stage is forward and backward, a transfer there and back, and memory holds what the schedule keeps in
// flight. As published the links between two kinds are their mean; with true costs kinds are told apart by their links
// as well. Where there are more kinds than the table can hold, the most alike are one.
#include "core/planners/baselines.h"

#include "core/planners/chains/chain.h"
#include "core/planners/chains/kind_chain.h"
#include "core/planners/chains/symmetry.h"
#include "core/schedule/schedule.h"
#include "core/simulator/simulate.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace nnpiper {

namespace {

/// Bit rows that one pass may join.
constexpr double most_joins = 4e8;

std::size_t at(int i)
{
    return static_cast<std::size_t>(i);
}

using Kinds = std::vector<std::vector<int>>;  ///< devices of every kind

bool same_times_and_memory(const ChainCosts& costs, int a, int b)
{
    if (costs.capacity(a) != costs.capacity(b))
        return false;
    for (int l = 0; l < costs.layers(); ++l) {
        if (costs.forward(a, l, l + 1) != costs.forward(b, l, l + 1)
            || costs.backward(a, l, l + 1) != costs.backward(b, l, l + 1))
            return false;
    }
    return true;
}

Kinds kinds_of(const ChainCosts& costs, bool by_links)
{
    Kinds kinds;
    if (by_links) {
        const std::vector<int> classes = device_classes(costs);
        for (std::size_t i = 0; i < classes.size(); ++i) {
            kinds.resize(std::max(kinds.size(), at(classes[i]) + 1));
            kinds[at(classes[i])].push_back(costs.usable()[i]);
        }
        return kinds;
    }
    for (const int device : costs.usable()) {
        const auto home = std::find_if(kinds.begin(), kinds.end(), [&](const std::vector<int>& kind) {
            return same_times_and_memory(costs, kind.front(), device);
        });
        if (home == kinds.end())
            kinds.push_back({device});
        else
            home->push_back(device);
    }
    return kinds;
}

double work_of(const ChainCosts& costs, const std::vector<int>& kind, int first, int end)
{
    double total = 0;
    for (const int device : kind)
        total += costs.forward(device, first, end) + costs.backward(device, first, end);
    return total / static_cast<double>(kind.size());
}

/// Devices of a kind that a chain of `most_stages` can have use for.
int usable_of(const std::vector<int>& kind, int most_stages)
{
    return std::min(static_cast<int>(kind.size()), most_stages);
}

/// Joins the two kinds that differ least in speed until the table can be held.
void merge_most_alike(const ChainCosts& costs, int most_stages, Kinds& kinds)
{
    const auto joins = [&] {
        double product = static_cast<double>(kinds.size() * kinds.size()) * costs.layers();
        for (const auto& kind : kinds)
            product *= usable_of(kind, most_stages) + 1;
        return product;
    };
    while (kinds.size() > 1 && joins() > most_joins) {
        std::size_t one = 0, other = 1;
        double least = std::numeric_limits<double>::infinity();
        for (std::size_t a = 0; a < kinds.size(); ++a) {
            for (std::size_t b = a + 1; b < kinds.size(); ++b) {
                const double x = work_of(costs, kinds[a], 0, costs.layers());
                const double y = work_of(costs, kinds[b], 0, costs.layers());
                const double ratio = std::max(x, y) / std::max(1e-300, std::min(x, y));
                if (ratio < least) {
                    least = ratio;
                    one = a;
                    other = b;
                }
            }
        }
        kinds[one].insert(kinds[one].end(), kinds[other].begin(), kinds[other].end());
        std::sort(kinds[one].begin(), kinds[one].end());
        kinds.erase(kinds.begin() + static_cast<std::ptrdiff_t>(other));
    }
}

/// Mean of the round trips between devices of two kinds that have a route.
double round_trip_of(const ChainCosts& costs, const std::vector<int>& from, const std::vector<int>& to, int cut)
{
    double total = 0;
    int pairs = 0;
    for (const int a : from) {
        for (const int b : to) {
            const double trip =
                costs.occupancy(cut, a, b) + costs.occupancy(cut, b, a) + costs.latency(a, b) + costs.latency(b, a);
            if (a != b && std::isfinite(trip)) {
                total += trip;
                ++pairs;
            }
        }
    }
    return pairs > 0 ? total / pairs : std::numeric_limits<double>::infinity();
}

KindCosts costs_of(const ChainCosts& costs, int most_stages, const Kinds& kinds)
{
    KindCosts result;
    result.layers = costs.layers();
    for (const auto& kind : kinds) {
        result.count.push_back(usable_of(kind, most_stages));
        std::vector<double> work;
        for (int l = 0; l <= costs.layers(); ++l)
            work.push_back(work_of(costs, kind, 0, l));
        result.work_s.push_back(std::move(work));
        std::vector<std::vector<double>> row;
        for (const auto& other : kinds) {
            std::vector<double> cuts(1, 0);
            for (int cut = 1; cut <= costs.layers(); ++cut)
                cuts.push_back(round_trip_of(costs, kind, other, cut));
            row.push_back(std::move(cuts));
        }
        result.round_trip_s.push_back(std::move(row));
    }
    std::vector<double> capacity;
    for (const auto& kind : kinds) {
        double least = std::numeric_limits<double>::infinity();
        for (const int device : kind)
            least = std::min(least, costs.capacity(device));
        capacity.push_back(least * (1 + 1e-12));
    }
    result.fits = [&costs, capacity](int kind, int behind, int first, int end) {
        return costs.memory(costs.stages() - 1 - behind, first, end) <= capacity[at(kind)];
    };
    return result;
}

/// Every stage gets the next device of its kind.
Chain handed_out(const Kinds& kinds, const KindChain& found)
{
    Chain chain;
    std::vector<std::size_t> next(kinds.size(), 0);
    for (const int kind : found.kind)
        chain.device.push_back(kinds[at(kind)][next[at(kind)]++]);
    chain.end = found.end;
    return chain;
}

}  // namespace

Plan plan_pipeedge(const Problem& problem, const PlanRequest& request, const Control& control)
{
    Plan best;
    best.status = "skipped";
    best.reason = "there are fewer devices or layers than stages";
    double best_value = std::numeric_limits<double>::infinity();
    bool stopped = false;
    // The largest number of stages of every variant: the counts of what is used tell the position in the pipeline.
    std::vector<ChainSetting> settings;
    for (const ChainSetting& setting : open_settings(problem)) {
        if (!settings.empty() && settings.back().variant == setting.variant)
            settings.back() = setting;
        else
            settings.push_back(setting);
    }
    std::stable_sort(settings.begin(), settings.end(), [&](const ChainSetting& a, const ChainSetting& b) {
        return (a.variant == problem.default_variant) > (b.variant == problem.default_variant);
    });
    for (const ChainSetting& setting : settings) {
        if (control.should_stop() && !best.stages.empty()) {
            stopped = true;
            break;
        }
        const ChainCosts costs(problem, setting);
        Kinds kinds = kinds_of(costs, request.true_costs);
        const std::size_t different = kinds.size();
        const int most_stages = std::min(problem.layers(), problem.stages.value_or(problem.layers()));
        merge_most_alike(costs, most_stages, kinds);
        const auto found = bottleneck_chain(costs_of(costs, most_stages, kinds), problem.stages, control);
        stopped = stopped || control.should_stop();
        if (!found) {
            if (best.stages.empty()) {
                best.status = control.should_stop() ? "skipped" : "infeasible";
                best.reason = control.should_stop() ? "the time limit passed before the first pass was through"
                                                    : "no order of the kinds of device keeps memory and routes";
            }
            continue;
        }
        Plan plan = to_plan(costs, handed_out(kinds, *found), "pipeedge");
        plan.detail = std::to_string(kinds.size()) + (kinds.size() == 1 ? " kind of device" : " kinds of device");
        if (kinds.size() < different)
            plan.detail += " (the most alike of " + std::to_string(different) + " taken as one)";
        predict(problem, plan);
        const double value = objective_value(problem, plan);
        if (best.stages.empty() || value < best_value) {
            best = std::move(plan);
            best_value = value;
        }
    }
    if (stopped && !best.stages.empty() && best.feasible)
        best.status = "stopped";
    return best;
}

}  // namespace nnpiper
