// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan/plan.h"
#include "core/problem/problem.h"

#include <optional>
#include <vector>

namespace nnpiper {

/// What no plan of a problem can beat: no choice of devices, order, cut, replicas with any shares, tensor-parallel degree,
/// micro-batch size and recompute policy that the problem leaves open, under one of `schedules`.
struct ObjectiveBound {
    double objective = 0;                   ///< as `objective_value`; infinite: proved that there is no feasible plan
    double makespan_s = 0;                  ///< of every feasible plan
    std::vector<ScheduleKind> schedules;
};

/// Sound lower bound under the problem's schedule, or where that is open under 1F1B and GPipe, which planners then use.
/// Empty where nothing is proved: schedules without a flush (an iteration is shorter than the makespan there) or without a
/// backward pass, and unknown prices under objective cost. Milliseconds.
std::optional<ObjectiveBound> objective_bound(const Problem& problem);

/// How far a predicted plan can be from the best one at most: objective_value / bound - 1. Empty for a plan that is not
/// feasible or outside of what the bound covers.
std::optional<double> proved_gap(const Problem& problem, const Plan& plan, const ObjectiveBound& bound);

}  // namespace nnpiper
