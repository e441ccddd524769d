// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/planners/groups/group_chain.h"

#include <memory>
#include <vector>

namespace nnpiper {

/// Cuts a device order into runs of neighbours, each a stage with its replicas, after PipeDream's recurrence (Narayanan
/// et al., SOSP 2019) but over devices and links as they are and for a given period:
///   G(x, i) = min { G(x, i + 1), min over r of back(e, i, r) },  G(0, i) = L,
/// the first layer from which x stages on runs among units i, i + 1, ... hold all layers behind it, units left out
/// where that helps. e is the first cut at or behind G(x - 1, i + r) whose message takes no longer than the period, and
/// back(e, i, r) the first layer from which units i .. i + r - 1 take no longer than the period, gradients' exchange
/// and update shared out over the micro-batches, and have the memory for as many micro-batches as x stages keep in
/// flight. Shares are those that balance the whole model; each stage has the fastest policy that fits. O(S N R log L) a
/// period.
class RunCutter {
public:
    /// `units`: groups of `degree` devices, in order. `evaluator` must live as long.
    RunCutter(GroupEvaluator& evaluator, std::vector<std::vector<int>> units, int degree);
    ~RunCutter();

    /// What all units together need for a micro-batch, divided without loss. Seconds.
    double ideal_s() const;
    /// The chain with the fewest stages that keeps the period (as many as the problem asks for); no stages where there
    /// is none.
    GroupChain cut(double period_s);

private:
    struct Runs;
    std::unique_ptr<Runs> runs_;
};

}  // namespace nnpiper
