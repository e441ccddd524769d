// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/planners/chains/chain.h"

#include <limits>
#include <vector>

namespace nnpiper {

/// A chain that search changes a little at a time. Edit `trial`, `touch` every stage whose device or layers changed,
/// ask, then `accept` or `reject`. Only touched stages are priced anew, and most bad trials are told by a bound in O(S)
/// before the simulator runs. No allocation after construction.
class ChainWalk {
public:
    ChainWalk(const ChainCosts& costs, const Chain& start);

    Chain trial;
    const Chain& current() const { return current_; }
    void touch(int stage);
    void touch_range(int first, int last)
    {
        for (int s = first; s <= last; ++s)
            touch(s);
    }

    /// No more than the trial's value: 1F1B and GPipe cannot be faster than
    ///   max over stages of [ way to s and back + M T_s ],  all once + floor((M-1) / in flight of s) R_s,
    ///   all once + (M-1) S/B of a channel,
    ///   all once less what lies behind s+1 + messages that fill s+1 + rounds of s and s+1: a micro-batch that goes to
    ///   s+1 and back lets number L_s - L_{s+1} + 1 after it begin on s (L: in flight)
    /// (T_s stage time, R_s round trip from stage s on). Infinite where a boundary has no route.
    double bound();
    /// After `bound`: whether any cost of a stage or boundary differs from the current chain's. Exchanging equal
    /// devices changes none.
    bool changed() const { return changed_; }
    /// The trial's value by the simulator, as ChainEvaluator's.
    double value();
    /// The trial's memory excess, as ChainEvaluator's.
    double excess() const { return excess_sum_; }
    /// S/B of both directions behind a stage of the trial as it was last priced.
    double channel(int stage) const
    {
        const auto s = static_cast<std::size_t>(stage);
        return views_.forward_occupancy_s[s] + views_.backward_occupancy_s[s];
    }
    void accept();
    void reject();
    long evaluations() const { return evaluations_; }

private:
    static constexpr int columns =
        8;  ///< forward, backward, forward S/B and latency, backward S/B and latency, excess, update
    double* column(std::vector<double>& block, int c) { return block.data() + c * stride_; }
    double objective(double makespan) const;
    void price_stage(int stage);
    void price_boundary(int stage);

    const ChainCosts& costs_;
    Evaluator evaluator_;
    int stride_;
    Chain current_;
    std::vector<double> trial_block_, current_block_;
    std::vector<int> touched_;
    std::vector<char> marked_;
    std::vector<double> rounds_;       ///< [stage] floor((M-1) / in flight)
    std::vector<double> pair_rounds_;  ///< [stage] of it and the next, after the first
    std::vector<double> filling_;      ///< [stage] messages that fill the next before its first backward, less one
    StageCosts views_;
    double excess_sum_ = 0;
    bool priced_ = false;
    bool changed_ = true;
    long evaluations_ = 0;
};

}  // namespace nnpiper
