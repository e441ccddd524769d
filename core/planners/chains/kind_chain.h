// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/control.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

namespace nnpiper {

/// Layers to be cut over devices of a few kinds; devices of one kind are exchangeable and links depend on kinds alone.
/// Seconds are per micro-batch.
struct KindCosts {
    int layers = 0;
    std::vector<int> count;                                      ///< [kind] devices
    std::vector<std::vector<double>> work_s;                     ///< [kind][0..L] prefix sums of forward and backward
    std::vector<std::vector<std::vector<double>>> round_trip_s;  ///< [from kind][to kind][cut 0..L]; infinite: no route
    /// Whether layers [first, end) fit a device of the kind that has `behind` stages behind it, where more never fit
    /// better; empty: always.
    std::function<bool(int kind, int behind, int first, int end)> fits;

    int kinds() const { return static_cast<int>(count.size()); }
    /// Ways to have used up some of every kind.
    double uses() const;
};

/// One device a stage, in model order.
struct KindChain {
    std::vector<int> kind;
    std::vector<int> end;
    double bottleneck_s = 0;  ///< largest stage or round trip
    double total_s = 0;       ///< sum of stages and round trips
};

/// The chain with the least bottleneck and, among those, the least total; with `stages` given, of so many stages.
/// Empty when none fits or when time ran out before one was known; `complete` (may be null) says whether both minima
/// are proved.
std::optional<KindChain> bottleneck_chain(const KindCosts& costs, std::optional<int> stages, const Control& control,
                                          bool* complete = nullptr);

}  // namespace nnpiper
