// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/planners/chains/chain.h"

#include <span>
#include <vector>

namespace nnpiper {

/// What a device order is worth, without a table over the layers (ours). For a period P layers are dealt out from the
/// last stage to the first, each taking as many as the period, its memory, the channel before it and the throttle
///   R_s <= P in_flight(s)        (R_s: the round trip from stage s on)
/// allow; the least P that deals out all layers is found by bisection. Value: sum of all stage times and transfers
/// there and back + (M - 1) P, the closed form of 1F1B. O(S + L) a period, no allocation after construction.
class OrderProbe {
public:
    explicit OrderProbe(const ChainCosts& costs);

    /// The value of an order of S device indices; above `infeasible` when memory leaves layers over.
    double value(std::span<const int> order);
    /// The cuts that the order's least period deals out; call after `value`.
    const std::vector<int>& ends() const { return ends_; }
    static constexpr double infeasible = 1e12;

private:
    bool deal(const int* order, double period);
    double narrow(const int* order, double low, double high);
    double price(const int* order) const;

    const ChainCosts& costs_;
    int stages_, layers_;
    std::vector<double> time_;       ///< [device][0..L] prefix sums of forward + backward
    std::vector<int> memory_class_;  ///< [device]
    std::vector<int> memory_first_;  ///< [stage][class][end]: the least first layer that fits
    int classes_ = 0;
    double least_period_ = 0;
    // of the last deal
    double dealt_total_ = 0;
    int left_over_ = 0;
    double total_ = 0;
    std::vector<int> dealt_ends_, ends_;
};

}  // namespace nnpiper
