// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planners/literature/ordered_links.h"

#include "core/problem/group_costs.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

namespace nnpiper {

std::vector<int> order_by_node_and_speed(const Problem& problem)
{
    const Variant& usual = problem.variants[static_cast<std::size_t>(problem.default_variant)];
    std::vector<double> time_s(static_cast<std::size_t>(problem.devices()), 0);
    for (int d = 0; d < problem.devices(); ++d) {
        for (int l = 0; l < problem.layers(); ++l)
            time_s[static_cast<std::size_t>(d)] +=
                usual.forward_s(l, d) + usual.backward_input_s(l, d) + usual.backward_weight_s(l, d);
    }
    std::vector<int> order = given_order(problem);
    std::map<std::string, double> fastest;  // of a node; devices without one have their own
    const auto node_of = [&](int d) {
        const std::string& node = problem.device_nodes[static_cast<std::size_t>(d)];
        return node.empty() ? "/" + problem.device_ids[static_cast<std::size_t>(d)] : node;
    };
    std::map<std::string, int> seen;
    for (const int d : order) {
        const auto [found, fresh] = fastest.emplace(node_of(d), time_s[static_cast<std::size_t>(d)]);
        if (!fresh)
            found->second = std::min(found->second, time_s[static_cast<std::size_t>(d)]);
        seen.emplace(node_of(d), static_cast<int>(seen.size()));
    }
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
        const std::string first = node_of(a), second = node_of(b);
        if (first != second && fastest[first] != fastest[second])
            return fastest[first] < fastest[second];
        if (first != second)
            return seen[first] < seen[second];
        return time_s[static_cast<std::size_t>(a)] < time_s[static_cast<std::size_t>(b)];
    });
    return order;
}

std::vector<int> default_order(const Problem& problem, CostView view)
{
    return view == CostView::true_costs ? order_by_node_and_speed(problem) : given_order(problem);
}

OrderedLinks::OrderedLinks(const Problem& problem, std::vector<int> order, CostView view, int longest)
    : order_(std::move(order))
    , view_(view)
    , longest_(std::clamp(longest, 1, std::max<int>(1, static_cast<int>(order_.size()))))
{
    const int devices = static_cast<int>(order_.size());
    const auto& usual = problem.variants[at(problem.default_variant)].output_bytes;
    const double message =
        std::accumulate(usual.begin(), usual.end(), 0.0) / std::max<double>(1, static_cast<double>(usual.size()));
    const auto speed = [&](int from, int to) {
        return bandwidth_of(problem, order_[at(from)], order_[at(to)], message);
    };
    const auto latency = [&](int from, int to) { return problem.latency_s(order_[at(from)], order_[at(to)]); };

    double inverse = 0, wait = 0;
    int routes = 0;
    for (int i = 0; i + 1 < devices; ++i) {
        if (speed(i, i + 1) > 0) {
            inverse += 1 / speed(i, i + 1);
            wait += latency(i, i + 1);
            ++routes;
        }
    }
    mean_.bytes_per_s = inverse > 0 ? routes / inverse : std::numeric_limits<double>::infinity();
    mean_.latency_s = routes > 0 ? wait / routes : 0;

    connected_to_.assign(order_.size(), devices);
    for (int from = devices - 1; from >= 0; --from) {
        int& end = connected_to_[at(from)];
        if (from + 1 < devices)
            end = connected_to_[at(from + 1)];
        for (int other = from + 1; other < end; ++other) {
            if (!(speed(from, other) > 0 && speed(other, from) > 0))
                end = other;
        }
    }
    if (view_ == CostView::as_published)
        return;
    slowest_.resize(order_.size() * at(longest_) * at(longest_));
    for (int middle = 1; middle < devices; ++middle) {
        for (int from = middle - 1; from >= std::max(0, middle - longest_); --from) {
            for (int to = middle + 1; to <= std::min(devices, middle + longest_); ++to) {
                Pair pair{speed(from, to - 1), speed(to - 1, from), latency(from, to - 1), latency(to - 1, from)};
                const auto join = [&](const Pair& other) {
                    pair.forward = std::min(pair.forward, other.forward);
                    pair.backward = std::min(pair.backward, other.backward);
                    pair.forward_latency = std::max(pair.forward_latency, other.forward_latency);
                    pair.backward_latency = std::max(pair.backward_latency, other.backward_latency);
                };
                if (from + 1 < middle)
                    join(slowest_[index(from + 1, middle, to)]);
                if (to - 1 > middle)
                    join(slowest_[index(from, middle, to - 1)]);
                slowest_[index(from, middle, to)] = pair;
            }
        }
    }
}

bool OrderedLinks::connected(int from, int to) const
{
    return to <= connected_to_[at(from)];
}

BoundaryTime OrderedLinks::transfer_s(double bytes, int from, int middle, int to) const
{
    const double part = bytes / std::min(middle - from, to - middle);
    if (view_ == CostView::as_published)
        return {part / mean_.bytes_per_s, mean_.latency_s, part / mean_.bytes_per_s, mean_.latency_s};
    const Pair& pair = slowest_[index(from, middle, to)];
    const auto occupancy = [&](double bandwidth) {
        return bandwidth > 0 ? part / bandwidth : std::numeric_limits<double>::infinity();
    };
    return {occupancy(pair.forward), pair.forward_latency, occupancy(pair.backward), pair.backward_latency};
}

}  // namespace nnpiper
