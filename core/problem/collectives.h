// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace nnpiper {

/// Alpha-beta costs of n devices that all reach their partners with `bytes_per_s` after `latency_s`; seconds. One device
/// needs none. Bytes are of the whole buffer (the sum of all parts), of an all-to-all what each device sends.
struct CommunicationSpeed {
    double bytes_per_s = 0;
    double latency_s = 0;

    bool operator==(const CommunicationSpeed&) const = default;
};

/// alpha + S/B.
double point_to_point_s(double bytes, const CommunicationSpeed& speed);
/// One pass round the ring, reduce-scatter or all-gather: (n-1)/n S/B + (n-1) alpha (Patarasuk and Yuan 2009).
double ring_pass_s(int devices, double bytes, const CommunicationSpeed& speed);
/// Both passes: 2 (n-1)/n S/B + 2 (n-1) alpha.
double ring_all_reduce_s(int devices, double bytes, const CommunicationSpeed& speed);
/// Pipelined over a binary tree: 2 S/B + 2 ceil(log2 n) alpha (Sanders et al. 2009).
double tree_all_reduce_s(int devices, double bytes, const CommunicationSpeed& speed);
/// (n-1)/n S/B + (n-1) alpha.
double all_to_all_s(int devices, double bytes, const CommunicationSpeed& speed);

}  // namespace nnpiper
