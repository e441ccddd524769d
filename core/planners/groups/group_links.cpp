// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planners/groups/group_links.h"

#include "core/problem/group_costs.h"

#include <algorithm>
#include <limits>

namespace nnpiper {

GroupLinks::GroupLinks(const Problem& problem)
    : problem_(&problem)
    , curves_(!problem.routes.speed.empty())
{
    for (int a = 0; a < problem.devices(); ++a) {
        for (int b = 0; b < problem.devices(); ++b)
            all_routed_ = all_routed_ && (a == b || problem.bandwidth_bytes_per_s(a, b) > 0);
    }
    uses_.assign(problem.routes.links.size(), 0);
    touched_.reserve(uses_.size());
    port_.resize(at(problem.devices()));
}

bool GroupLinks::routed(int a, int b) const
{
    return problem_->bandwidth_bytes_per_s(a, b) > 0 && problem_->bandwidth_bytes_per_s(b, a) > 0;
}

double GroupLinks::bandwidth(int from, int to, double bytes) const
{
    return curves_ ? bandwidth_of(*problem_, from, to, bytes) : problem_->bandwidth_bytes_per_s(from, to);
}

void GroupLinks::use(int from, int to, double amount)
{
    if (problem_->routes.empty())
        return;
    for (const int link : route(from, to)) {
        if (uses_[at(link)] == 0)
            touched_.push_back(link);
        uses_[at(link)] += amount;
    }
}

double GroupLinks::shared(int from, int to) const
{
    double least = std::numeric_limits<double>::infinity();
    if (problem_->routes.empty())
        return least;
    for (const int link : route(from, to))
        least = std::min(least, problem_->routes.capacity_bytes_per_s[at(link)] / uses_[at(link)]);
    return least;
}

void GroupLinks::forget()
{
    for (const int link : touched_)
        uses_[at(link)] = 0;
    touched_.clear();
}

CommunicationSpeed GroupLinks::ring(std::span<const int> devices, int slices, double bytes)
{
    const int size = static_cast<int>(devices.size()) / slices;
    const double piece = bytes / size;
    CommunicationSpeed speed{std::numeric_limits<double>::infinity(), 0};
    if (size < 2)
        return speed;
    const auto each = [&](const auto& visit) {
        for (int i = 0; i < size; ++i) {
            const int next = i + 1 == size ? 0 : i + 1;
            for (int k = 0; k < slices; ++k)
                visit(devices[at(i * slices + k)], devices[at(next * slices + k)]);
        }
    };
    each([&](int from, int to) { use(from, to, 1); });
    each([&](int from, int to) {
        speed.bytes_per_s = std::min({speed.bytes_per_s, bandwidth(from, to, piece), shared(from, to)});
        speed.latency_s = std::max(speed.latency_s, latency(from, to));
    });
    forget();
    return speed;
}

CommunicationSpeed GroupLinks::exchange(std::span<const int> members, double bytes)
{
    const double piece = bytes / static_cast<double>(members.size());
    const double partners = static_cast<double>(members.size()) - 1;
    for (const int from : members) {
        for (const int to : members) {
            if (from != to)
                use(from, to, 1);
        }
    }
    CommunicationSpeed speed{std::numeric_limits<double>::infinity(), 0};
    for (const int from : members) {
        double seconds_per_byte = 0;
        for (const int to : members) {
            if (from == to)
                continue;
            seconds_per_byte += 1 / bandwidth(from, to, piece);
            speed.bytes_per_s = std::min(speed.bytes_per_s, partners * shared(from, to));
            speed.latency_s = std::max(speed.latency_s, latency(from, to));
        }
        speed.bytes_per_s = std::min(speed.bytes_per_s, partners / seconds_per_byte);
    }
    forget();
    return speed;
}

double GroupLinks::traffic(std::span<const int> members, const GroupTraffic& traffic, double share)
{
    const int n = static_cast<int>(members.size());
    double seconds = 0;
    if (traffic.ring_passes > 0) {
        const double bytes = traffic.ring_bytes * share;
        seconds += traffic.ring_passes * ring_pass_s(n, bytes, ring(members, 1, bytes));
    }
    if (traffic.exchanges > 0) {
        const double bytes = traffic.exchange_bytes * share;
        seconds += traffic.exchanges * all_to_all_s(n, bytes, exchange(members, bytes));
    }
    return seconds;
}

GroupLinks::Message GroupLinks::message(double bytes, int samples, std::span<const int> from, const Ranges& sent,
                                        std::span<const int> to, const Ranges& received)
{
    Message result;
    if (from.size() == 1 && to.size() == 1) {
        result.occupancy_s = bytes / bandwidth(from[0], to[0], bytes);
        result.latency_s = latency(from[0], to[0]);
        return result;
    }
    std::fill_n(port_.begin(), to.size(), 0.0);
    std::size_t first = 0;
    for (std::size_t i = 0; i < from.size(); ++i) {
        double port = 0;
        while (first < to.size() && received[first].second <= sent[i].first + 1e-9)
            ++first;
        for (std::size_t j = first; j < to.size() && received[j].first < sent[i].second - 1e-9; ++j) {
            const double overlap =
                std::min(sent[i].second, received[j].second) - std::max(sent[i].first, received[j].first);
            if (overlap <= 1e-9)
                continue;
            const double part = bytes * overlap / samples;
            const double seconds = part / bandwidth(from[i], to[j], part);
            port += seconds;
            port_[j] += seconds;
            result.latency_s = std::max(result.latency_s, latency(from[i], to[j]));
            use(from[i], to[j], part);
        }
        result.occupancy_s = std::max(result.occupancy_s, port);
    }
    for (std::size_t j = 0; j < to.size(); ++j)
        result.occupancy_s = std::max(result.occupancy_s, port_[j]);
    for (const int link : touched_)
        result.occupancy_s =
            std::max(result.occupancy_s, uses_[at(link)] / problem_->routes.capacity_bytes_per_s[at(link)]);
    forget();
    return result;
}

}  // namespace nnpiper
