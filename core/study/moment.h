// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/simulator/timeline.h"

#include <vector>

namespace nnpiper {

/// What happens at one moment of an iteration: indices into the timeline's ops that run and transfers that are on their
/// way (sent or still in flight).
struct Moment {
    std::vector<int> ops;        ///< by device group
    std::vector<int> transfers;
};

/// Starts count, ends do not: start <= time_s < end. Time O(device groups x log ops + transfers).
Moment moment_of(const Timeline& timeline, double time_s);

/// Every time at which an op starts or ends, each once, in order.
std::vector<double> event_times_s(const Timeline& timeline);

}  // namespace nnpiper
