// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/planners/planner.h"

#include <string>

namespace nnpiper {

/// Whether the problem asks for more than chains of single devices under one policy: replicas, recompute by stage or the
/// tensor-parallel degree are open, or a lock puts devices somewhere, which the chain planners do not keep.
bool groups_are_open(const Problem& problem);

/// A planner of single-device chains with the search over stage groups behind it: the chain planner has the first part of
/// the time, then its plan, those of the closed planners of replicas and plain shapes are starts of `search_groups`. The
/// simulator decides between all of them, so the answer is never worse than the chain planner's. A fixed tensor-parallel
/// degree is planned in units (see units.h). Where nothing more is open, it is the chain planner alone.
Plan plan_with_groups(const Problem& problem, const PlanRequest& request, const Control& control,
                      const PlannerFunction& plan_chains, const std::string& name);

}  // namespace nnpiper
