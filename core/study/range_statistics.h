// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/simulator/timeline.h"

#include <span>
#include <vector>

namespace nnpiper {

/// What one device group does within a range of time. busy_s and the bubble's parts sum to the range's length within the
/// iteration. Two overlapped ops take half of their common time each.
struct RangeRow {
    double forward_s = 0;
    double backward_s = 0;   ///< whole backwards and input gradients
    double weight_s = 0;     ///< weight gradients where they are split off
    double busy_s = 0;
    Bubble bubble;           ///< imbalance measured against the busiest device of the range
};

/// What one direction of a boundary carries within the range.
struct RangeChannel {
    bool backward = false;
    int boundary = 0;
    double busy_s = 0;       ///< its channel is occupied
    int messages = 0;        ///< that start within the range
};

/// Figures over the part of [from_s, to_s] that lies within the iteration.
struct RangeStatistics {
    double from_s = 0;
    double to_s = 0;
    std::vector<RangeRow> rows;            ///< [device group]
    std::vector<RangeChannel> channels;    ///< those that carry something, by boundary, activations first
    double bubble_fraction = 0;            ///< idle share of length x devices
    int finished = 0;                      ///< micro-batches whose last op ends within the range
    double critical_compute_s = 0;         ///< critical path in computation
    double critical_link_s = 0;            ///< critical path in messages

    double length_s() const { return to_s - from_s; }
};

/// `path` is critical_path(timeline). Ends in the wrong order are exchanged.
RangeStatistics range_statistics(const Timeline& timeline, std::span<const CriticalStep> path, double from_s, double to_s);

}  // namespace nnpiper
