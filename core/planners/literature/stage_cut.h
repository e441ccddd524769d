// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/control.h"

#include <functional>
#include <optional>
#include <vector>

namespace nnpiper {

/// Layers to be cut over a given row of stages. Seconds are per micro-batch.
struct StageCutCosts {
    int layers = 0;
    int stages = 0;
    int micro_batches = 1;
    std::function<double(int stage, int first, int end)> stage_s;  ///< not falling with the end
    std::function<double(int stage, int cut)> transfer_s;          ///< behind the stage when it ends before layer `cut`
    std::function<bool(int stage, int first, int end)> fits;       ///< memory; empty: always
};

struct StageCut {
    std::vector<int> end;  ///< [stage]
    double cost_s = 0;     ///< sum of stages + sum of transfers + (M - 1) largest stage
};

/// The cut with the least sum of stages + sum of transfers + (M - 1) largest stage: the least sum is asked for under
/// ever lower limits of the largest stage until none is left; O(S L w) a limit, w the layers that a stage may hold.
/// Empty when no cut fits. When time runs out the best so far.
std::optional<StageCut> cheapest_cut(const StageCutCosts& costs, const Control& control);

}  // namespace nnpiper
