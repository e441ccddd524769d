// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/planners/chains/chain.h"

#include <functional>
#include <string>

namespace nnpiper {

/// For answers that take the first devices as they come: one chain for every variant that the problem leaves open, with
/// as many stages as asked for or as there are devices and layers; the best by the simulator. Skipped when there are
/// fewer devices or layers than stages. `fallback` is the schedule where the problem asks for none.
Plan best_chain_over_variants(const Problem& problem, const std::string& planner, ScheduleKind fallback,
                              const std::function<Chain(const ChainCosts&)>& cut);

/// The first usable devices in the given order, one a stage; the cuts are still to be made.
Chain first_devices(const ChainCosts& costs);

/// Ends of `weights.size()` runs of layers whose sizes follow the weights, at least one layer each.
std::vector<int> proportional_ends(int layers, const std::vector<double>& weights);

}  // namespace nnpiper
