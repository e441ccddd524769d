// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/project/project.h"
#include "widgets/results/solved_plan.h"

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace nnpiper {

struct SolveOptions {
    std::vector<std::string> planners;  ///< in this order; empty: all of the registry
    double budget_ms = 1000;            ///< per planner
};

/// Where a run reports; called on the thread that runs it.
struct SolveReport {
    std::function<void(const std::string& planner, double fraction)> progress;
    std::function<void(std::shared_ptr<const SolvedPlan>)> plan;
};

/// Compiles a snapshot of the project and runs the planners on it one after another. Returns an empty text, or the
/// sentence that says why nothing could be planned. Throws nothing: a planner that fails becomes a skipped plan with
/// the reason.
std::string runPlanners(const Project& snapshot, const SolveOptions& options, std::stop_token stop,
                        const SolveReport& report) noexcept;

/// Figures and timeline for a plan on its problem; the timeline is empty where the plan cannot run.
std::shared_ptr<const SolvedPlan> solved(std::shared_ptr<const Problem> problem, Plan plan);

}  // namespace nnpiper
