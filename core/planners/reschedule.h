// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/control.h"
#include "core/plan/plan.h"
#include "core/problem/problem.h"

namespace nnpiper {

/// Whether planners search under this schedule themselves: 1F1B and GPipe, whose closed forms guide the search.
bool is_searched(ScheduleKind kind);

/// A plan that was made under 1F1B, moved under another schedule: the devices keep their order; each one's layers are cut
/// into the schedule's chunks; then boundaries shift by a layer or two as long as the simulator likes that better. Eager
/// 1F1B takes the least launch counts that hide the links' delay where they help. Throws Error when the schedule cannot
/// have so many stages, micro-batches or chunks.
Plan rescheduled(const Problem& problem, const Plan& plan, ScheduleKind kind, const Control& control);

/// The plan, or what becomes of it under whichever schedule suits it best by the problem's objective: all that train with
/// one version of the weights. The figures are predicted by the fast engine.
Plan under_best_schedule(const Problem& problem, const Plan& plan, const Control& control);

}  // namespace nnpiper
