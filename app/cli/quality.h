// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/planners/planner.h"

#include <stop_token>
#include <string>
#include <vector>

namespace nnpiper::cli {

/// What `evaluate --suite quality` is asked.
struct QualityOptions {
    std::string data;    ///< folder with *.problem.json files; empty: the frozen set
    int fresh = 0;       ///< virtual problems of every size that nobody has seen, in place of the frozen set
    std::string freeze;  ///< file in which to make or improve the frozen set
    double seconds = 5;  ///< of search for every problem to freeze
    int problems = 0;    ///< of every frozen group at most; 0: all
    std::vector<std::string> sizes;     ///< "64x16x16"; empty: all
    std::vector<std::string> kinds;     ///< "slow WAN"; empty: all
    std::vector<std::string> methods;   ///< see quality_methods; with `planners` empty as well: the standard ones
    std::vector<std::string> planners;  ///< of the registry, or "all"
    PlanRequest request;                ///< of the planners; budgets of the procedures are their own
    std::string format = "table";       ///< or "json"
};

/// Measures and prints the figures, by group and method. Progress goes to standard error; when stopped the problems
/// done so far count. Returns the exit status: `not_feasible` when a planner or full procedure misses a folder's
/// feasible plan, or when a plan beats one that is stored as optimal.
int run_quality(const QualityOptions& options, std::stop_token stop);

}  // namespace nnpiper::cli
