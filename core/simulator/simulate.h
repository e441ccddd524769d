// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan/op.h"
#include "core/plan/plan.h"
#include "core/problem/pipeline.h"
#include "core/problem/problem.h"
#include "core/simulator/timeline.h"

namespace nnpiper {

/// The detailed engine: runs an order over a pipeline. Every boundary and direction sends one message at a time: a
/// transfer starts at max(producer's end, channel free), occupies the channel and arrives its latency later.
/// Throws Error when the order deadlocks.
Timeline run(const Pipeline& pipeline, const OpOrder& order);

/// A plan on its problem, with memory. Throws Error when the plan is not valid (see `validate`).
Timeline simulate(const Problem& problem, const Plan& plan);

/// Fills the predicted figures of a plan (makespan, iteration, throughput, bubble, feasible, status, reason) by the fast
/// engine. An invalid plan becomes infeasible with the first fault as reason.
void predict(const Problem& problem, Plan& plan);

}  // namespace nnpiper
