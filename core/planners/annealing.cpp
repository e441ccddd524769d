// SPDX-License-Identifier: GPL-3.0-or-later
// annealing (Kirkpatrick, Gelatt and Vecchi, Science 1983): one walk from the best heuristic start, moves of search
// over stage groups, worse chains taken with probability exp(-difference / heat), geometric cooling from 3 % of the
// start's value to a thousandth of that; no restarts, no polishing. The number of moves is what the time limit allows
// on a fast machine, so that the same seed and limit give the same walk there; a slower one leaves moves out evenly.
// The reference that every other search has to beat.
#include "core/planners/baselines.h"

#include "core/planners/chains/settings.h"
#include "core/planners/groups/group_search.h"
#include "core/planners/groups/units.h"

#include <algorithm>

namespace nnpiper {

namespace {

constexpr double start_part = 0.2;
constexpr double temperature = 0.03;

}  // namespace

Plan plan_annealing(const Problem& problem, const PlanRequest& request, const Control& control)
{
    const int degree = problem.variants[static_cast<std::size_t>(problem.default_variant)].tensor_parallel;
    if (degree != 1 && !problem.tensor_parallel_free) {
        const UnitProblem units = unit_problem(problem, degree);
        return on_devices(units, plan_annealing(units.problem, request, control));
    }
    const double budget = std::min(control.deadline.remaining_ms(), request.budget_ms);
    Control part = control;
    part.deadline = Deadline::after_ms(start_part * budget / 2);
    std::vector<Plan> starts;
    for (const SettingCandidates& candidate : rank_settings(problem, 1, part)) {
        const ChainCosts costs(problem, candidate.setting);
        starts.push_back(to_plan(costs, candidate.chains.front().chain, "annealing"));
    }
    Plan best;
    if (starts.empty()) {
        best.status = "skipped";
        best.reason = "no number of stages is possible";
        return best;
    }
    part.deadline = Deadline::after_ms(start_part * budget / 2);
    auto tracks = group_tracks(problem, part);
    add_start(tracks, problem, starts.front());
    if (tracks.empty())
        return starts.front();
    GroupTrack& track = tracks.front();
    Random random(request.seed);
    const long moves = moves_in((1 - start_part) * budget, *track.evaluator, track.best.chain.size());
    const ScoredGroups found = anneal(*track.evaluator, track.best, random, moves, temperature, control, true);
    best = to_plan(problem, track.evaluator->setting(), found.chain, "annealing");
    best.detail = std::to_string(track.evaluator->evaluations()) + " chains priced";
    if (control.stop.stop_requested())
        best.status = "stopped";
    return best;
}

}  // namespace nnpiper
