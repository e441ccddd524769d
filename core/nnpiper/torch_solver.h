// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/planners/order_network.h"

#include <memory>

namespace nnpiper {

/// What the module's factory hands out. Includes nothing of LibTorch.
std::unique_ptr<TorchModule> make_torch_module();

/// "cpu" or "cuda" for "auto", "cpu", "cuda"; throws Error when it is none of them or CUDA is asked for and absent.
std::string resolve_device(const std::string& wanted);

/// How the decode loop runs: in plain C++ on the host, or with tensor operations where the network is.
enum class DecodeWith { automatic, host, tensors };

/// The network of a weights file on a device. `automatic` takes the host for "cpu".
std::unique_ptr<OrderNetwork> open_order_network(const std::filesystem::path& weights, const std::string& device,
                                                 DecodeWith decode = DecodeWith::automatic);

}  // namespace nnpiper
