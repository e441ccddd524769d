// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/problem/problem.h"
#include "core/project/project.h"

#include <string>
#include <vector>

namespace nnpiper {

/// Prices every layer on every device and every route: time = FLOPs / (peak x achieved fraction) with a roofline for
/// memory-bound layers; a profile's measured times win. One variant per allowed tensor-parallel degree, micro-batch size
/// (powers of two that divide the global batch, or the job's own) and recompute policy. Throws Error when the project cannot be trained (no device, no known speed for the
/// precision, a batch that the micro-batch does not divide).
Problem compile(const Project& project);

/// The variant whose number of micro-batches (and recompute) is asked for. On a raw problem any number is possible and
/// changes the batch. Returns a problem whose default variant it is; throws Error naming the possible numbers.
Problem with_micro_batches(Problem problem, int micro_batches);

/// What a reader should know of how the costs were made, one sentence each ("no fp8 rate for V100: fp16 taken").
std::vector<std::string> compile_notes(const Project& project);

}  // namespace nnpiper
