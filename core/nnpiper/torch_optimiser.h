// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/nnpiper/safetensors.h"
#include "core/nnpiper/torch_network.h"

#include <map>
#include <string>
#include <vector>

namespace nnpiper {

/// Adam (Kingma and Ba 2015) over a network's one flat tensor, gradients clipped to norm 1, with a running mean of the
/// weights, which is what gets written: it judges better than the last step's.
class Optimiser {
public:
    explicit Optimiser(const TorchNetwork& network);

    /// `gradients` in the order of the network's parameters; a batch with a gradient that is not finite is passed over.
    void step(const std::vector<torch::Tensor>& gradients, double rate, std::int64_t step_number);

    /// Everything needed to go on: "weights", "first", "second", "mean".
    std::map<std::string, Tensor> state() const;
    /// Throws Error when one is missing or of another size.
    void restore(const TensorFile& file, const std::string& place);

    torch::Tensor mean() const { return mean_; }

private:
    torch::Tensor flat_;
    torch::Tensor first_;
    torch::Tensor second_;
    torch::Tensor mean_;
};

}  // namespace nnpiper
