// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/control.h"
#include "core/base/random.h"
#include "core/planners/chains/chain.h"
#include "core/planners/chains/device_orders.h"
#include "core/planners/chains/split.h"

#include <vector>

namespace nnpiper {

/// A chain with its score (lower is better).
struct ScoredChain {
    Chain chain;
    double score = 0;
};

/// Splits each order and returns the results, best first. Orders without a cut that fits come last with the score of an
/// even cut. Stops early when `control` says so, but not before one is there. Large problems go to up to `threads` threads.
std::vector<ScoredChain> split_orders(const ChainCosts& costs, const std::vector<std::vector<int>>& orders,
                                      const Control& control, int effort = 5, unsigned threads = 1);

/// Moves boundaries by one layer, alone or all between two stages, while that helps. Returns the new score.
double shift_boundaries(const ChainCosts& costs, Chain& chain, double score, const Control& control);

/// Cool annealing: swap two stages' devices (with or without their layer counts), insert an unused device, move a device
/// to another place, turn a run of stages round, shift one or several boundaries. Starts at `temperature` (fraction of
/// the score) and cools to a tenth of a thousandth over `steps` moves. Returns the best chain seen.
ScoredChain anneal(const ChainCosts& costs, const ScoredChain& start, Random& random, long steps, double temperature,
                   const Control& control);

/// Successive halving by cool annealing until the deadline, on all processors: the best sixteen `starts` for a third of the
/// time, the best four of those, then the best one again and again. Ends early only when a small problem must have been
/// seen many times over.
ScoredChain search(const ChainCosts& costs, std::vector<ScoredChain> starts, Random& random, const Control& control);

}  // namespace nnpiper
