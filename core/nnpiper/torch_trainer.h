// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/planners/order_network.h"

namespace nnpiper {

/// Trains the network on virtual problems and writes `request.out`; the state to go on from lies beside it
/// (`*.state.safetensors`).
///
/// Phase 1 imitates the orders and layer shares of plans that a local search has improved. Phase 2, VCTA, draws 32
/// orders of each problem (the greedy one among them), splits each by the throttle-aware DP, takes the simulated
/// makespan J as judgement and contrasts the best order y* with six worse ones evenly spaced by rank:
///   L = -0.5 f(y*) + mean_j softplus(-4 (J_j / J*) [f(y*) - f(y_j)]),  f = mean log-probability of a decision.
/// The paper's abstract names the idea only; this loss is our reconstruction.
///
/// Checkpoints are written atomically every two minutes and at the end. With a number of steps and one machine the same
/// seed gives the same weights. `device` is resolved ("cpu" or "cuda").
void train_network(const TrainRequest& request, const std::string& device, const Control& control);

}  // namespace nnpiper
