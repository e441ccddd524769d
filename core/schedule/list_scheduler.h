// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan/op.h"
#include "core/plan/stage_map.h"

#include <vector>

namespace nnpiper {

/// Times by which list_schedule() decides; stage and boundary as in StageMap.
struct ListCosts {
    std::vector<double> forward_s;          ///< [stage]
    std::vector<double> backward_input_s;   ///< [stage]; the whole backward where it is not split
    std::vector<double> backward_weight_s;  ///< [stage]; empty: not split
    std::vector<double> forward_delay_s;    ///< [boundary] from end to arrival
    std::vector<double> backward_delay_s;   ///< [boundary]
};

/// How a free device chooses among the ops that are ready.
struct ListPolicy {
    std::vector<int> held;         ///< [device] most activations at once, every chunk one
    std::vector<int> warm_up;      ///< [device] most forwards before the first backward
    std::vector<double> patience;  ///< [device] a weight gradient waits when an op is known to come within this part of it
    bool forward_first = false;    ///< a ready forward goes before a ready backward when memory allows
};

/// Greedy list scheduling in time order: the oldest gradient first, else the forward of the deepest stage; weight
/// gradients fill gaps and free memory. One chain. Ends with every op placed, or returns an empty order when the limits
/// leave a device no room to go on.
OpOrder list_schedule(const StageMap& map, int micro_batches, const ListCosts& costs, const ListPolicy& policy);

}  // namespace nnpiper
