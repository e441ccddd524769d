// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/nnpiper/features.h"
#include "core/nnpiper/measures.h"

namespace nnpiper {

class ChainCosts;

/// Fills what Features knows of devices among each other and of the places that locks and memory leave them: `near`,
/// `side`, `alike`, `place`, `owner` and the memory table. `out.device_index` must be there.
void relate_devices(const Measures& measures, const ChainCosts& costs, Features& out);

}  // namespace nnpiper
