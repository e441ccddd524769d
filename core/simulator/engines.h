// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan/op.h"
#include "core/problem/pipeline.h"
#include "core/simulator/timeline.h"

namespace nnpiper {

/// Runs a sound order with pipeline.flows: boundaries whose routes meet share the links max-min fairly.
Timeline run_with_flows(const Pipeline& pipeline, const OpOrder& order);

}  // namespace nnpiper
