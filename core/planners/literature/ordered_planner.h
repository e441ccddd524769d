// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/control.h"
#include "core/planners/literature/ordered_costs.h"
#include "core/planners/planner.h"

#include <functional>
#include <vector>

namespace nnpiper {

/// Stages of one setting by a planner's own cost, over every recompute policy that is open to it: `costs` has one entry
/// a policy, of the same micro-batch size. No stages: none within its rules.
using OrderedSolver = std::function<std::vector<Stage>(const std::vector<OrderedCosts>& costs, const Control& control)>;

struct OrderedPlanner {
    bool chooses_degree = false;     ///< else degree 1 alone
    bool chooses_recompute = false;  ///< stage by stage: it sees all policies at once; else one after the other
};

/// A planner over the problem's open settings, default order of the request's view. What its paper does not choose is
/// settled by the simulator. Status "stopped" when not every setting was looked at; the first one is solved whatever
/// the deadline, so that there is an answer, unless stop is requested.
Plan plan_over_settings(const Problem& problem, const PlanRequest& request, const Control& control,
                        const OrderedPlanner& planner, const OrderedSolver& solve);

}  // namespace nnpiper
