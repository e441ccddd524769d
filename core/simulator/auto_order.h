// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan/op.h"
#include "core/problem/pipeline.h"

#include <vector>

namespace nnpiper {

/// The shortest split-backward order found for a pipeline of one chunk a device: a few dozen greedy schedules with
/// different warm-up and patience (after the heuristic of Qi et al., ICLR 2024) and every static order that keeps the
/// limit (1F1B with the weight gradient behind, ZB-H1, ZB-H2). `held` is the number of activations that each device may
/// keep at once, at least 1. Deterministic.
OpOrder zero_bubble_order(const Pipeline& pipeline, const std::vector<int>& held);

}  // namespace nnpiper
