// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/planners/bounds/least_costs.h"
#include "core/planners/chains/chain.h"
#include "core/planners/chains/chain_locks.h"

#include <vector>

namespace nnpiper {

/// The first stages of a chain.
struct PartialChain {
    Chain chain;             ///< as far as it goes
    double makespan = 0;     ///< lower bound of every chain that begins so
};

/// One more stage behind a partial chain.
struct NextStage {
    int device = 0;          ///< index into the problem
    int end = 0;
    double makespan = 0;     ///< lower bound with it
    double update = 0;       ///< of the slowest optimizer so far
    double price_per_s = 0;  ///< of these devices and the cheapest that can follow
};

/// Bounds the simulated makespan of every chain that continues a partial one, for one setting (see partial_chain.cpp).
/// Keeps locks, routes and every device's memory.
class PartialChainBounds {
public:
    explicit PartialChainBounds(const ChainCosts& costs);

    /// Bound of every chain.
    double root() const { return root_; }
    /// Of as many cheapest devices as there are stages; NaN where a price is not known.
    double least_price_per_s() const;
    /// Every stage that may follow, least bound first; chains that are then complete have their simulated makespan.
    /// Of interchangeable devices the first one only.
    const std::vector<NextStage>& next(const PartialChain& partial);
    long evaluations() const { return evaluator_.evaluations(); }

private:
    struct Prefix;           ///< sums along a partial chain
    struct Rest;             ///< what the devices that are left can do at best

    void collect(const PartialChain& partial, const Prefix& prefix, int device, const std::vector<char>& used);
    Rest rest_of(int stages_left, int device, const std::vector<char>& used) const;
    double suffix(int stages_left, int first);
    double time(int device, int first, int end) const
    {
        return costs_.forward(device, first, end) + costs_.backward(device, first, end);
    }

    const ChainCosts& costs_;
    ChainEvaluator evaluator_;
    ForwardPart forward_;
    LeastCosts all_;                           ///< every layer a row, devices as usable()
    std::vector<int> classes_;                 ///< [slot]
    ChainLocks locks_;
    std::vector<std::vector<double>> weights_; ///< [choice][slot] for the dual bound of what is left
    std::vector<double> partner_;              ///< [slot][end] least transfer to any other device
    std::vector<double> suffix_;               ///< [stages left][first]; NaN where not yet known
    std::vector<double> held_;                 ///< [first] least bytes of the layers from there on
    double root_ = 0;
    std::vector<NextStage> next_;
};

}  // namespace nnpiper
