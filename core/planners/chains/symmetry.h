// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/planners/chains/chain.h"

#include <vector>

namespace nnpiper {

/// Class of each usable device (in the order of `costs.usable()`): two devices of one class have the same times, memory,
/// price and links to every other device and no lock names them, so that exchanging them changes no plan's figures.
std::vector<int> device_classes(const ChainCosts& costs);

}  // namespace nnpiper
