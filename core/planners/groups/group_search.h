// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/control.h"
#include "core/base/random.h"
#include "core/planners/groups/group_starts.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace nnpiper {

/// Small steps while they help: a layer across one or a few boundaries, another policy for a stage, a sample from one
/// replica to the next. Returns the new score.
double polish(GroupEvaluator& evaluator, GroupChain& chain, double score, const Control& control);

/// Cool annealing over the moves of GroupMoves (Kirkpatrick et al. 1983): starts at `temperature`, a fraction of the
/// score, and cools to a thousandth of it over `steps` moves. Chains that exceed memory are passed through at a price
/// but never returned before one that fits. Returns the best chain seen. `in_time`: moves are left out where the
/// deadline would come before the walk is cold.
ScoredGroups anneal(GroupEvaluator& evaluator, const ScoredGroups& start, Random& random, long steps,
                    double temperature, const Control& control, bool in_time = false);

/// Moves that anneal() makes in that time on a fast machine: a stage and its boundaries are priced anew, and some
/// chains are simulated.
long moves_in(double milliseconds, const GroupEvaluator& evaluator, int stages);

/// Chains of one number of micro-batches on their way through the search.
struct GroupTrack {
    std::unique_ptr<GroupEvaluator> evaluator;
    std::vector<ScoredGroups> starts;  ///< best first, at least one
    ScoredGroups best;
};

/// One track for every micro-batch size that the problem leaves open, with plain shapes as starts, best track first.
std::vector<GroupTrack> group_tracks(const Problem& problem, const Control& control);

/// Takes a plan as a further start of the track with its micro-batches and schedule. Plans that are not valid, under
/// other schedules than 1F1B and GPipe, or with launch counts are left out.
void add_start(std::vector<GroupTrack>& tracks, const Problem& problem, const Plan& plan);

/// Cuts whole device orders into runs for the best tracks, as further starts of theirs, and for those that group_tracks
/// had no time for.
void add_run_starts(std::vector<GroupTrack>& tracks, const Problem& problem,
                    const std::vector<std::vector<int>>& orders, const Control& control);

/// Polishes, anneals and restarts over the tracks, most of the time on the better ones; now and then the best chain is
/// tried with another number of micro-batches. Ends when `control` says so or when nothing has been found for long.
/// Returns the best chains of the tracks as plans (figures not yet predicted), best first.
std::vector<Plan> search_groups(const Problem& problem, std::vector<GroupTrack> tracks, std::uint64_t seed,
                                const Control& control);

}  // namespace nnpiper
