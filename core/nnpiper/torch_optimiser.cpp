// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nnpiper/torch_optimiser.h"

#include "core/base/error.h"

#include <cmath>

namespace nnpiper {

namespace {

constexpr double average_decay = 0.998;

Tensor to_tensor(const torch::Tensor& values)
{
    const auto host = values.detach().to(torch::kCPU).contiguous();
    return {host.sizes().vec(), std::vector<float>(host.data_ptr<float>(), host.data_ptr<float>() + host.numel())};
}

}  // namespace

Optimiser::Optimiser(const TorchNetwork& network)
    : flat_(network.flat())
    , first_(torch::zeros_like(flat_))
    , second_(torch::zeros_like(flat_))
    , mean_(flat_.clone())
{
}

void Optimiser::step(const std::vector<torch::Tensor>& gradients, double rate, std::int64_t step_number)
{
    torch::NoGradGuard no_grad;
    std::vector<torch::Tensor> pieces;
    for (const auto& gradient : gradients)
        pieces.push_back(gradient.reshape({-1}));
    auto gradient = torch::cat(pieces);
    const double norm = gradient.norm().item<double>();
    if (!std::isfinite(norm))
        return;  // one bad batch must not end the run
    if (norm > 1)
        gradient = gradient / norm;
    first_.mul_(0.9).add_(gradient, 0.1);
    second_.mul_(0.999).addcmul_(gradient, gradient, 0.001);
    const double n = static_cast<double>(step_number + 1);
    const auto denominator = (second_ / (1 - std::pow(0.999, n))).sqrt_().add_(1e-8);
    flat_.addcdiv_(first_, denominator, -rate / (1 - std::pow(0.9, n)));
    mean_.mul_(average_decay).add_(flat_, 1 - average_decay);
}

std::map<std::string, Tensor> Optimiser::state() const
{
    return {{"weights", to_tensor(flat_)}, {"first", to_tensor(first_)}, {"second", to_tensor(second_)}, {"mean", to_tensor(mean_)}};
}

void Optimiser::restore(const TensorFile& file, const std::string& place)
{
    torch::NoGradGuard no_grad;
    for (const auto& [name, target] : {std::pair{"weights", &flat_}, {"first", &first_}, {"second", &second_}, {"mean", &mean_}}) {
        const auto found = file.tensors.find(name);
        if (found == file.tensors.end() || static_cast<std::int64_t>(found->second.values.size()) != target->numel())
            throw Error(place + ": /" + name, "missing or of another network");
        auto values = found->second.values;
        target->copy_(torch::from_blob(values.data(), {target->numel()}, torch::kFloat32));
    }
}

}  // namespace nnpiper
