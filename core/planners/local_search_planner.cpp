// SPDX-License-Identifier: GPL-3.0-or-later
// local-search (ours): heuristic device orders, cut by the throttle-aware split, then restart local search and cool
// annealing on the simulated score until the time limit. Where stages or micro-batches are free, the settings are ranked
// first and the time goes to the best three. Where replicas, recompute by stage or the tensor-parallel degree are open, the
// search over stage groups goes on from there. No optimality is claimed.
#include "core/planners/baselines.h"

#include "core/planners/chains/settings.h"
#include "core/planners/groups/group_planner.h"

namespace nnpiper {

namespace {

Plan plan_chains(const Problem& problem, const PlanRequest& request, const Control& control)
{
    Control ranking = control;
    const double budget = std::min(control.deadline.remaining_ms(), request.budget_ms);
    ranking.deadline = Deadline::after_ms(0.4 * budget);
    auto ranked = rank_settings(problem, 3, ranking);
    Plan best;
    if (ranked.empty()) {
        best.status = "skipped";
        best.reason = "no number of stages is possible";
        return best;
    }
    Random random(request.seed);
    double best_score = 0;
    bool any = false;
    static constexpr double share[] = {0.6, 0.6, 1};
    for (std::size_t i = 0; i < ranked.size(); ++i) {
        const ChainCosts costs(problem, ranked[i].setting);
        Control part = control;
        const double left = control.deadline.remaining_ms();
        part.deadline = Deadline::after_ms(i + 1 == ranked.size() ? left : left * share[i]);
        const ScoredChain found = search(costs, std::move(ranked[i].chains), random, part);
        if (!any || found.score < best_score) {
            any = true;
            best_score = found.score;
            best = to_plan(costs, found.chain, "local-search");
        }
        control.report(static_cast<double>(i + 1) / static_cast<double>(ranked.size()), "local search");
        if (control.should_stop())
            break;
    }
    return best;
}

}  // namespace

Plan plan_local_search(const Problem& problem, const PlanRequest& request, const Control& control)
{
    return plan_with_groups(problem, request, control, plan_chains, "local-search");
}

}  // namespace nnpiper
