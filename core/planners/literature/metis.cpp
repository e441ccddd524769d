// SPDX-License-Identifier: GPL-3.0-or-later
// metis (Um et al., Metis: fast automatic distributed training on heterogeneous GPUs, ATC 2024). For every order of the
// types of device and every number of stages S, the devices are cut into runs whose sizes are powers of two of at least
// floor(D/S), in every order (metis_search.h); every stage starts as replicas and turns them into tensor-parallel
// groups where memory is tightest; layers go by capacity, with few moves; the cheapest by
//   sum t + (M-1) max t + sum p2p + max dp + optimizer
// is taken. Sizes of micro-batch are those that divide the batch. Times are per type of device, links as they are.
// Recompute, which the paper does not know, is settled by the simulator. The number of arrangements grows steeply with
// D: numbers of stages and orders take turns, so that a time limit leaves out late orders rather than all large S.
// Where the problem has more than five types, they are ordered by speed and rotated. The paper's memory is a profile's;
// here it is what the schedule keeps in flight.
#include "core/planners/baselines.h"

#include "core/planners/literature/metis_search.h"
#include "core/simulator/simulate.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

namespace nnpiper {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr int most_permuted_types = 5;
constexpr std::size_t most_arrangements = 20000;

std::size_t at(int i)
{
    return static_cast<std::size_t>(i);
}

double time_of(const Problem& problem, int device)
{
    const Variant& usual = problem.variants[at(problem.default_variant)];
    double total = 0;
    for (int l = 0; l < problem.layers(); ++l)
        total += usual.forward_s(l, device) + usual.backward_input_s(l, device) + usual.backward_weight_s(l, device);
    return total;
}

/// Devices of each type, fastest type first, nodes together. A raw file names no types: equal times are one.
std::vector<std::vector<int>> types_of(const Problem& problem)
{
    std::map<std::pair<double, std::string>, std::vector<int>> types;
    for (const int device : given_order(problem)) {
        const std::string& type = problem.device_types[at(device)];
        // A type's speed is that of its first device.
        const auto named = std::find_if(types.begin(), types.end(),
                                        [&](const auto& entry) { return !type.empty() && entry.first.second == type; });
        if (named != types.end())
            named->second.push_back(device);
        else
            types[{time_of(problem, device), type}].push_back(device);
    }
    std::vector<std::vector<int>> result;
    for (auto& [key, devices] : types) {
        std::vector<std::string> nodes;
        for (const int device : devices) {
            if (std::find(nodes.begin(), nodes.end(), problem.device_nodes[at(device)]) == nodes.end())
                nodes.push_back(problem.device_nodes[at(device)]);
        }
        std::vector<int> together;
        for (const std::string& node : nodes) {
            for (const int device : devices)
                if (problem.device_nodes[at(device)] == node)
                    together.push_back(device);
        }
        result.push_back(std::move(together));
    }
    return result;
}

std::vector<std::vector<int>> device_orders(const Problem& problem)
{
    const auto types = types_of(problem);
    std::vector<int> order(types.size());
    std::iota(order.begin(), order.end(), 0);
    std::vector<std::vector<int>> orders;
    const auto add = [&] {
        std::vector<int> devices;
        for (const int type : order)
            devices.insert(devices.end(), types[at(type)].begin(), types[at(type)].end());
        orders.push_back(std::move(devices));
    };
    if (static_cast<int>(types.size()) <= most_permuted_types) {
        do
            add();
        while (std::next_permutation(order.begin(), order.end()));
        return orders;
    }
    for (const bool reversed : {false, true}) {
        if (reversed)
            std::reverse(order.begin(), order.end());
        for (std::size_t i = 0; i < types.size(); ++i) {
            add();
            std::rotate(order.begin(), order.begin() + 1, order.end());
        }
    }
    return orders;
}

/// Sizes of the groups in order, for all numbers of stages in turn.
std::vector<std::vector<int>> arrangements_of(const Problem& problem, int devices)
{
    std::vector<std::vector<std::vector<int>>> by_stages;
    std::size_t total = 0;
    const int least = problem.stages.value_or(1);
    const int most = problem.stages.value_or(std::min(devices, problem.layers()));
    for (int stages = least; stages <= most; ++stages) {
        by_stages.emplace_back();
        for (const auto& groups : power_of_two_groups(devices, stages)) {
            if (by_stages.back().size() > most_arrangements)
                break;
            for (auto& order : group_orders(groups))
                by_stages.back().push_back(std::move(order));
        }
        total += by_stages.back().size();
    }
    std::vector<std::vector<int>> result;
    for (std::size_t turn = 0; result.size() < std::min(total, most_arrangements); ++turn) {
        for (auto& arrangements : by_stages) {
            if (turn < arrangements.size())
                result.push_back(std::move(arrangements[turn]));
        }
    }
    return result;
}

struct Found {
    Plan plan;
    double cost_s = infinite;  ///< of a sample
};

Plan to_plan(const OrderedCosts& costs, const MetisPlan& found, ScheduleKind schedule)
{
    Plan plan;
    plan.planner = "metis";
    plan.schedule = schedule;
    plan.micro_batches = costs.micro_batches();
    for (const StageRun& run : found.stages)
        plan.stages.push_back(costs.stage(run));
    return plan;
}

}  // namespace

