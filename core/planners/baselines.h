// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/planners/planner.h"

namespace nnpiper {

// The classic planners; each file's header comment names paper, recurrence, complexity and assumptions.
Plan plan_uniform(const Problem& problem, const PlanRequest& request, const Control& control);
Plan plan_greedy_speed(const Problem& problem, const PlanRequest& request, const Control& control);
Plan plan_pipedream(const Problem& problem, const PlanRequest& request, const Control& control);
Plan plan_alpa(const Problem& problem, const PlanRequest& request, const Control& control);
Plan plan_dapple(const Problem& problem, const PlanRequest& request, const Control& control);
Plan plan_piper(const Problem& problem, const PlanRequest& request, const Control& control);
Plan plan_local_search(const Problem& problem, const PlanRequest& request, const Control& control);
Plan plan_annealing(const Problem& problem, const PlanRequest& request, const Control& control);
Plan plan_subset_dp(const Problem& problem, const PlanRequest& request, const Control& control);
Plan plan_pipeedge(const Problem& problem, const PlanRequest& request, const Control& control);
Plan plan_memory_proportional(const Problem& problem, const PlanRequest& request, const Control& control);
Plan plan_fewer_devices(const Problem& problem, const PlanRequest& request, const Control& control);
Plan plan_data_parallel(const Problem& problem, const PlanRequest& request, const Control& control);
Plan plan_spp(const Problem& problem, const PlanRequest& request, const Control& control);
Plan plan_metis(const Problem& problem, const PlanRequest& request, const Control& control);
Plan plan_amp(const Problem& problem, const PlanRequest& request, const Control& control);
Plan plan_exact(const Problem& problem, const PlanRequest& request, const Control& control);

}  // namespace nnpiper
