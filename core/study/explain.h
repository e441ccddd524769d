// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan/plan.h"
#include "core/problem/problem.h"
#include "core/simulator/timeline.h"

#include <string>
#include <vector>

namespace nnpiper {

/// Why a plan does well, as data; whoever shows it makes the sentence. Unused fields are zero or empty.
struct Reason {
    enum class Kind {
        /// Slowest stage's time a micro-batch `value_s` of stage `stage`; `fraction` = mean / slowest, `other_fraction`
        /// the same for `planner`, the best of the others.
        balance,
        /// `count` of `total` boundaries cross a slow route of `value_bytes_per_s`; `planner` crosses `other_count` of
        /// them (empty planner: nobody to compare with).
        slow_links,
        /// The busiest channel (boundary `stage`) is busy for `fraction` of the slowest stage's time, below 1.
        hidden_transfers,
        /// The same at 1 or above: the link sets the pace.
        link_bound,
        /// `fraction` idle against `other_fraction` of `planner`.
        bubble,
        /// `count` of `total` devices are not used; `device` is one of them.
        idle_devices,
        /// Fits in memory, where `count` other planners' plans do not (`planner` is one); the fullest device is filled
        /// to `fraction`.
        memory_saved,
        /// `fraction` faster than `planner`, the next best.
        margin,
    };
    Kind kind = Kind::balance;
    int stage = -1;
    int count = 0;
    int total = 0;
    int other_count = 0;
    double fraction = 0;
    double other_fraction = 0;
    double value_s = 0;
    double value_bytes_per_s = 0;
    std::string device;
    std::string planner;
};

/// Reasons for the plan `winner` (an index into `plans`, all of one problem; `timeline` is its own), the telling ones
/// first, at most `most`. Empty when the winner has no stages.
std::vector<Reason> explain(const Problem& problem, const std::vector<Plan>& plans, int winner,
                            const Timeline& timeline, int most = 3);

}  // namespace nnpiper
