// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/planners/chains/chain_locks.h"
#include "core/problem/collectives.h"
#include "core/problem/problem.h"

#include <vector>

namespace nnpiper {

enum class CostView { as_published, true_costs };

/// Devices that no lock keeps idle, nodes together in the order of their first device, faster nodes and faster devices of a node first.
std::vector<int> order_by_node_and_speed(const Problem& problem);
/// The order that a planner of the literature uses in that view: given, or by node and speed.
std::vector<int> default_order(const Problem& problem, CostView view);

/// A message at a boundary, both ways.
struct BoundaryTime {
    double forward_occupancy_s = 0;  ///< infinite: no route
    double forward_latency_s = 0;
    double backward_occupancy_s = 0;
    double backward_latency_s = 0;

    double forward_s() const { return forward_occupancy_s + forward_latency_s; }
    double backward_s() const { return backward_occupancy_s + backward_latency_s; }
    double both_s() const { return forward_s() + backward_s(); }
    bool operator==(const BoundaryTime&) const = default;
};

/// Links between runs of devices in a fixed order. `as_published`: one bandwidth, the harmonic mean, and one latency,
/// the mean, of neighbours in the order.
class OrderedLinks {
public:
    /// Runs of at most `longest` devices.
    OrderedLinks(const Problem& problem, std::vector<int> order, CostView view, int longest);

    const std::vector<int>& order() const { return order_; }
    CostView view() const { return view_; }
    int longest() const { return longest_; }
    /// The mean link in any view; infinitely fast for a single device.
    const CommunicationSpeed& mean() const { return mean_; }
    /// Every device of [from, to) reaches every other one.
    bool connected(int from, int to) const;
    /// Equal parts between [from, middle) and [middle, to): the busiest port of the smaller run over the slowest pair.
    BoundaryTime transfer_s(double bytes, int from, int middle, int to) const;

private:
    struct Pair {
        double forward = 0;  ///< bytes a second
        double backward = 0;
        double forward_latency = 0;
        double backward_latency = 0;
    };
    static std::size_t at(int i) { return static_cast<std::size_t>(i); }
    std::size_t index(int from, int middle, int to) const
    {
        return (at(middle) * at(longest_) + at(middle - from - 1)) * at(longest_) + at(to - middle - 1);
    }

    std::vector<int> order_;
    CostView view_;
    int longest_;
    CommunicationSpeed mean_;
    std::vector<int> connected_to_;  ///< [from] end of the longest connected run
    std::vector<Pair> slowest_;      ///< [middle][devices before - 1][devices behind - 1]; true costs only
};

}  // namespace nnpiper
