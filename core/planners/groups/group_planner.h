// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/planners/chains/chain.h"
#include "core/planners/planner.h"

#include <functional>
#include <string>
#include <vector>

namespace nnpiper {

/// Whether the problem leaves more open than chains of single devices under one policy: replicas, recompute by stage or
/// the tensor-parallel degree.
bool groups_are_open(const Problem& problem);

/// Device orders for as many stages as the setting says; they may throw Error.
using OrderMaker = std::function<std::vector<std::vector<int>>(const Problem&, const ChainSetting&)>;

/// A planner of single-device chains with the search over stage groups behind it: plain shapes, the chain planner's
/// plan, which has a third of the time, and device orders cut into runs (heuristic ones and those of `orders`, where
/// given) are starts of `search_groups`. The simulator decides between
/// what comes out, so the answer is not worse than the chain planner's (the detailed engine looks at the first
/// micro-batches alone). A fixed tensor-parallel degree is planned in units (see units.h). Where nothing more is open,
/// it is the chain planner alone.
Plan plan_with_groups(const Problem& problem, const PlanRequest& request, const Control& control,
                      const PlannerFunction& plan_chains, const std::string& name, const OrderMaker& orders = {});

}  // namespace nnpiper
