// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/cluster/cluster.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace nnpiper {

/// The ways between devices over named links, one entry a direction. Empty for a problem that names no links.
struct RouteTable {
    std::vector<std::string> links;             ///< "node-a to switch (link-a)", "interconnect out of node-a/gpu0", ...
    std::vector<double> capacity_bytes_per_s;   ///< [link]
    std::vector<SpeedCurve> speed;              ///< [link] by message size; empty when no link has a curve
    std::vector<int> begin;                     ///< [from x devices + to] and an end mark, into hops
    std::vector<int> hops;                      ///< link indices

    bool empty() const { return begin.empty(); }
    std::span<const int> route(int from, int to, int devices) const
    {
        const auto pair = static_cast<std::size_t>(from) * static_cast<std::size_t>(devices) + static_cast<std::size_t>(to);
        return std::span(hops).subspan(static_cast<std::size_t>(begin[pair]),
                                       static_cast<std::size_t>(begin[pair + 1] - begin[pair]));
    }
};

/// One direction of a boundary as a flow over directed links.
struct BoundaryFlow {
    struct Use {
        int link = 0;        ///< index into BoundaryFlows::capacity_bytes_per_s
        double share = 1;    ///< of the message's bytes that pass it
    };
    double bytes = 0;        ///< of one message, all its parts
    std::vector<Use> uses;
};

/// What the detailed engine needs to share links fairly between boundaries. Alone, a message takes its occupancy.
struct BoundaryFlows {
    std::vector<std::string> links;             ///< names, one a direction
    std::vector<double> capacity_bytes_per_s;   ///< [link]
    std::vector<BoundaryFlow> forward;          ///< [boundary]
    std::vector<BoundaryFlow> backward;         ///< [boundary]
};

}  // namespace nnpiper
