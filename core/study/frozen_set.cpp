// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/frozen_set.h"

#include "core/base/error.h"
#include "core/planners/bounds/lower_bound.h"
#include "core/planners/chains/settings.h"
#include "core/planners/planner.h"
#include "core/simulator/simulate.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace nnpiper {

namespace {

constexpr std::uint64_t indices_of_a_set = 10000;
constexpr int most_devices_for_exact = 16;
constexpr double most_exact_s = 4;
constexpr double proved = 1e-9;

double seconds_since(std::chrono::steady_clock::time_point start)
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Chain chain_of(const Problem& problem, const Plan& plan)
{
    Chain chain;
    for (const Stage& stage : plan.stages) {
        chain.device.push_back(problem.device_index(stage.devices.front()));
        chain.end.push_back(stage.end_layer);
    }
    return chain;
}

/// Keeps `plan` where it is feasible and better.
bool offer(FrozenProblem& frozen, const Problem& problem, const Plan& plan)
{
    if (!plan.feasible || (frozen.best.stages() > 0 && plan.makespan_s >= frozen.makespan_s))
        return false;
    frozen.best = chain_of(problem, plan);
    frozen.makespan_s = plan.makespan_s;
    return true;
}

bool offer(FrozenProblem& frozen, const Problem& problem, const ChainCosts& costs, const ScoredChain& found)
{
    if (!ChainEvaluator::fits(found.score))
        return false;
    Plan plan = to_plan(costs, found.chain, "local-search");
    predict(problem, plan);
    return offer(frozen, problem, plan);
}

bool search_exactly(FrozenProblem& frozen, const Problem& problem, double seconds, const Control& control)
{
    PlanRequest request;
    request.budget_ms = 1000 * seconds;
    request.seed = frozen.index + 1;
    const ObjectiveBound none;  // its own proof is asked for
    const Plan plan = run_planner(find_planner("exact"), problem, request, control, &none);
    if (plan.stages.empty() && plan.status == "infeasible") {
        frozen.proof = "exact";
        return true;
    }
    const bool better = offer(frozen, problem, plan);
    if (plan.feasible && plan.status == "ok" && plan.makespan_s <= frozen.makespan_s * (1 + proved))
        frozen.proof = "exact";
    return better || !frozen.proof.empty();
}

/// Half of the time on fresh starts, half on the best plan so far.
bool search_locally(FrozenProblem& frozen, const Problem& problem, std::uint64_t seed, const Control& control)
{
    Control part = control;
    const double budget = std::min(control.deadline.remaining_ms(), 1e9);
    part.deadline = Deadline::after_ms(0.2 * budget);
    auto ranked = rank_settings(problem, 1, part);
    if (ranked.empty())
        return false;
    const ChainCosts costs(problem, ranked.front().setting);
    Random random(seed);
    part.deadline = Deadline::after_ms(0.5 * budget - (budget - control.deadline.remaining_ms()));
    auto found = search(costs, std::move(ranked.front().chains), random, part);
    bool better = offer(frozen, problem, costs, found);
    if (frozen.best.stages() > 0) {
        ChainEvaluator evaluator(costs);
        found = {frozen.best, evaluator.score(frozen.best)};
    }
    better |= offer(frozen, problem, costs, search(costs, {found}, random, control));
    return better;
}

}  // namespace

std::vector<FrozenProblem> standard_frozen_problems()
{
    std::vector<FrozenProblem> problems;
    const auto& sets = standard_quality_sets();
    int most = 0;
    for (const QualitySet& set : sets)
        most = std::max(most, set.problems);
    for (int k = 0; k < most; ++k) {
        for (std::size_t s = 0; s < sets.size(); ++s) {
            if (k < sets[s].problems)
                problems.push_back(
                    {sets[s].size, sets[s].kind, s * indices_of_a_set + static_cast<std::uint64_t>(k), {}, 0, {}, 0});
        }
    }
    return problems;
}

Problem problem_of(const FrozenProblem& frozen)
{
    return virtual_problem(evaluation_seed(frozen_run, frozen.index), frozen.size, frozen.kind);
}

Plan plan_of(const FrozenProblem& frozen, const Problem& problem)
{
    Plan plan;
    if (frozen.best.stages() == 0)
        return plan;
    const auto& [device, end] = frozen.best;
    int first = 0;
    for (std::size_t s = 0; s < device.size(); ++s) {
        if (device[s] < 0 || device[s] >= problem.devices() || end[s] <= first || end[s] > problem.layers())
            throw Error(problem.name,
                        "its stored plan has a stage on device " + std::to_string(device[s])
                            + " that ends before layer " + std::to_string(end[s]),
                        std::to_string(problem.devices()) + " devices and " + std::to_string(problem.layers())
                            + " layers are there");
        plan.stages.push_back(
            {{problem.device_ids[static_cast<std::size_t>(device[s])]}, first, end[s], 1, {}, Recompute::none});
        first = end[s];
    }
    plan.schedule = ScheduleKind::one_f_one_b;
    plan.micro_batches = problem.variants.front().micro_batches;
    plan.planner = "best known";
    predict(problem, plan);
    return plan;
}

bool still_valid(const FrozenProblem& frozen, const Problem& problem)
{
    if (frozen.best.stages() == 0)
        return true;
    const Plan plan = plan_of(frozen, problem);
    return plan.feasible && std::abs(plan.makespan_s / frozen.makespan_s - 1) <= 1e-9;
}

bool improve(FrozenProblem& frozen, double seconds, const Control& control)
{
    if (!frozen.proof.empty() || frozen.searched_s >= seconds || control.should_stop())
        return false;
    const auto start = std::chrono::steady_clock::now();
    const double before = frozen.searched_s;
    const double left = seconds - before;
    const Problem problem = problem_of(frozen);
    bool changed = false;
    if (problem.devices() <= most_devices_for_exact)
        changed = search_exactly(frozen, problem, std::min(0.5 * left, most_exact_s), control);
    if (frozen.proof.empty() && !control.should_stop()) {
        Control rest = control;
        rest.deadline = Deadline::after_ms(1000 * (left - seconds_since(start)));
        const std::uint64_t seed = 1000003 * frozen.index + static_cast<std::uint64_t>(std::lround(100 * before));
        changed = search_locally(frozen, problem, seed, rest) || changed;
    }
    if (frozen.proof.empty() && frozen.best.stages() > 0) {
        const auto bound = objective_bound(problem);
        const auto gap = bound ? proved_gap(problem, plan_of(frozen, problem), *bound) : std::nullopt;
        if (gap && *gap <= proved) {
            frozen.proof = "bound";
            changed = true;
        }
    }
    frozen.searched_s = before + seconds_since(start);
    return changed;
}

}  // namespace nnpiper
