// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/problem/collectives.h"
#include "core/problem/problem.h"

#include <vector>

namespace nnpiper {

/// Bandwidth of one message of `bytes` from device to device: the route's, or what its slowest hop reaches at that size.
double bandwidth_of(const Problem& problem, int from, int to, double bytes);

/// Speed of rings that run side by side, each device sending to the next in its ring: that of the slowest pair of
/// neighbours; routes that share a directed link share its capacity. `bytes` is the buffer of one ring.
CommunicationSpeed ring_speed(const Problem& problem, const std::vector<std::vector<int>>& rings, double bytes);

/// Speed of an all-to-all in which every device sends `bytes`: that of the device with the slowest routes, or of the
/// link that most routes share.
CommunicationSpeed exchange_speed(const Problem& problem, const std::vector<int>& devices, double bytes);

/// Seconds in which a tensor-parallel group exchanges what `traffic` says, scaled by a replica's share of a micro-batch.
double traffic_s(const Problem& problem, const std::vector<int>& members, const GroupTraffic& traffic, double share);

/// Once an iteration, rings side by side: reduce-scatter of the gradients, then all-gather of the summed gradients
/// (together an all-reduce) or, with a distributed optimizer, of the updated weights. Bytes are of one ring.
double replica_sync_s(const Problem& problem, const std::vector<std::vector<int>>& rings, double scattered_bytes,
                      double gathered_bytes);

}  // namespace nnpiper
