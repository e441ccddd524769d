// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/problem/collectives.h"
#include "core/problem/problem.h"

#include <span>
#include <utility>
#include <vector>

namespace nnpiper {

/// What devices of stage groups send each other, priced without allocation: the same figures as core/problem's, for use
/// inside search.
class GroupLinks {
public:
    explicit GroupLinks(const Problem& problem);

    /// Every pair of devices has a route.
    bool all_routed() const { return all_routed_; }
    bool routed(int a, int b) const;
    double latency(int from, int to) const { return problem_->latency_s(from, to); }

    /// `devices` are R replicas of t slices each; one ring a slice, side by side. As ring_speed().
    CommunicationSpeed ring(std::span<const int> devices, int slices, double bytes);
    /// Seconds in which the devices of one tensor-parallel group exchange that. As traffic_s().
    double traffic(std::span<const int> members, const GroupTraffic& traffic, double share);

    /// One direction of a boundary: sender i gives receiver j the overlap of their sample ranges. Beyond what the
    /// layout says, the parts of one message share the links that several of them pass; so does the detailed engine.
    struct Message {
        double occupancy_s = 0;
        double latency_s = 0;
    };
    using Ranges = std::vector<std::pair<double, double>>;
    Message message(double bytes, int samples, std::span<const int> from, const Ranges& sent, std::span<const int> to,
                    const Ranges& received);

private:
    static std::size_t at(int i) { return static_cast<std::size_t>(i); }
    double bandwidth(int from, int to, double bytes) const;
    std::span<const int> route(int from, int to) const { return problem_->routes.route(from, to, problem_->devices()); }
    void use(int from, int to, double amount);
    /// Least capacity that a route has to itself.
    double shared(int from, int to) const;
    void forget();
    CommunicationSpeed exchange(std::span<const int> members, double bytes);

    const Problem* problem_;
    bool all_routed_ = true;
    bool curves_;
    std::vector<double> uses_;  ///< [link]
    std::vector<int> touched_;
    std::vector<double> port_;  ///< [receiver] seconds
};

}  // namespace nnpiper
