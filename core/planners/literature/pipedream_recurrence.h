// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/control.h"

#include <optional>
#include <vector>

namespace nnpiper {

/// A chain on equal machines as PipeDream sees it; per minibatch.
struct PipeDreamChain {
    std::vector<double> time_s;        ///< [layer] forward and backward
    std::vector<double> weight_bytes;  ///< [layer] what replicas exchange
    std::vector<double> output_bytes;  ///< [layer] handed on; zeros leave out communication between stages
};

/// Machines that share a bandwidth: of the first level devices, of the next one groups of the level before.
struct PipeDreamLevel {
    int machines = 1;
    double bytes_per_s = 0;
};

struct PipeDreamLimits {
    int most_replicas = 1 << 20;  ///< of one stage in one level
    std::optional<int> stages;    ///< of a single level
};

struct PipeDreamStage {
    int first = 0;
    int end = 0;
    std::vector<int> devices;  ///< its replicas, numbered through the levels
};

struct PipeDreamAnswer {
    double bottleneck_s = 0;             ///< time of a minibatch in the steady state
    std::vector<PipeDreamStage> stages;  ///< in model order; empty: not possible within the limits
};

/// The recurrence level by level: every machine of all levels but the last, where fewer may be better. O(L^3 m^2) for a
/// level of m machines, O(L^2 m^2) for the last. Replicas that hold a pipeline of the level below repeat that pipeline,
/// so its stages have the replicas of both. No stages when stopped.
PipeDreamAnswer solve_pipedream(const PipeDreamChain& chain, const std::vector<PipeDreamLevel>& levels,
                                const PipeDreamLimits& limits, const Control& control);

}  // namespace nnpiper
