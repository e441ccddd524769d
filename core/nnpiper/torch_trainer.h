// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/planners/order_network.h"

namespace nnpiper {

/// Trains the network on virtual problems and writes `request.out`; the state to go on from lies beside it
/// (`*.state.safetensors`).
///
/// Phase 1 imitates the orders and layer shares of plans that a local search has improved. Phase 2, VCTA, draws
/// `request.samples` orders of each problem (the greedy one among them), judges each by the throttle-aware split and the
/// simulated makespan J, improves the best one by a short search to y*, and contrasts it with six worse ones evenly spaced
/// by rank (order_loss). The paper's abstract names the idea only; this is our reconstruction.
///
/// Checkpoints are written atomically every two minutes and at the end. With a number of steps and one machine the same
/// seed gives the same weights, in one piece or resumed. `device` is resolved ("cpu" or "cuda").
void train_network(const TrainRequest& request, const std::string& device, const Control& control);

}  // namespace nnpiper
