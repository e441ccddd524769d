// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/simulator/timeline.h"
#include "widgets/results/time_scale.h"

#include <span>
#include <vector>

namespace nnpiper {

/// One rectangle to draw: an op of at least a pixel, or neighbours narrower than a pixel drawn as one.
struct BarRun {
    double left = 0;  ///< pixels
    double right = 0;
    OpKind kind = OpKind::forward;  ///< of a merged run: the kind that is busy longest
    int first = -1;                 ///< index of the first op within the row
    int count = 1;
    double filled = 1;  ///< of a merged run: share of its columns that is busy, in eighths
};

/// The visible part of one row (ops in the order they ran) as rectangles, never more than two a pixel column.
std::vector<BarRun> barRuns(std::span<const TimelineOp> row, const TimeScale& scale);

/// A message drawn as a tick of at least `minimumWidth` pixels; ticks that would overlap become one.
struct TickRun {
    double left = 0;
    double right = 0;
    bool backward = false;
    int first = -1;  ///< index into Timeline::transfers
    int count = 1;
};
std::vector<TickRun> tickRuns(const Timeline& timeline, std::span<const int> row, const TimeScale& scale,
                              double minimumWidth);

}  // namespace nnpiper
