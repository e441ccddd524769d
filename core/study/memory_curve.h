// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan/plan.h"
#include "core/problem/problem.h"
#include "core/simulator/timeline.h"

#include <string>
#include <vector>

namespace nnpiper {

/// How much of a device's memory is in use over an iteration.
struct MemoryCurve {
    struct Step {
        double time_s = 0;
        double bytes = 0;         ///< from time_s until the next step
    };

    std::string device;           ///< the one of its group that needs the largest share of its capacity
    double capacity_bytes = 0;
    double constant_bytes = 0;    ///< state and message buffers, there from begin to end
    std::vector<Step> steps;      ///< in time; first at 0; bytes include constant_bytes

    double peak_bytes() const;
};

/// One curve a device group, in the order of the timeline's rows. Activations of a stage are taken when a forward starts
/// and given back when its backward (its weight part where split) ends; an op's working space is there while it runs. The
/// peak is DeviceMemory::needed_bytes() of that device. `timeline` is the plan's own, from simulate(); throws
/// Error when it is another's.
std::vector<MemoryCurve> memory_curves(const Problem& problem, const Plan& plan, const Timeline& timeline);

}  // namespace nnpiper
