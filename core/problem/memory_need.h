// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/problem/problem.h"

namespace nnpiper {

/// What the whole model with one micro-batch in flight needs of a device that holds all of it (of each device of its
/// tensor-parallel group); bytes.
struct MemoryNeed {
    int micro_batch_samples = 1;
    int tensor_parallel = 1;
    Recompute recompute = Recompute::none;
    double weight_bytes = 0;
    double gradient_bytes = 0;
    double optimizer_bytes = 0;   ///< moments and, in mixed precision, the master copy
    double activation_bytes = 0;  ///< kept from forward to backward by one micro-batch
    double transient_bytes = 0;   ///< of the layer that needs most while it works

    double total_bytes() const
    {
        return weight_bytes + gradient_bytes + optimizer_bytes + activation_bytes + transient_bytes;
    }
    bool operator==(const MemoryNeed&) const = default;
};

/// Of the default variant of a compiled problem, the one that a planner without a choice takes.
MemoryNeed memory_need(const Problem& problem);

}  // namespace nnpiper
