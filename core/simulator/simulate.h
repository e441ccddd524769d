// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan/op.h"
#include "core/plan/plan.h"
#include "core/problem/pipeline.h"
#include "core/problem/problem.h"
#include "core/simulator/timeline.h"

namespace nnpiper {

/// The detailed engine: runs an order over a pipeline. Every boundary and direction sends one message at a time: a
/// transfer starts at max(producer's end, channel free), occupies the channel and arrives its latency later; it runs
/// beside the computation unless pipeline.blocking. With pipeline.flows, boundaries share links max-min fairly.
/// Throws Error when the order deadlocks or is not complete.
Timeline run(const Pipeline& pipeline, const OpOrder& order);

/// Bytes of every boundary of a valid plan and the links that they take. Without routes in the problem, bytes alone.
BoundaryFlows flows_of(const Problem& problem, const Plan& plan, const Pipeline& pipeline);

/// A valid plan's pipeline with its flows over shared links, where the problem knows them and any link is shared.
Pipeline lay_out_with_flows(const Problem& problem, const Plan& plan);

/// The op lists of a valid plan. Throws Error when its schedule cannot have that shape.
OpOrder order_of(const Problem& problem, const Plan& plan, const Pipeline& pipeline);

/// A plan on its problem, with memory. Throws Error when the plan is not valid (see `validate`).
Timeline simulate(const Problem& problem, const Plan& plan);

/// Fills the predicted figures of a plan (makespan, iteration, throughput, bubble, feasible, status, reason): by the
/// detailed engine where links are shared, else by the fast one, which then agrees with it. An invalid plan becomes
/// infeasible with the first fault as reason.
void predict(const Problem& problem, Plan& plan);
/// By the fast engine in any case.
void predict_fast(const Problem& problem, Plan& plan);

/// Time that one more round takes in the long run when rounds follow each other without a flush: a batch of
/// PipeDream-2BW, a token of decode. `one_round` has one round's micro-batches.
double steady_period_s(const Pipeline& one_round, ScheduleKind kind);

}  // namespace nnpiper
