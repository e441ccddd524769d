// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nnpiper/torch_network.h"

#include <cmath>

namespace nnpiper {

namespace {

torch::Tensor floats(const std::vector<float>& values, torch::IntArrayRef shape, const torch::Device& device)
{
    return torch::from_blob(const_cast<float*>(values.data()), shape, torch::kFloat32).clone().to(device);
}

/// OrderState's rules for all samples at once.
class OrderStates {
public:
    OrderStates(const Features& features, std::int64_t samples, const torch::Device& device)
        : stages_(features.stages)
        , devices_(features.devices)
        , capacity_at_(floats(features.capacity, {features.stages, features.devices}, device))
        , best_capacity_(floats(features.best_capacity, {features.devices}, device))
        , speed_share_(floats(features.speed_share, {features.devices}, device))
        , used_(torch::zeros({samples, features.devices}, torch::TensorOptions().dtype(torch::kBool).device(device)))
        , capacity_(torch::zeros({samples}, capacity_at_.options()))
        , speed_(torch::zeros({samples}, capacity_at_.options()))
    {
        std::vector<float> route(features.route.begin(), features.route.end());
        route_ = floats(route, {features.devices, features.devices}, device) > 0.5;
    }

    torch::Tensor allowed(std::int64_t position, const torch::Tensor& last) const
    {
        const auto rest = stages_ - position - 1;
        const auto free = used_.logical_not();
        const auto remaining = best_capacity_.unsqueeze(0).masked_fill(used_, 0.0);
        // Largest sum of `rest` remaining devices without the candidate itself.
        auto others = torch::zeros_like(remaining);
        if (rest > 0) {
            const auto top = std::get<0>(remaining.topk(std::min<std::int64_t>(rest + 1, devices_), 1));
            const auto all = top.sum(1, true);
            const auto without_one_more = top.narrow(1, 0, rest).sum(1, true);
            others = torch::where(remaining >= top.narrow(1, rest - 1, 1), all - remaining, without_one_more);
        }
        const auto fits = capacity_.unsqueeze(1) + capacity_at_[position].unsqueeze(0) + others >= 0.97F;
        const auto route = position == 0 ? free : free.logical_and(route_.index_select(0, last));
        const auto both = route.logical_and(fits);
        return torch::where(both.any(1, true), both, torch::where(route.any(1, true), route, free));
    }

    torch::Tensor progress(std::int64_t position) const
    {
        const auto left = static_cast<double>(stages_ - position);
        return torch::stack({capacity_.clamp_max(2.0), speed_.clamp_max(2.0),
                             ((1 - speed_) / left * static_cast<double>(stages_)).clamp(-2.0, 2.0)}, 1);
    }

    void take(std::int64_t position, const torch::Tensor& chosen)
    {
        capacity_ = capacity_ + capacity_at_[position].index_select(0, chosen);
        speed_ = speed_ + speed_share_.index_select(0, chosen);
        used_ = used_.scatter(1, chosen.unsqueeze(1), true);
    }

private:
    std::int64_t stages_;
    std::int64_t devices_;
    torch::Tensor capacity_at_;
    torch::Tensor best_capacity_;
    torch::Tensor speed_share_;
    torch::Tensor used_;
    torch::Tensor capacity_;
    torch::Tensor speed_;
    torch::Tensor route_;
};

}  // namespace

std::vector<DecodedOrder> TorchNetwork::decode(const Features& features, const Encoded& encoded, int samples,
                                               std::span<const float> uniforms) const
{
    torch::NoGradGuard no_grad;
    const std::int64_t stages = features.stages;
    const std::int64_t devices = features.devices;
    const std::int64_t width = shape_.width;
    const std::int64_t edge = shape_.edge_out;
    const auto batch = stack({&features}, device_, true);
    const auto draws = uniforms.empty() ? torch::zeros({samples, stages}, flat_.options())
                                        : floats({uniforms.begin(), uniforms.end()}, {samples, stages}, device_);
    const auto context = encoded.context[0] + torch::matmul(batch.position[0], parameter("decoder.step.weight")
                                                                                   .narrow(1, 0, FeatureSizes::position).t());
    const auto progress_weight = parameter("decoder.step.weight").narrow(1, FeatureSizes::position, FeatureSizes::progress).t();
    OrderStates state(features, samples, device_);
    auto used = torch::zeros({samples, width}, flat_.options());
    auto last = torch::zeros({samples}, torch::TensorOptions().dtype(torch::kInt64).device(device_));
    const auto greedy = torch::arange(samples, last.options()) == 0;
    std::vector<torch::Tensor> chosen_steps;
    std::vector<torch::Tensor> progress_steps;
    std::vector<torch::Tensor> allowed_steps;
    for (std::int64_t s = 0; s < stages; ++s) {
        const auto from = s == 0 ? parameter("decoder.start").unsqueeze(0).expand({samples, width})
                                 : encoded.last[0].index_select(0, last);
        const auto progress = state.progress(s);
        const auto allowed = state.allowed(s, last);
        const auto hidden = torch::relu(from + used / static_cast<double>(stages) + context[s] + torch::matmul(progress, progress_weight));
        const auto query = linear(hidden, "decoder.query");
        auto logits = torch::matmul(query.narrow(1, 0, width) + hidden, encoded.key[0].t()) / std::sqrt(static_cast<double>(width));
        if (s > 0)
            logits = logits + (encoded.edge[0].index_select(0, last) * query.narrow(1, width, edge).unsqueeze(1)).sum(-1);
        logits = logits + torch::matmul(query.narrow(1, width + edge, FeatureSizes::candidate), batch.candidate[0][s].t());
        logits = logits.masked_fill(allowed.logical_not(), -1e9);
        const auto sums = torch::softmax(logits, 1).cumsum(1);
        const auto target = draws.narrow(1, s, 1) * sums.narrow(1, devices - 1, 1);
        const auto drawn = (sums > target).logical_and(allowed).to(torch::kInt64).argmax(1);
        const auto chosen = torch::where(greedy, logits.argmax(1), uniforms.empty() ? logits.argmax(1) : drawn);
        progress_steps.push_back(progress);
        allowed_steps.push_back(allowed);
        chosen_steps.push_back(chosen);
        used = used + encoded.used[0].index_select(0, chosen);
        state.take(s, chosen);
        last = chosen;
    }
    OrderBatch orders{torch::stack(chosen_steps, 1).unsqueeze(0), torch::stack(progress_steps, 1).unsqueeze(0),
                      torch::stack(allowed_steps, 1).unsqueeze(0)};
    const auto scores = score(batch, encoded, orders);
    const auto means = scores.log_probability[0].mean(1).to(torch::kCPU).contiguous();
    const auto shares = scores.log_share[0].exp().to(torch::kCPU).contiguous();
    const auto devices_host = orders.devices[0].to(torch::kCPU).contiguous();
    std::vector<DecodedOrder> result(static_cast<std::size_t>(samples));
    for (std::int64_t k = 0; k < samples; ++k) {
        auto& order = result[static_cast<std::size_t>(k)];
        const auto* ids = devices_host.data_ptr<std::int64_t>() + k * stages;
        const auto* share = shares.data_ptr<float>() + k * stages;
        order.devices.assign(ids, ids + stages);
        order.work_share.assign(share, share + stages);
        order.log_probability = static_cast<double>(means.data_ptr<float>()[k]);
    }
    return result;
}

}  // namespace nnpiper
