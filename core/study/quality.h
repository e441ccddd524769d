// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/control.h"
#include "core/planners/planner.h"
#include "core/problem/virtual_problem.h"

#include <string>
#include <vector>

namespace nnpiper {

/// How good planners are on fresh virtual problems that no training has seen.
struct QualityQuestion {
    std::vector<std::string> planners{"nn-piper", "nn-piper-no-network", "local-search"};
    std::vector<VirtualSize> sizes{{32, 8, 8, {}}, {48, 16, 12, {}}, {64, 16, 16, {}}, {96, 32, 24, {}}, {128, 64, 48, {}}};
    std::vector<VirtualKind> kinds{VirtualKind::any};
    int problems = 8;              ///< of every size and kind
    double reference_ms = 1000;    ///< a longer local search that the gaps are measured from as well
    PlanRequest request;           ///< time limit, device and seed of every planner
    std::uint64_t seed = 1;        ///< of the problems
};

/// One planner on one problem. `gap` is makespan / best makespan of all planners and the reference - 1.
struct QualityOutcome {
    std::string problem;
    std::string group;             ///< size and kind
    std::string planner;
    bool feasible = false;
    double makespan_s = 0;
    double best_s = 0;
    double gap = 0;
    double planning_ms = 0;
};

/// Over a group. The difference is this planner's gap less the first planner's on the problems where both are feasible:
/// mean and half the width of its 95 % confidence interval (Student, paired).
struct QualityMean {
    std::string group;
    std::string planner;
    int problems = 0;
    int infeasible = 0;
    double gap = 0;                ///< mean over the feasible ones
    double difference = 0;
    double half_width = 0;         ///< infinite below two pairs
};

/// Outcomes problem by problem, planners in the order asked. Problems that nobody finds feasible are left out. Throws
/// Error on an unknown planner. Stops early with what is there when `control` says so.
std::vector<QualityOutcome> measure_quality(const QualityQuestion& question, const Control& control);

/// Means by group in the order of appearance, then over all ("all").
std::vector<QualityMean> quality_means(const std::vector<QualityOutcome>& outcomes);

}  // namespace nnpiper
