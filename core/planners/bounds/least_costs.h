// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/planners/bounds/pipeline_dual.h"
#include "core/problem/problem.h"

#include <vector>

namespace nnpiper {

/// Size of micro-batch that all stages of a plan share; each has its own recompute policy and tensor-parallel degree.
struct PlanSize {
    int samples = 1;
    int micro_batches = 1;
};

/// Those that the problem leaves open.
std::vector<PlanSize> open_sizes(const Problem& problem);

/// Whether every stage of a valid plan is one device: no replicas and no tensor parallelism are possible.
bool only_single_devices(const Problem& problem);

/// Least costs of every layer over recompute policies, tensor-parallel degrees and shares; equal neighbours make one row. Where a layer cannot
/// fit on a device, its time is infinite; where even the largest devices cannot hold the model, the transfers are.
LeastCosts least_costs(const Problem& problem, const PlanSize& size, ScheduleKind schedule);

/// Fills the transfers of chains over `devices` (of the problem's), each boundary at the cut where it is least.
void add_transfers(LeastCosts& costs, const Problem& problem, const Variant& variant, const std::vector<int>& devices);

/// Least and largest part of a stage's time that is its forward pass, over all stages.
struct ForwardPart {
    double least = 0;
    double most = 1;
};
ForwardPart forward_part(const Problem& problem);

/// What `schedule` makes sure of with S stages.
ScheduleRules schedule_rules(const ForwardPart& forward, ScheduleKind schedule, int stages, int micro_batches);

}  // namespace nnpiper
