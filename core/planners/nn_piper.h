// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/planners/planner.h"

namespace nnpiper {

/// NN-Piper, our reconstruction of the paper's neural solver (only its abstract is public). A network reads the problem
/// and names the devices of the stages in order; the rest of the time limit goes to splitting, polishing and searching.
///
/// `nn-piper`: K orders drawn from the network per number of stages (and micro-batch variant, where free), duplicates
/// dropped, layers split by the throttle-aware DP, the best of them and the best heuristic polished, then local search
/// until `request.budget_ms`. Candidates of the closed planners are always among them, so that the answer is never worse
/// than theirs; where replicas are open and there are less than 100 ms, orders cut into runs (run_starts.h) take their
/// place. Status "skipped" with the reason when the module or its weights are not there; throws Error when
/// `request.device` is "cuda" and there is none.
Plan plan_nn_piper(const Problem& problem, const PlanRequest& request, const Control& control);

/// The ablation: the same procedure with heuristic and random orders in place of the network's.
Plan plan_nn_piper_no_network(const Problem& problem, const PlanRequest& request, const Control& control);

/// The network's direct output: the greedy order with the layer counts that it names itself, no search.
Plan plan_nn_piper_raw(const Problem& problem, const PlanRequest& request, const Control& control);

/// One decision of the network on its greedy way: which device follows, and how probable each was.
struct OrderDecision {
    int device = 0;                   ///< index into the problem
    std::vector<float> probability;   ///< [D of the problem]; 0 where it may not come next. Devices that cannot be told
                                      ///< apart share theirs
};

/// How the network decides stage by stage for the problem's stages and micro-batches, or where they are open for the most
/// promising ones. Throws Error where the module or its weights are missing or no number of stages is possible.
std::vector<OrderDecision> nn_piper_decisions(const Problem& problem, const PlanRequest& request);

/// Opens the module, reads the weights and runs the network once, so that planning times exclude loading. Takes seconds
/// the first time and nothing afterwards. Throws nothing: what is missing is told by the planner.
void prepare_nn_piper(const PlanRequest& request) noexcept;

}  // namespace nnpiper
