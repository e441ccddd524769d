// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/planners/planner.h"

#include <string>

namespace nnpiper {

/// Whether the problem leaves more open than chains of single devices under one policy: replicas, recompute by stage or
/// the tensor-parallel degree.
bool groups_are_open(const Problem& problem);

/// A planner of single-device chains with the search over stage groups behind it: plain shapes, the chain planner's
/// plan, which has a third of the time, and PipeDream's are starts of `search_groups`. The simulator decides between
/// what comes out, so the answer is not worse than the chain planner's (the detailed engine looks at the first
/// micro-batches alone). A fixed tensor-parallel degree is planned in units (see units.h). Where nothing more is open,
/// it is the chain planner alone.
Plan plan_with_groups(const Problem& problem, const PlanRequest& request, const Control& control,
                      const PlannerFunction& plan_chains, const std::string& name);

}  // namespace nnpiper
