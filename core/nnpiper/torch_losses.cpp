// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nnpiper/torch_losses.h"

namespace nnpiper {

namespace {

constexpr double sharpness = 4;
constexpr double anchor_weight = 0.5;

torch::Tensor contrast(const torch::Tensor& score, const torch::Tensor& ratio)
{
    const auto others = score.size(1) - 1;
    const auto worse = ratio.narrow(1, 1, others);
    const auto counts = (worse > 1).to(score.scalar_type());
    const auto apart = score.narrow(1, 0, 1) - score.narrow(1, 1, others);
    const auto terms = torch::softplus(-sharpness * worse * apart) * counts;
    const auto any = (counts.sum(1) > 0).to(score.scalar_type());
    return (terms.mean(1) - anchor_weight * score.select(1, 0) * any).mean();
}

torch::Tensor preference(const torch::Tensor& score, const torch::Tensor& ratio)
{
    const auto better = (ratio.unsqueeze(2) < ratio.unsqueeze(1)).to(score.scalar_type());  // [B][N][N], i better than j
    const auto apart = score.unsqueeze(2) - score.unsqueeze(1);
    return (torch::softplus(-sharpness * apart) * better).sum() / better.sum().clamp_min(1);
}

torch::Tensor reinforce(const torch::Tensor& score, const torch::Tensor& ratio)
{
    const auto mean = ratio.mean(1, true);
    const auto spread = (ratio - mean).square().mean(1, true).sqrt() + 1e-3;
    return -((mean - ratio) / spread * score).mean();
}

}  // namespace

torch::Tensor order_loss(TrainRequest::Loss loss, const torch::Tensor& score, const torch::Tensor& ratio)
{
    if (score.size(1) == 1 || loss == TrainRequest::Loss::imitation)
        return -score.select(1, 0).mean();
    switch (loss) {
    case TrainRequest::Loss::preference: return preference(score, ratio);
    case TrainRequest::Loss::reinforce: return reinforce(score, ratio);
    default: return contrast(score, ratio);
    }
}

torch::Tensor load_loss(const torch::Tensor& log_load, const torch::Tensor& bounds)
{
    const auto outside = torch::relu(bounds.select(1, 0) - log_load) + torch::relu(log_load - bounds.select(1, 1));
    return torch::smooth_l1_loss(outside, torch::zeros_like(outside));
}

}  // namespace nnpiper
