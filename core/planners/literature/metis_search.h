// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/planners/literature/ordered_costs.h"

#include <optional>
#include <vector>

namespace nnpiper {

/// Multisets of `stages` powers of two with sum `devices`, each at least floor(devices / stages); descending inside.
std::vector<std::vector<int>> power_of_two_groups(int devices, int stages);

/// The orders in which the groups of a multiset may stand. Beyond six groups, equal ones stand together, small ones
/// first in becoming a block, until six blocks are left: at most 720 orders.
std::vector<std::vector<int>> group_orders(const std::vector<int>& groups);

/// Stages on runs of the ordered devices.
struct MetisPlan {
    std::vector<StageRun> stages;
    double cost_s = 0;  ///< see metis_cost_s()
};

/// sum t + (M - 1) max t + sum p2p + max dp + optimizer of an iteration.
double metis_cost_s(const OrderedCosts& costs, const std::vector<StageRun>& stages);

/// Cuts the layers over stages whose devices and degrees are given: in proportion to the stages' capacity, filled from
/// the front, the last stage from the back; up to four moves of a layer to a neighbour; where memory overflows the
/// stage's capacity is lowered and all is filled anew, three times. `schedule` says what is in flight. False: memory is
/// not kept; `load` ([stage], may be null) has what the fullest device needs of its memory.
bool balance_layers(const OrderedCosts& costs, ScheduleKind schedule, std::vector<StageRun>& stages,
                    std::vector<double>* load);

/// The cheapest plan of one arrangement of the ordered devices into groups: every stage starts data-parallel, then the
/// fullest one halves its replicas and doubles its degree, as long as one can. Empty when none keeps memory.
std::optional<MetisPlan> cheapest_strategy(const OrderedCosts& costs, ScheduleKind schedule,
                                           const std::vector<int>& groups);

}  // namespace nnpiper
