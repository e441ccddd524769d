// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/problem/group_costs.h"

#include <algorithm>
#include <limits>
#include <map>

namespace nnpiper {

namespace {

/// How many of the given routes pass each directed link.
class LinkUses {
public:
    explicit LinkUses(const Problem& problem)
        : problem_(problem)
    {
    }

    void add(int from, int to)
    {
        if (problem_.routes.empty())
            return;
        for (const int link : problem_.routes.route(from, to, problem_.devices()))
            ++uses_[link];
    }

    /// Least capacity that a route has to itself.
    double share(int from, int to) const
    {
        double least = std::numeric_limits<double>::infinity();
        if (problem_.routes.empty())
            return least;
        for (const int link : problem_.routes.route(from, to, problem_.devices()))
            least =
                std::min(least, problem_.routes.capacity_bytes_per_s[static_cast<std::size_t>(link)] / uses_.at(link));
        return least;
    }

private:
    const Problem& problem_;
    std::map<int, int> uses_;
};

template <class Visit>
void each_neighbour(const std::vector<std::vector<int>>& rings, const Visit& visit)
{
    for (const std::vector<int>& ring : rings) {
        for (std::size_t i = 0; i < ring.size() && ring.size() > 1; ++i)
            visit(ring[i], ring[(i + 1) % ring.size()]);
    }
}

}  // namespace

double bandwidth_of(const Problem& problem, int from, int to, double bytes)
{
    double bandwidth = problem.bandwidth_bytes_per_s(from, to);
    if (problem.routes.speed.empty())
        return bandwidth;
    for (const int link : problem.routes.route(from, to, problem.devices()))
        bandwidth = std::min(bandwidth, speed_at(problem.routes.speed[static_cast<std::size_t>(link)], bytes));
    return bandwidth;
}

CommunicationSpeed ring_speed(const Problem& problem, const std::vector<std::vector<int>>& rings, double bytes)
{
    LinkUses uses(problem);
    each_neighbour(rings, [&](int from, int to) { uses.add(from, to); });
    const double piece =
        rings.empty() || rings.front().empty() ? bytes : bytes / static_cast<double>(rings.front().size());
    CommunicationSpeed speed{std::numeric_limits<double>::infinity(), 0};
    each_neighbour(rings, [&](int from, int to) {
        speed.bytes_per_s = std::min({speed.bytes_per_s, bandwidth_of(problem, from, to, piece), uses.share(from, to)});
        speed.latency_s = std::max(speed.latency_s, problem.latency_s(from, to));
    });
    return speed;
}

CommunicationSpeed exchange_speed(const Problem& problem, const std::vector<int>& devices, double bytes)
{
    const double piece = bytes / static_cast<double>(devices.size());
    const double partners = static_cast<double>(devices.size()) - 1;
    LinkUses uses(problem);
    for (const int from : devices) {
        for (const int to : devices) {
            if (from != to)
                uses.add(from, to);
        }
    }
    CommunicationSpeed speed{std::numeric_limits<double>::infinity(), 0};
    for (const int from : devices) {
        double seconds_per_byte = 0;
        for (const int to : devices) {
            if (from == to)
                continue;
            seconds_per_byte += 1 / bandwidth_of(problem, from, to, piece);
            speed.bytes_per_s = std::min(speed.bytes_per_s, partners * uses.share(from, to));
            speed.latency_s = std::max(speed.latency_s, problem.latency_s(from, to));
        }
        speed.bytes_per_s = std::min(speed.bytes_per_s, partners / seconds_per_byte);
    }
    return speed;
}

double traffic_s(const Problem& problem, const std::vector<int>& members, const GroupTraffic& traffic, double share)
{
    const int n = static_cast<int>(members.size());
    double seconds = 0;
    if (traffic.ring_passes > 0) {
        const double bytes = traffic.ring_bytes * share;
        seconds += traffic.ring_passes * ring_pass_s(n, bytes, ring_speed(problem, {members}, bytes));
    }
    if (traffic.exchanges > 0) {
        const double bytes = traffic.exchange_bytes * share;
        seconds += traffic.exchanges * all_to_all_s(n, bytes, exchange_speed(problem, members, bytes));
    }
    return seconds;
}

double replica_sync_s(const Problem& problem, const std::vector<std::vector<int>>& rings, double scattered_bytes,
                      double gathered_bytes)
{
    const int n = rings.empty() ? 1 : static_cast<int>(rings.front().size());
    if (n < 2)
        return 0;
    return ring_pass_s(n, scattered_bytes, ring_speed(problem, rings, scattered_bytes))
           + ring_pass_s(n, gathered_bytes, ring_speed(problem, rings, gathered_bytes));
}

}  // namespace nnpiper
