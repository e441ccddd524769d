// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/control.h"
#include "core/planners/literature/ordered_links.h"
#include "core/planners/planner.h"
#include "core/project/project.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace nnpiper {

/// A cluster that somebody has, and what is trained on it. The project says what we assumed.
struct EvaluationCase {
    std::string id;      ///< environment and model, unique
    std::string source;  ///< where the environment comes from
    Project project;
};

/// "published", "true_costs".
std::string_view name_of(CostView view);

/// NN-Piper against the published planners on real environments.
struct PublishedQuestion {
    std::vector<std::string> own{"nn-piper", "nn-piper-no-network"};  ///< the first is held against all others
    std::vector<std::string> published{"pipedream", "piper", "spp", "alpa", "amp", "metis"};
    PlanRequest request;  ///< time limit of our own planners, device, seed; published ones end by themselves
    /// [published planner] most devices; beyond them it is left out as too slow.
    std::map<std::string, int> largest{{"spp", 32}, {"piper", 128}, {"alpa", 128}, {"amp", 128}, {"metis", 128}};
};

/// One planner on one case; predicted by the same simulator as all others.
struct PublishedTrial {
    std::string environment;  ///< the case's id
    std::string planner;
    CostView view = CostView::true_costs;  ///< planners of our own know no other
    bool left_out = false;  ///< as too slow for so many devices
    std::string reason;     ///< why there is no feasible plan
    bool feasible = false;
    double samples_per_s = 0;  ///< only where feasible
    double planning_ms = 0;
};

/// How much faster training is by the first own planner's plans than by another's, over the cases where both have a
/// feasible plan: speed ratios less 1, their geometric mean, the least and the largest.
struct PublishedGain {
    std::string planner;  ///< "best": the best published planner of each case in which none was left out
    CostView view = CostView::true_costs;
    int cases = 0;
    double mean = 0, least = 0, largest = 0;  ///< NaN without cases
    int infeasible = 0;                       ///< cases where only the first own planner has a plan
    int left_out = 0;
};

/// Case by case: our own planners, then the published ones in both views. `seen` is called with the trials of every
/// case. Stops early with whole cases when `control` says so. Throws Error on an unknown planner or a case that cannot
/// be compiled.
std::vector<PublishedTrial> compare_published(const std::vector<EvaluationCase>& cases,
                                              const PublishedQuestion& question, const Control& control,
                                              const std::function<void(const std::vector<PublishedTrial>&)>& seen = {});

/// Published planners in the order of the trials with the best of them, in one view and then the other; then the other
/// planners of our own.
std::vector<PublishedGain> published_gains(const std::vector<PublishedTrial>& trials,
                                           const PublishedQuestion& question);

}  // namespace nnpiper
