// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/problem/problem.h"

#include <functional>
#include <vector>

namespace nnpiper {

/// How a replica's share of a micro-batch is priced: below_part x the smaller size's time + above_part x the larger's.
struct ShareTime {
    const Variant* below = nullptr;  ///< absent: proportional
    const Variant* above = nullptr;
    double below_part = 0;
    double above_part = 1;

    /// Seconds of layers [first, end) of one matrix on a device.
    double seconds(Matrix Variant::*matrix, int device, int first, int end) const;
};

/// Price of `samples` of a micro-batch of `whole`: linear between the sizes that the problem prices for the same
/// recompute and tensor-parallel degree, proportional below the smallest.
ShareTime share_time(const Problem& problem, const Variant& whole, int samples);

/// Integer shares of `samples`, at least 1 each, whose slowest replica is fastest. `time_s(replica, share)` must not
/// fall with the share. Sample by sample to the replica that then ends first, which is optimal; O(samples x replicas).
std::vector<int> balanced_shares(int samples, int replicas, const std::function<double(int, int)>& time_s);

/// The same for layers [first, end) on the devices of a stage, groups of `whole.tensor_parallel` one after the other:
/// forward + backward of a replica's slowest device, without what the group exchanges.
std::vector<int> shares_by_speed(const Problem& problem, const Variant& whole, const std::vector<int>& devices,
                                 int first, int end);

}  // namespace nnpiper
