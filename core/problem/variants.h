// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/problem/cost_model.h"

#include <vector>

namespace nnpiper {

/// Degrees of tensor parallelism that the job allows: its own, or powers of two up to the largest node. A degree divides
/// the heads and the key and value heads (with expert parallelism the experts) of every tower. Throws Error at
/// /job/tensor_parallel.
std::vector<int> tensor_degrees(const Project& project);

/// Fills `problem` with one variant per allowed degree, micro-batch size (powers of two that divide the global batch, or
/// the job's own) and recompute policy, chooses the default one and says what the times rest on. The problem's devices
/// and layers are there already.
void add_variants(Problem& problem, const std::vector<Layer>& layers, const Project& project);

}  // namespace nnpiper
