// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/planners/planner.h"

#include <string>
#include <vector>

namespace nnpiper {

/// A way to plan that the quality suite measures.
struct QualityMethod {
    std::string name;  ///< "full 30 ms"
    std::string planner;
    PlanRequest request;
    int against = -1;  ///< index of the method whose gaps are taken from this one's; -1: none
};

/// NN-Piper's procedures: "raw" (devices and layers as the network names them), "greedy" (its first order, split),
/// "best-of" (the best of all orders drawn, split) and "full-N" (all steps in N milliseconds). All but raw stand beside
/// the same without the network.
const std::vector<std::string>& standard_procedures();

/// The procedures by their words, then planners of the registry with the request as it is, but none twice. Procedures
/// of the network are compared with their ablation (raw with that of greedy), everything else with NN-Piper in the
/// same time, or with the first method where that is not there. Throws Error on unknown words and planners.
std::vector<QualityMethod> quality_methods(const std::vector<std::string>& procedures,
                                           const std::vector<std::string>& planners, const PlanRequest& request);

}  // namespace nnpiper
