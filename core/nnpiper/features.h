// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/planners/order_network.h"

#include <cstdint>
#include <vector>

namespace nnpiper {

/// Numbers of features; part of the weights' architecture, so a change makes old weights unreadable (and says so).
struct FeatureSizes {
    static constexpr int device = 18;
    static constexpr int edge = 10;
    static constexpr int global = 44;
    static constexpr int position = 7;
    static constexpr int candidate = 4;
    static constexpr int progress = 3;
};

/// A question as the network sees it. D usable devices (not locked idle), S stages. Every time is divided by the balanced
/// stage time (all work spread over the S fastest devices by their speeds), every size by the model's total, so that
/// neither seconds nor gigabytes nor names nor positions in the list are seen.
struct Features {
    int devices = 0;
    int stages = 0;
    std::vector<int> device_index;     ///< [D] into the problem
    std::vector<float> device;         ///< [D][FeatureSizes::device]
    std::vector<float> edge;           ///< [D][D][FeatureSizes::edge], from -> to
    std::vector<float> global;         ///< [FeatureSizes::global]
    std::vector<float> position;       ///< [S][FeatureSizes::position]
    std::vector<float> candidate;      ///< [S][D][FeatureSizes::candidate]
    std::vector<float> speed_share;    ///< [D] share of all work that it does in the balanced stage time
    std::vector<float> capacity;       ///< [S][D] share of all work whose layers fit there, at most 1
    std::vector<float> best_capacity;  ///< [D] largest over the positions
    std::vector<std::uint8_t> route;   ///< [D][D] whether messages go both ways
    std::vector<double> layer_work;    ///< [L] share of all work, mean over the devices
};

/// Throws Error when there are fewer usable devices or layers than stages.
Features features_of(const NetworkQuestion& question);

}  // namespace nnpiper
