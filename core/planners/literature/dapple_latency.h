// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

namespace nnpiper {

/// A stage of a synchronous pipeline, or the messages between two stages as one of its own.
struct DappleStage {
    double forward_s = 0;
    double backward_s = 0;
    double all_reduce_s = 0;  ///< once an iteration
};

/// DAPPLE's length of an iteration: warm-up to the pivot stage, steady state on it, ending with the gradients'
/// exchange.
double dapple_latency_s(const std::vector<DappleStage>& stages, int micro_batches);

}  // namespace nnpiper
