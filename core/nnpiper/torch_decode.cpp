// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nnpiper/torch_network.h"

namespace nnpiper {

namespace {

/// Sends values that the host wrote; the tensor owns a copy.
template <class Value>
torch::Tensor upload(const std::vector<Value>& values, torch::IntArrayRef shape, torch::ScalarType type, const torch::Device& device)
{
    return torch::from_blob(const_cast<Value*>(values.data()), shape, type).clone().to(device);
}

}  // namespace

std::vector<DecodedOrder> TorchNetwork::decode(const Features& features, const Encoded& encoded, int samples,
                                               std::span<const float> uniforms, bool explain) const
{
    torch::NoGradGuard no_grad;
    const std::int64_t stages = features.stages, devices = features.devices, count = samples;
    const std::int64_t width = shape_.width, edge = shape_.edge_out;
    constexpr std::int64_t progress_size = FeatureSizes::progress, option_size = FeatureSizes::option;
    const auto each = static_cast<std::size_t>(devices);
    const auto batch = stack({&features}, device_, true);
    const auto context = encoded.context[0] + torch::matmul(batch.position[0], parameter("decoder.step.weight")
                                                                                   .narrow(1, 0, FeatureSizes::position).t());
    const auto progress_weight = parameter("decoder.step.weight").narrow(1, FeatureSizes::position, progress_size).t();
    const auto start = parameter("decoder.start").unsqueeze(0).expand({count, width});

    std::vector<OrderState> states(static_cast<std::size_t>(samples), OrderState(features));
    std::vector<float> progress(states.size() * progress_size), options(states.size() * option_size * each);
    std::vector<std::uint8_t> allowed(states.size() * each);
    std::vector<DecodedOrder> result(states.size());
    std::vector<std::int64_t> chosen(states.size());
    auto used = torch::zeros({count, width}, flat_.options());
    torch::Tensor last;
    std::vector<torch::Tensor> chosen_steps, progress_steps, option_steps, allowed_steps;
    for (std::int64_t s = 0; s < stages; ++s) {
        for (std::size_t k = 0; k < states.size(); ++k) {
            states[k].progress(std::span(progress).subspan(k * progress_size, progress_size));
            states[k].options(std::span(options).subspan(k * option_size * each, option_size * each));
            states[k].allowed(std::span(allowed).subspan(k * each, each));
        }
        progress_steps.push_back(upload(progress, {count, progress_size}, torch::kFloat32, device_));
        option_steps.push_back(upload(options, {count, option_size, devices}, torch::kFloat32, device_));
        allowed_steps.push_back(upload(allowed, {count, devices}, torch::kUInt8, device_) > 0);
        const auto from = s == 0 ? start : encoded.last[0].index_select(0, last);
        const auto hidden =
            torch::relu(from + used / static_cast<double>(stages) + context[s] + torch::matmul(progress_steps.back(), progress_weight));
        const auto edges = s == 0 ? torch::zeros({count, devices, edge}, flat_.options())
                                  : encoded.edge[0].index_select(0, last);
        const auto candidates = torch::cat({batch.candidate[0][s].unsqueeze(0).expand({count, devices, FeatureSizes::candidate}),
                                            option_steps.back().transpose(1, 2)}, 2);
        const auto scores = logits(hidden.unsqueeze(0), linear(hidden, "decoder.query").unsqueeze(0), encoded, edges.unsqueeze(0),
                                   candidates.unsqueeze(0))[0].masked_fill(allowed_steps.back().logical_not(), -1e9);
        const auto probability = torch::softmax(scores, 1).to(torch::kCPU).contiguous();
        for (std::size_t k = 0; k < states.size(); ++k) {
            const std::span row(probability.data_ptr<float>() + k * each, each);
            const bool greedy = k == 0 || uniforms.empty();
            const int drawn = draw_device(row, features.alike, greedy ? nullptr : &uniforms[k * static_cast<std::size_t>(stages) + static_cast<std::size_t>(s)]);
            const int device = states[k].first_alike(drawn);
            if (explain)
                result[k].probability.insert(result[k].probability.end(), row.begin(), row.end());
            result[k].devices.push_back(device);
            states[k].take(device);
            chosen[k] = device;
        }
        last = upload(chosen, {count}, torch::kInt64, device_);
        chosen_steps.push_back(last);
        used = used + encoded.used[0].index_select(0, last);
    }
    const OrderBatch orders{torch::stack(chosen_steps, 1).unsqueeze(0), torch::stack(progress_steps, 1).unsqueeze(0),
                            torch::stack(option_steps, 1).unsqueeze(0), torch::stack(allowed_steps, 1).unsqueeze(0)};
    const auto scores = score(batch, encoded, orders);
    const auto means = scores.log_probability[0].mean(1).to(torch::kCPU).contiguous();
    const auto loads = scores.log_load[0].to(torch::kCPU).contiguous();
    for (std::size_t k = 0; k < states.size(); ++k) {
        const auto* load = loads.data_ptr<float>() + k * static_cast<std::size_t>(stages);
        result[k].log_load.assign(load, load + stages);
        result[k].log_probability = static_cast<double>(means.data_ptr<float>()[k]);
    }
    return result;
}

}  // namespace nnpiper
