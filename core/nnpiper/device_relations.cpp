// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nnpiper/device_relations.h"

#include "core/planners/chains/chain.h"
#include "core/planners/chains/symmetry.h"

#include <algorithm>

namespace nnpiper {

namespace {

std::size_t at(int i)
{
    return static_cast<std::size_t>(i);
}

/// What lies between the slow and the fast links: the middle of the widest step in their sorted times (ratio), the
/// slowest when no step is a doubling.
double side_threshold(const Measures& m)
{
    std::vector<double> ways;
    for (int i = 0; i < m.devices; ++i) {
        for (int j = 0; j < i; ++j)
            ways.push_back(m.both_ways[m.at(i, j)]);
    }
    if (ways.empty())
        return 0;
    std::sort(ways.begin(), ways.end());
    double widest = 2, threshold = ways.back();
    for (std::size_t k = 1; k < ways.size(); ++k) {
        if (ways[k] > widest * ways[k - 1]) {
            widest = ways[k] / ways[k - 1];
            threshold = ways[k - 1];
        }
    }
    return threshold;
}

void find_neighbours(const Measures& m, Features& out)
{
    const auto cells = at(m.devices * m.devices);
    out.near.assign(cells, 0);
    out.side.assign(cells, 0);
    out.near_count.assign(at(m.devices), 0);
    out.side_count.assign(at(m.devices), 0);
    std::vector<double> nearest(at(m.devices), 1e9);
    for (int i = 0; i < m.devices; ++i) {
        for (int j = 0; j < m.devices; ++j) {
            if (i != j)
                nearest[at(i)] = std::min(nearest[at(i)], m.both_ways[m.at(i, j)]);
        }
    }
    const double threshold = side_threshold(m) * (1 + 1e-9);
    for (int i = 0; i < m.devices; ++i) {
        for (int j = 0; j < m.devices; ++j) {
            if (i == j)
                continue;
            const double way = m.both_ways[m.at(i, j)];
            const bool near = way <= 1.3 * std::min(nearest[at(i)], nearest[at(j)]);
            const bool side = std::max(way, m.both_ways[m.at(j, i)]) <= threshold;
            out.near[m.at(i, j)] = near;
            out.side[m.at(i, j)] = side;
            out.near_count[at(i)] += near;
            out.side_count[at(i)] += side;
        }
    }
}

void find_places(const Problem& problem, const Measures& m, Features& out)
{
    out.place.assign(at(m.devices), Features::free_place);
    out.owner.assign(at(m.stages), -1);
    for (int d = 0; d < m.devices; ++d) {
        const auto& id = problem.device_ids[at(out.device_index[at(d)])];
        for (const Lock& lock : problem.locks) {
            if (lock.idle || std::find(lock.devices.begin(), lock.devices.end(), id) == lock.devices.end())
                continue;
            if (!lock.stage) {
                out.place[at(d)] = Features::anywhere;
            } else if (*lock.stage < m.stages && out.owner[at(*lock.stage)] < 0) {
                out.place[at(d)] = *lock.stage;
                out.owner[at(*lock.stage)] = d;
            }
        }
    }
}

void fill_memory(const ChainCosts& costs, Features& out)
{
    std::vector<double> capacities;
    for (const int d : out.device_index)
        capacities.push_back(costs.capacity(d));
    auto classes = capacities;
    std::sort(classes.begin(), classes.end(), std::greater<>());
    classes.erase(std::unique(classes.begin(), classes.end()), classes.end());
    out.memory_classes = static_cast<int>(classes.size());
    for (const double capacity : capacities)
        out.memory_class.push_back(static_cast<int>(std::find(classes.begin(), classes.end(), capacity) - classes.begin()));
    const int layers = out.layers;
    out.memory_end.resize(at(out.stages * out.memory_classes * (layers + 1)));
    for (int s = 0; s < out.stages; ++s) {
        for (int c = 0; c < out.memory_classes; ++c) {
            int* const row = out.memory_end.data() + at((s * out.memory_classes + c) * (layers + 1));
            const double capacity = classes[at(c)] * (1 + 1e-12);
            int end = 0;
            for (int first = 0; first <= layers; ++first) {
                end = std::max(end, first);
                while (end < layers && costs.memory(s, first, end + 1) <= capacity)
                    ++end;
                while (end > first && costs.memory(s, first, end) > capacity)
                    --end;
                row[first] = end;
            }
        }
    }
}

}  // namespace

void relate_devices(const Measures& measures, const ChainCosts& costs, Features& out)
{
    find_neighbours(measures, out);
    find_places(costs.problem(), measures, out);
    out.alike = device_classes(costs);
    fill_memory(costs, out);
}

}  // namespace nnpiper
