// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/planners/order_network.h"

#include <torch/torch.h>

namespace nnpiper {

/// What to descend, over judged orders. `score` [B][N]: mean log probability per decision of each order; `ratio` [B][N]:
/// its makespan over the best one's, which comes first; orders with ratio 1 behind the first are ties and count nothing.
/// Scalar.
///   contrast    -0.5 f(y*) + mean over the worse of softplus(-4 (J_j / J*) (f(y*) - f(y_j)))      (ours)
///   preference  mean over all pairs with J_i < J_j of softplus(-4 (f(y_i) - f(y_j)))
///   reinforce   -mean of (mean J - J_j) / spread f(y_j)                               (Williams 1992, batch baseline)
///   imitation   -f(y*)
torch::Tensor order_loss(TrainRequest::Loss loss, const torch::Tensor& score, const torch::Tensor& ratio);

/// How far loads [B][S] lie outside their bounds [B][2][S]: quadratic within 1, then linear.
torch::Tensor load_loss(const torch::Tensor& log_load, const torch::Tensor& bounds);

}  // namespace nnpiper
