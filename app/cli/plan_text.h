// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan/plan.h"
#include "core/problem/problem.h"
#include "core/simulator/timeline.h"
#include "core/study/limits.h"
#include "core/study/range_statistics.h"

#include <optional>
#include <string>
#include <vector>

namespace nnpiper::cli {

/// Share of the fullest device's capacity that a valid plan needs; empty for a plan without stages or not valid.
std::optional<double> peak_memory_share(const Problem& problem, const Plan& plan);

/// What one iteration of a plan costs divided by its samples, by the objective: lower is better. Seconds a sample for
/// throughput, seconds an iteration for latency, dollars a sample for cost (infinite while a price is unknown).
double score(const Problem& problem, const Plan& plan, Objective objective);

/// Index of the best feasible plan, or -1.
int best_plan(const Problem& problem, const std::vector<Plan>& plans, Objective objective);

/// A row a plan, and below it why a plan is infeasible or skipped.
std::string comparison_text(const Problem& problem, const std::vector<Plan>& plans, Objective objective);
std::string comparison_csv(const Problem& problem, const std::vector<Plan>& plans);

/// Why a plan is infeasible or skipped, behind its planner's name.
std::string reason_text(const Plan& plan);

/// "nn-piper: 1f1b, 8 stages, 16 micro-batches of 2 samples, ..." with the predicted figures, one line.
std::string summary_text(const Problem& problem, const Plan& plan);

/// A row a stage: devices, layers, times, memory.
std::string stages_text(const Problem& problem, const Plan& plan, const Timeline& timeline);

/// What limits the plan and what its prediction rests on, a line each.
std::string limits_text(const PlanLimits& limits);

/// A row a device group: how much of a range of time it works, and why not. Then the messages.
std::string range_text(const Timeline& timeline, const RangeStatistics& range);

}  // namespace nnpiper::cli
