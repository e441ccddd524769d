// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/planners/nn_piper.h"

#include <string>
#include <vector>

namespace nnpiper::cli {

/// {"decisions": [{"stage", "device", "candidates": [{"device", "probability"}, ...]}, ...]}, most probable first,
/// without devices that could not come next.
std::string decisions_json(const Problem& problem, const std::vector<OrderDecision>& decisions);

}  // namespace nnpiper::cli
