// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan/plan.h"
#include "core/problem/problem.h"
#include "core/simulator/timeline.h"

#include <string>
#include <vector>

namespace nnpiper {

/// What one direction of a link carries in an iteration.
struct LinkLoad {
    std::string link;        ///< its name, or "stage 2 to 3" where the problem names no links
    double bytes = 0;        ///< an iteration
    double busy_s = 0;       ///< bytes / capacity
};

/// What holds a plan's speed down, with the figures behind it, and what the prediction rests on.
struct PlanLimits {
    enum class Kind {
        compute,   ///< most of the critical path is computation
        link,      ///< most of it is messages
        memory,    ///< the plan does not fit
    };
    Kind kind = Kind::compute;
    double compute_share = 0;          ///< of the critical path
    double link_share = 0;             ///< of the critical path, messages on their way or waiting for their channel
    std::string busiest_device;
    double busy_s = 0;                 ///< of that device, an iteration
    double busy_share = 0;             ///< of the makespan
    std::vector<LinkLoad> links;       ///< all that carry something, the busiest first
    std::string fullest_device;
    double needed_bytes = 0;           ///< peak of that device
    double capacity_bytes = 0;
    CostBasis basis = CostBasis::analytic;
    double measured_share = 0;         ///< of the layer times that come from a measured profile
};

/// `timeline` is the plan's own, from simulate().
PlanLimits limits_of(const Problem& problem, const Plan& plan, const Timeline& timeline);

/// "compute", "link", "memory".
std::string_view name_of(PlanLimits::Kind kind);

}  // namespace nnpiper
