// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/control.h"
#include "core/planners/planner.h"
#include "core/problem/virtual_problem.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace nnpiper {

/// A problem with the group that its figures are averaged in.
struct BenchProblem {
    std::string group;
    Problem problem;
};

/// What a bench of planners asks.
struct BenchQuestion {
    std::vector<std::string> planners;
    PlanRequest request;         ///< time limit, device, seed, true costs: the same for every planner
    double reference_ms = 1000;  ///< a longer local search beside them; 0: none
    double cancel_after_ms =
        20;  ///< on the last problem of a group planners run without a limit and are stopped then; 0: not measured
};

/// One planner on one problem.
struct BenchTrial {
    std::string group;
    std::string problem;
    std::string planner;
    std::string status;  ///< the plan's
    std::string reason;
    bool feasible = false;
    double value = 0;       ///< by the problem's objective; only where feasible
    double best_value = 0;  ///< of all planners, the reference and the file's best known plan; 0: none is feasible
    double planning_ms = 0;
    std::optional<double> proved_gap;
    std::optional<double>
        peak_bytes;  ///< most memory of the process beyond what it held before; empty where the system does not tell
    std::optional<double> cancel_ms;  ///< from the stop to the return; empty where it returned before

    /// Fraction above the best value.
    double gap() const { return value / best_value - 1; }
};

/// A planner over a group.
struct BenchMean {
    std::string group;
    std::string planner;
    int problems = 0;
    int infeasible = 0;  ///< although somebody found a plan
    int skipped = 0;
    double mean_gap = 0, median_gap = 0, largest_gap = 0;  ///< over the feasible ones
    double planning_ms = 0;                                ///< mean
    double time_ratio = 0;                                 ///< of the planning times to the first planner's
    std::optional<double> peak_bytes;                      ///< largest
    std::optional<double> cancel_ms;                       ///< largest
};

/// Invented problems from 2 devices up to `largest_devices`, `count` of each size: layers and stages grow with the
/// devices; beyond 64 devices they stand in many nodes and sites. Seeds are those of evaluation: no training sees them.
std::vector<BenchProblem> generated_bench_problems(int count, int largest_devices, std::uint64_t seed);

/// Runs every planner on every problem, one after the other. `seen` is called with each problem's trials as they come.
/// Stops early with what is there when `control` says so. Throws Error on an unknown planner.
std::vector<BenchTrial> bench_planners(const std::vector<BenchProblem>& problems, const BenchQuestion& question,
                                       const Control& control,
                                       const std::function<void(const std::vector<BenchTrial>&)>& seen = {});

/// Means by group in the order of appearance, planners in the order of the trials.
std::vector<BenchMean> bench_means(const std::vector<BenchTrial>& trials);

}  // namespace nnpiper
