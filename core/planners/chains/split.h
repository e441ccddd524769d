// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/planners/chains/chain.h"

#include <span>
#include <vector>

namespace nnpiper {

/// Best cut of the layers for a given device order: the throttle-aware split (ours).
///
/// In 1F1B stage s keeps only L_s = min(M, S-s) micro-batches in flight. A micro-batch that goes from stage i to stage j and
/// back lets number L_i - L_j + 1 after it begin on i, so for a period P every span of stages i..j must keep
///   sum of stage times and transfers there and back  <=  P (L_i - L_j + 1).
/// With K(s, l) the most by which a span that begins at s, whose first layer is l, exceeds that, and R(s, l) the round trip
/// from s on,
///   K(s, l) = min over e of  T_s(l, e) + max(-P, c(e) + K(s+1, e) - P (L_s - L_{s+1}))  <=  0
/// tells whether P is possible, subject to memory and every channel <= P. The smallest such P is found by bisection; cuts
/// for it and, with the least R instead of the least K, for a few larger P are ranked by the simulated score. GPipe has no
/// such spans: there R(s, l) <= P M. O(S L w) a period, w the layers a stage may hold. No allocation after construction.
class SplitSearch {
public:
    explicit SplitSearch(const ChainCosts& costs);

    /// Fills `best` (device and end) for the order, S device indices, and returns its score; infinite when no cut keeps
    /// memory and routes. `effort` is the number of larger periods tried (0: the smallest only).
    double split(std::span<const int> order, ChainEvaluator& evaluator, Chain& best, int effort = 5);

    /// Fills `best` with the cut whose stage loads, each over exp(log_load[s]), have the least sum of eighth powers: close to
    /// the least highest load, without its ties. Load: the stage's time and half of the transfers around it. Empty
    /// `log_load`: all alike. Whether any cut keeps memory and routes.
    bool balance(std::span<const int> order, std::span<const float> log_load, Chain& best);
    /// What `load` needs to know of an order; the others do it themselves.
    void prepare(std::span<const int> order);
    /// Load of a stage of the order last prepared if it had layers [first, end).
    double load(int stage, int first, int end) const;

private:
    enum class Least { excess, round_trip };
    bool solve(double period, Least least, Chain& chain);
    bool balance(std::span<const float> log_load, Chain& chain);
    void trace(Chain& chain) const;

    const ChainCosts& costs_;
    std::vector<int> order_;
    std::vector<double> round_trip_;    ///< [stage][first layer]
    std::vector<double> excess_;        ///< [stage][first layer] of the spans that begin there, at most 0
    std::vector<int> choice_;           ///< [stage][first layer]: end
    std::vector<double> time_;          ///< [stage][0..L] prefix of forward + backward on the order's device
    std::vector<double> boundary_;      ///< [stage][end]: both-way transfer time behind the stage
    std::vector<double> channel_;       ///< [stage][end]: larger occupancy of the two directions
    std::vector<int> memory_end_;       ///< [stage][first layer]: largest end that fits
    double least_period_ = 0;
    Chain trial_;
};

}  // namespace nnpiper
