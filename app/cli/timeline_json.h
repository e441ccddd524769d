// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/simulator/timeline.h"

#include <nlohmann/json.hpp>

namespace nnpiper::cli {

/// Idle time by cause: {"warm_up_s", "drain_s", "dependency_s", "link_s", "imbalance_s"}.
nlohmann::ordered_json bubble_json(const Bubble& bubble);

}  // namespace nnpiper::cli
