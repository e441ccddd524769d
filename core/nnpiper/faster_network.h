// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/planners/order_network.h"

#include <memory>

namespace nnpiper {

/// Asks whichever of two networks has been faster on questions of that size (devices, doubling by doubling). Either is
/// asked twice before; its first call, which may load and compile, is not counted. device() names the one asked last.
std::unique_ptr<OrderNetwork> faster_network(std::unique_ptr<OrderNetwork> one, std::unique_ptr<OrderNetwork> other);

}  // namespace nnpiper
