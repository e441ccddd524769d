// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/planners/chains/chain.h"

#include <span>
#include <vector>

namespace nnpiper {

/// Best cut of the layers for a given device order: the throttle-aware split (ours).
///
/// In 1F1B stage s keeps only min(M, S-s) micro-batches in flight, so its period is at least the round trip through
/// the stages behind it divided by that number. For a period P the recurrence minimises the round trip
///   R(s, j) = min over e of  T_s(j, e) + transfers there and back at cut e + R(s+1, e)
/// subject to T_s <= P, every channel <= P, R(s, j) <= P in_flight(s) and memory. The smallest feasible P is found by
/// bisection; cuts for it and for a few larger P are ranked by the simulated score. O(S L w) a period, w the layers a
/// stage may hold. No allocation after construction.
class SplitSearch {
public:
    explicit SplitSearch(const ChainCosts& costs);

    /// Fills `best` (device and end) for the order, S device indices, and returns its score; infinite when no cut keeps
    /// memory and routes. `effort` is the number of larger periods tried (0: the smallest only).
    double split(std::span<const int> order, ChainEvaluator& evaluator, Chain& best, int effort = 5);

private:
    bool solve(double period, Chain& chain);
    void prepare(std::span<const int> order);

    const ChainCosts& costs_;
    std::vector<int> order_;
    std::vector<double> round_trip_;    ///< [stage][first layer]
    std::vector<int> choice_;           ///< [stage][first layer]: end
    std::vector<double> time_;          ///< [stage][0..L] prefix of forward + backward on the order's device
    std::vector<double> boundary_;      ///< [stage][end]: both-way transfer time behind the stage
    std::vector<double> channel_;       ///< [stage][end]: larger occupancy of the two directions
    std::vector<int> memory_end_;       ///< [stage][first layer]: largest end that fits
    double least_period_ = 0;
    Chain trial_;
};

}  // namespace nnpiper
