// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/control.h"

#include <string>
#include <vector>

namespace nnpiper {

/// Forward and backward ops of one stage and micro-batch that an engine gets through in a second.
struct EngineSpeed {
    int stages = 0;
    int micro_batches = 0;
    std::string schedule;
    std::string engine;  ///< "fast", "detailed"
    double ops_per_s = 0;
    double ratio = 1;  ///< to the fast engine under 1F1B of the same shape
};

/// Both engines on invented pipelines of three shapes under 1F1B and zero-bubble order, some tenths of a second each.
std::vector<EngineSpeed> bench_engines(const Control& control);

}  // namespace nnpiper
