// SPDX-License-Identifier: GPL-3.0-or-later
// data-parallel (common practice; unequal shares as in Whale, ATC 2022): the whole model as one stage, replicated on
// all devices, the samples of a micro-batch shared by speed. The same is tried on the devices of each type alone, where
// slow ones or slow links cost more than they give. Where the model does not fit, devices of one type inside a node
// form tensor-parallel groups, by the smallest degree that does. Sizes of micro-batch and recompute policies that the
// problem leaves open are settled by the simulator. O(D M) a candidate. Blind to locks other than idle ones.
#include "core/planners/baselines.h"

#include "core/planners/literature/ordered_links.h"
#include "core/problem/pipeline.h"
#include "core/problem/share_times.h"
#include "core/simulator/simulate.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <set>

namespace nnpiper {

namespace {

std::size_t at(int i)
{
    return static_cast<std::size_t>(i);
}

bool same_type(const Problem& problem, int a, int b)
{
    if (!problem.device_types[at(a)].empty() || !problem.device_types[at(b)].empty())
        return problem.device_types[at(a)] == problem.device_types[at(b)];
    const Variant& variant = problem.variants[at(problem.default_variant)];
    for (int l = 0; l < problem.layers(); ++l) {
        if (variant.forward_s(l, a) != variant.forward_s(l, b))
            return false;
    }
    return problem.device_memory_bytes[at(a)] == problem.device_memory_bytes[at(b)];
}

/// All devices, then those of each type where there are several.
std::vector<std::vector<int>> device_sets(const Problem& problem)
{
    std::vector<std::vector<int>> sets{given_order(problem)};
    for (const int device : sets.front()) {
        const auto home = std::find_if(sets.begin() + 1, sets.end(), [&](const std::vector<int>& set) {
            return same_type(problem, set.front(), device);
        });
        if (home == sets.end())
            sets.push_back({device});
        else
            home->push_back(device);
    }
    if (sets.size() == 2)
        sets.pop_back();
    return sets;
}

/// Groups of t devices of one type in one node, one after the other; what does not fill a group is left out.
std::vector<int> grouped(const Problem& problem, const std::vector<int>& devices, int t)
{
    if (t == 1)
        return devices;
    std::vector<std::vector<int>> homes;
    for (const int device : devices) {
        const auto home = std::find_if(homes.begin(), homes.end(), [&](const std::vector<int>& other) {
            return problem.device_nodes[at(device)] == problem.device_nodes[at(other.front())]
                   && problem.device_types[at(device)] == problem.device_types[at(other.front())];
        });
        if (home == homes.end())
            homes.push_back({device});
        else
            home->push_back(device);
    }
    std::vector<int> result;
    for (const auto& home : homes) {
        const std::size_t whole = home.size() / at(t) * at(t);
        result.insert(result.end(), home.begin(), home.begin() + static_cast<std::ptrdiff_t>(whole));
    }
    return result;
}

Plan one_stage(const Problem& problem, const Variant& variant, const std::vector<int>& devices)
{
    Plan plan;
    plan.planner = "data-parallel";
    plan.schedule = problem.schedule.value_or(ScheduleKind::one_f_one_b);
    plan.micro_batches = variant.micro_batches;
    Stage stage;
    for (const int device : devices)
        stage.devices.push_back(problem.device_ids[at(device)]);
    stage.end_layer = problem.layers();
    stage.tensor_parallel = variant.tensor_parallel;
    stage.recompute = variant.recompute;
    if (at(variant.tensor_parallel) < devices.size())
        stage.shares = shares_by_speed(problem, variant, devices, 0, problem.layers());
    plan.stages.push_back(std::move(stage));
    const std::size_t groups = devices.size() / at(variant.tensor_parallel);
    plan.detail = std::to_string(groups) + (groups == 1 ? " replica" : " replicas");
    if (variant.tensor_parallel > 1)
        plan.detail += " of " + std::to_string(variant.tensor_parallel) + " devices";
    const std::size_t idle = given_order(problem).size() - devices.size();
    if (idle > 0)
        plan.detail += ", " + std::to_string(idle) + (idle == 1 ? " device is" : " devices are") + " left idle";
    return plan;
}

/// What the device that lacks most memory lacks of its own; infinite for a plan that is not valid.
double shortfall_of(const Problem& problem, const Plan& plan)
{
    if (!validate(problem, plan).empty())
        return std::numeric_limits<double>::infinity();
    double worst = 0;
    for (const DeviceMemory& memory : memory_of(problem, plan, order_of(problem, plan, lay_out(problem, plan))))
        worst = std::max(worst, memory.needed_bytes() / std::max(1.0, memory.capacity_bytes) - 1);
    return worst;
}

std::vector<int> degrees_of(const Problem& problem)
{
    if (!problem.tensor_parallel_free)
        return {problem.variants[at(problem.default_variant)].tensor_parallel};
    std::set<int> degrees;
    for (const Variant& variant : problem.variants)
        degrees.insert(variant.tensor_parallel);
    return {degrees.begin(), degrees.end()};
}

}  // namespace

Plan plan_data_parallel(const Problem& problem, const PlanRequest&, const Control& control)
{
    Plan best;
    best.planner = "data-parallel";
    best.status = "skipped";
    if (problem.stages && *problem.stages != 1) {
        best.reason = "data parallelism is one stage, and " + std::to_string(*problem.stages) + " are asked for";
        return best;
    }
    const auto sets = device_sets(problem);
    if (sets.front().size() > 1 && !problem.replicas_allowed()) {
        best.reason = "a stage cannot be replicated, since the problem gives no gradient_bytes and micro_batch_samples";
        return best;
    }
    const Variant& wanted = problem.variants[at(problem.default_variant)];
    double best_value = std::numeric_limits<double>::infinity();
    double least_shortfall = std::numeric_limits<double>::infinity();
    int largest_size = 0;
    for (const int degree : degrees_of(problem)) {
        for (const Variant& variant : problem.variants) {
            if (variant.tensor_parallel != degree
                || (!problem.micro_batch_free && variant.micro_batch_samples != wanted.micro_batch_samples)
                || (!problem.recompute_free && variant.recompute != wanted.recompute))
                continue;
            largest_size = std::max(largest_size, variant.micro_batch_samples);
            for (const auto& set : sets) {
                if (!best.stages.empty() && control.should_stop())
                    break;
                const std::vector<int> devices = grouped(problem, set, degree);
                if (devices.empty()
                    || (devices.size() > at(degree) && devices.size() / at(degree) > at(variant.micro_batch_samples)))
                    continue;
                Plan plan = one_stage(problem, variant, devices);
                predict(problem, plan);
                const double value = objective_value(problem, plan);
                const double shortfall = plan.feasible ? 0 : shortfall_of(problem, plan);
                if (best.stages.empty() || value < best_value || (!best.feasible && shortfall < least_shortfall)) {
                    best = std::move(plan);
                    best_value = value;
                    least_shortfall = shortfall;
                }
            }
        }
        if (best.feasible)
            break;
    }
    if (best.stages.empty())
        best.reason = std::to_string(sets.front().size()) + " replicas cannot share a micro-batch of at most "
                      + std::to_string(largest_size) + (largest_size == 1 ? " sample" : " samples");
    return best;
}

}  // namespace nnpiper
