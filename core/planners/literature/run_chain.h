// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/control.h"

#include <functional>
#include <limits>
#include <span>
#include <vector>

namespace nnpiper {

/// Layers to be cut over devices in a fixed order, every stage on a run of neighbours as replicas. Seconds.
struct RunCosts {
    int layers = 0;
    int devices = 0;
    int most_replicas = 1;
    /// Fills [end] for end = first + 1 .. L with what a stage that begins at `first` counts on devices [from, from +
    /// r); not falling with the end; infinite where it cannot be.
    std::function<void(int first, int from, int replicas, std::span<double> seconds)> stage_s;
    /// Of the boundary behind layer `cut` - 1 from the run [from, middle) to [middle, to).
    std::function<double(int cut, int from, int middle, int to)> transfer_s;
    /// Memory of a stage with `behind` stages behind it; empty: always.
    std::function<bool(int first, int end, int from, int replicas, int behind)> fits;
};

/// Stages in model order; the last one ends on the last device, the first ones may stand idle.
struct RunChain {
    std::vector<int> end;  ///< empty: there is none
    std::vector<int> replicas;
    double bottleneck_s = std::numeric_limits<double>::infinity();
};

/// For every number of stages x = 1 .. `most_stages` ([x - 1]) the chain whose largest stage or transfer is least:
///   W(l, x, r, i) = min over e, r' of max{ W(e, x-1, r', i-r), transfer(e; r, r'), stage(l, e; r) }
/// over suffixes from layer l on with x stages on the last i devices, r of them for the first stage. Of equals the one
/// on more devices is taken. O(L S D R^2 w), w the layers that a stage may hold. Left unfinished when time runs out.
std::vector<RunChain> bottleneck_runs(const RunCosts& costs, int most_stages, const Control& control);

}  // namespace nnpiper
