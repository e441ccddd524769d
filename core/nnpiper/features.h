// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/planners/order_network.h"

#include <cstdint>
#include <vector>

namespace nnpiper {

/// Numbers of features; part of the weights' architecture, so a change makes old weights unreadable (and says so).
struct FeatureSizes {
    static constexpr int device = 20;
    static constexpr int edge = 11;
    static constexpr int global = 44;
    static constexpr int position = 9;
    static constexpr int candidate = 4;  ///< known before the order is
    static constexpr int option = 6;     ///< of a candidate for the order as it stands
    static constexpr int progress = 6;
};

/// A question as the network sees it. D usable devices (not locked idle), S stages. Every time is divided by the balanced
/// stage time (all work spread over the S fastest devices by their speeds), every size by the model's total, so that
/// neither seconds nor gigabytes nor names nor positions in the list are seen.
struct Features {
    static constexpr int free_place = -1;  ///< see `place`
    static constexpr int anywhere = -2;

    int devices = 0;
    int stages = 0;
    int layers = 0;
    std::vector<int> device_index;         ///< [D] into the problem
    std::vector<float> device;             ///< [D][FeatureSizes::device]
    std::vector<float> edge;               ///< [D][D][FeatureSizes::edge], from -> to
    std::vector<float> global;             ///< [FeatureSizes::global]
    std::vector<float> position;           ///< [S][FeatureSizes::position]
    std::vector<float> candidate;          ///< [S][D][FeatureSizes::candidate]
    std::vector<float> speed_share;        ///< [D] share of all work that it does in the balanced stage time
    std::vector<std::uint8_t> route;       ///< [D][D] whether messages go both ways
    std::vector<std::uint8_t> near, side;  ///< [D][D] about as fast as either one's fastest link; not over the slowest kind
    std::vector<int> near_count, side_count;  ///< [D]
    std::vector<int> alike;                ///< [D] class of devices that cannot be told apart
    std::vector<int> place;                ///< [D] stage that a lock names, `anywhere` when it only has to be used
    std::vector<int> owner;                ///< [S] device locked to the stage, or -1
    std::vector<double> layer_work;        ///< [L] share of all work, mean over the devices

    // Memory: devices of equal capacity make a class, classes by falling capacity.
    int memory_classes = 0;
    std::vector<int> memory_class;         ///< [D]
    std::vector<int> memory_end;           ///< [S][class][first layer]: the largest end that fits

    /// Layers [0, result) done when the stage on a device of the class takes all it can behind layer `first`.
    int reach(int stage, int of_class, int first) const
    {
        return memory_end[static_cast<std::size_t>((stage * memory_classes + of_class) * (layers + 1) + first)];
    }
};

/// Throws Error when there are fewer usable devices or layers than stages.
Features features_of(const NetworkQuestion& question);

}  // namespace nnpiper
