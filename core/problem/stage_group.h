// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan/plan.h"
#include "core/problem/problem.h"

#include <utility>
#include <vector>

namespace nnpiper {

/// Where a stage runs: R replicas of t devices each. A replica has a share of every micro-batch; the devices of its
/// tensor-parallel group stand one after the other in the plan.
struct StageGroup {
    std::vector<int> devices;         ///< R x t
    int tensor_parallel = 1;          ///< t
    std::vector<int> shares;          ///< [replica] integer samples of a micro-batch

    int replicas() const { return static_cast<int>(devices.size()) / tensor_parallel; }
    int replica_of(std::size_t device) const { return static_cast<int>(device) / tensor_parallel; }
    /// Tensor-parallel group of a replica.
    std::vector<int> members(int replica) const;
    /// Devices that hold the same slice of the weights, one a replica.
    std::vector<int> peers(int slice) const;
    /// [device] first and last sample of a micro-batch whose activations it hands on; a group's devices send an equal
    /// part each (Narayanan et al. 2021, section 4.1).
    std::vector<std::pair<double, double>> ranges() const;
};

/// Integer samples of each replica: the plan's, else as equal as possible with the larger ones first.
std::vector<int> shares_of(const Stage& stage, int samples);

StageGroup stage_group(const Problem& problem, const Stage& stage, int samples);

}  // namespace nnpiper
