// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/control.h"
#include "core/planners/groups/group_starts.h"

#include <vector>

namespace nnpiper {

/// Chains that RunCutter (run_cutter.h) makes of the orders for the shortest period that it can keep and for longer
/// ones, which need fewer stages; layers cut again without regard to messages where that is better. Best first, at most
/// `keep`. Orders may leave devices out. Stops when `control` says so.
std::vector<ScoredGroups> run_groups(GroupEvaluator& evaluator, const std::vector<std::vector<int>>& orders,
                                     std::size_t keep, const Control& control);

/// Orders of all devices that no lock keeps idle: along heuristics' orders, those that they leave out each behind the
/// one that reaches it fastest.
std::vector<std::vector<int>> whole_orders(const Problem& problem, const std::vector<std::vector<int>>& orders);

}  // namespace nnpiper