Plan plan_metis(const Problem& problem, const PlanRequest&, const Control& control)
{
    Plan best;
    best.planner = "metis";
    best.status = "skipped";
    const ScheduleKind schedule = problem.schedule.value_or(ScheduleKind::one_f_one_b);
    const auto orders = device_orders(problem);
    const int devices = static_cast<int>(orders.front().size());
    const auto arrangements = arrangements_of(problem, devices);
    const std::vector<OrderedSetting> settings = ordered_settings(problem);
    std::map<Recompute, Found> found;
    std::size_t left = orders.size() * settings.size();
    long seen = 0;
    bool stopped = false;
    for (const OrderedSetting& setting : settings) {
        const int longest = problem.replicas_allowed()
                                ? std::min(setting.micro_batch_samples * setting.degrees.back(), devices)
                                : setting.degrees.back();
        for (const std::vector<int>& order : orders) {
            const double share = control.deadline.remaining_ms() / static_cast<double>(left--);
            if (!found.empty() && control.should_stop()) {
                stopped = true;
                break;
            }
            Control part = control;
            part.deadline = Deadline::after_ms(share);
            const OrderedLinks links(problem, order, CostView::true_costs, longest);
            const OrderedCosts costs(problem, setting, links);
            Found& own = found[setting.recompute];
            for (std::size_t i = 0; i < arrangements.size(); ++i) {
                if (i % 8 == 7 && part.should_stop()) {
                    stopped = true;
                    break;
                }
                ++seen;
                const auto cheapest = cheapest_strategy(costs, schedule, arrangements[i]);
                if (!cheapest)
                    continue;
                const double cost =
                    cheapest->cost_s / (static_cast<double>(setting.micro_batch_samples) * setting.micro_batches);
                if (cost < own.cost_s) {
                    own.cost_s = cost;
                    own.plan = to_plan(costs, *cheapest, schedule);
                }
            }
        }
    }
    double best_value = infinite;
    for (auto& [recompute, own] : found) {
        if (own.plan.stages.empty())
            continue;
        predict(problem, own.plan);
        const double value = objective_value(problem, own.plan);
        if (best.stages.empty() || value < best_value) {
            best = std::move(own.plan);
            best_value = value;
        }
    }
    if (best.stages.empty()) {
        best.reason = stopped ? "the time limit passed before an arrangement that keeps memory was found"
                      : !problem.replicas_allowed() && problem.stages && *problem.stages < devices
                          ? "every device is used, and without replicas " + std::to_string(devices)
                                + " devices are not " + std::to_string(*problem.stages) + " stages"
                      : arrangements.empty()
                          ? "every device is used in groups of powers of two, and " + std::to_string(devices)
                                + " devices make no such stages"
                          : "no arrangement in groups of powers of two keeps memory, routes and a sample a replica";
        return best;
    }
    best.detail = std::to_string(seen) + " arrangements";
    if (stopped && best.feasible)
        best.status = "stopped";
    return best;
}

}  // namespace nnpiper
