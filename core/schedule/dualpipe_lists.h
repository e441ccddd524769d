// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan/op.h"

namespace nnpiper {

/// One of the two stages of a device in DualPipe: stage number and its first micro-batch.
struct DualPipeSide {
    int stage = 0;
    int first_micro_batch = 0;
};

/// The eight steps of DualPipe (DeepSeek-AI 2024, figure 5 and published code) on one device.
/// `near` is the stage that this device reaches first; `depth` 0 is the outermost device, `half` the number of depths;
/// `innermost` devices do not overlap their first pair. Each side runs `micro_batches`, at least 2 `half`.
std::vector<Op> dualpipe_list(DualPipeSide near, DualPipeSide far, int depth, int half, int micro_batches,
                              bool innermost);

}  // namespace nnpiper
