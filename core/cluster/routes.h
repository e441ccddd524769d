// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/cluster/cluster.h"

#include <string>
#include <vector>

namespace nnpiper {

/// One hop of a route: a drawn link, a node's interconnect or a node's host port, in one direction.
struct Hop {
    std::string resource;              ///< "link:ID", "interconnect:NODE", "host:NODE"
    bool reverse = false;              ///< against the link's from -> to
    double bandwidth_bytes_per_s = 0;  ///< effective
    double latency_s = 0;
};

/// Way from one device to another: effective bandwidth is the least of its hops, latency their sum (with switches).
/// Bandwidth 0 means that there is no way.
struct Route {
    std::vector<Hop> hops;
    double bandwidth_bytes_per_s = 0;
    double latency_s = 0;
};

/// Routes between all devices, [from][to] in the order of `cluster.devices`; the diagonal is empty.
/// A route maximises bandwidth (widest path), then takes the least latency, then the fewest hops; a direct link between
/// two devices of one node competes with the node's interconnect. Traffic never passes through a third device.
std::vector<std::vector<Route>> routes(const Cluster& cluster);

}  // namespace nnpiper
