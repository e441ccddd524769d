// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planners/chains/device_orders.h"

#include "core/planners/chains/order_probe.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

namespace nnpiper {

namespace {

std::size_t at(int i)
{
    return static_cast<std::size_t>(i);
}

double speed_of(const ChainCosts& costs, int device)
{
    return 1 / std::max(1e-300, costs.forward(device, 0, costs.layers()) + costs.backward(device, 0, costs.layers()));
}

/// Along the fastest links: from a start device always to the unused one that the most bytes reach per second.
std::vector<int> greedy_walk(const ChainCosts& costs, int start, int stages)
{
    std::vector<int> walk{start};
    std::vector<int> left = costs.usable();
    std::erase(left, start);
    while (static_cast<int>(walk.size()) < stages && !left.empty()) {
        const int here = walk.back();
        const auto time = [&](int d) {
            return costs.occupancy(1, here, d) + costs.occupancy(1, d, here) + costs.latency(here, d)
                   - 1e-6 * speed_of(costs, d) / std::max(1e-300, speed_of(costs, here));
        };
        const auto next = std::min_element(left.begin(), left.end(), [&](int a, int b) { return time(a) < time(b); });
        walk.push_back(*next);
        left.erase(next);
    }
    return walk;
}

}  // namespace

std::vector<std::vector<int>> heuristic_orders(const ChainCosts& costs)
{
    const Problem& problem = costs.problem();
    const int stages = costs.stages();
    std::set<std::vector<int>> seen;
    std::vector<std::vector<int>> orders;
    const auto add = [&](std::vector<int> order) {
        order.resize(at(stages));
        if (seen.insert(order).second)
            orders.push_back(order);
        std::reverse(order.begin(), order.end());
        if (seen.insert(order).second)
            orders.push_back(order);
    };
    std::vector<int> by_speed = costs.usable();
    std::stable_sort(by_speed.begin(), by_speed.end(),
                     [&](int a, int b) { return speed_of(costs, a) > speed_of(costs, b); });

    // Clusters of devices that are joined by better links than the median link; their order by total speed.
    std::vector<double> links;
    for (const int a : by_speed) {
        for (const int b : by_speed) {
            if (a != b)
                links.push_back(problem.bandwidth_bytes_per_s(a, b));
        }
    }
    if (!links.empty()) {
        std::vector<double> levels = links;
        std::sort(levels.begin(), levels.end());
        levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
        for (const std::size_t pick : {levels.size() - 1, levels.size() / 2, std::size_t{1}}) {
            const double threshold = levels[std::min(pick, levels.size() - 1)];
            std::vector<std::vector<int>> groups;
            for (const int d : by_speed) {
                const auto home = std::find_if(groups.begin(), groups.end(), [&](const std::vector<int>& group) {
                    return std::any_of(group.begin(), group.end(),
                                       [&](int other) { return problem.bandwidth_bytes_per_s(d, other) >= threshold; });
                });
                if (home == groups.end())
                    groups.push_back({d});
                else
                    home->push_back(d);
            }
            const auto total = [&](const std::vector<int>& group) {
                double sum = 0;
                for (const int d : group)
                    sum += speed_of(costs, d);
                return sum;
            };
            std::stable_sort(groups.begin(), groups.end(),
                             [&](const auto& a, const auto& b) { return total(a) > total(b); });
            std::vector<int> order;
            for (const auto& group : groups)
                order.insert(order.end(), group.begin(), group.end());
            add(order);
        }
    }
    add(by_speed);
    std::vector<int> by_memory = by_speed;
    std::stable_sort(by_memory.begin(), by_memory.end(),
                     [&](int a, int b) { return costs.capacity(a) > costs.capacity(b); });
    add(by_memory);
    // The roomiest devices among the slower ones are sometimes needed: all usable ones in given order as well.
    add(costs.usable());
    for (const int start : {by_speed.front(), by_speed.back(), by_memory.front()})
        add(greedy_walk(costs, start, stages));
    return orders;
}

ClusterTree::ClusterTree(const ChainCosts& costs)
    : costs_(costs)
{
    // Maximum spanning tree (Prim) over the slower direction of every pair; its edges, fastest first, join clusters.
    const std::vector<int>& usable = costs.usable();
    const int n = static_cast<int>(usable.size());
    const Matrix& bandwidth = costs.problem().bandwidth_bytes_per_s;
    struct Edge {
        double bandwidth;
        int a, b;
    };
    std::vector<Edge> edges;
    std::vector<double> reach(at(n), -1);
    std::vector<int> from(at(n), 0);
    std::vector<char> joined(at(n), 0);
    for (int i = 0, here = 0; i < n; ++i) {
        joined[at(here)] = 1;
        if (i > 0)
            edges.push_back({reach[at(here)], from[at(here)], here});
        int next = -1;
        for (int j = 0; j < n; ++j) {
            if (joined[at(j)])
                continue;
            const double both =
                std::min(bandwidth(usable[at(here)], usable[at(j)]), bandwidth(usable[at(j)], usable[at(here)]));
            if (both > reach[at(j)]) {
                reach[at(j)] = both;
                from[at(j)] = here;
            }
            if (next < 0 || reach[at(j)] > reach[at(next)])
                next = j;
        }
        here = next;
    }
    std::stable_sort(edges.begin(), edges.end(),
                     [](const Edge& a, const Edge& b) { return a.bandwidth > b.bandwidth; });

    std::vector<int> home(at(n));  // branch of each device's cluster
    for (int i = 0; i < n; ++i) {
        Branch leaf;
        leaf.device = usable[at(i)];
        leaf.speed = speed_of(costs, leaf.device);
        leaf.memory = costs.capacity(leaf.device);
        branches_.push_back(leaf);
        home[at(i)] = i;
    }
    std::vector<int> parent(branches_.size());
    std::iota(parent.begin(), parent.end(), 0);
    const auto top = [&](int branch) {
        while (parent[at(branch)] != branch)
            branch = parent[at(branch)];
        return branch;
    };
    for (const Edge& edge : edges) {
        const int a = top(edge.a), b = top(edge.b);
        // Clusters that links of about the same speed join make one branch of many.
        const auto same = [&](int branch) {
            return branches_[at(branch)].device < 0 && branches_[at(branch)].bandwidth <= 1.1 * edge.bandwidth;
        };
        Branch join;
        join.bandwidth = edge.bandwidth;
        for (const int part : {a, b}) {
            join.speed += branches_[at(part)].speed;
            join.memory += branches_[at(part)].memory;
            if (same(part))
                join.children.insert(join.children.end(), branches_[at(part)].children.begin(),
                                     branches_[at(part)].children.end());
            else
                join.children.push_back(part);
        }
        const int index = static_cast<int>(branches_.size());
        branches_.push_back(std::move(join));
        parent.push_back(index);
        parent[at(a)] = parent[at(b)] = index;
    }
    root_ = static_cast<int>(branches_.size()) - 1;
    by_speed_ = usable;
    std::stable_sort(by_speed_.begin(), by_speed_.end(),
                     [&](int a, int b) { return speed_of(costs, a) > speed_of(costs, b); });
}

void ClusterTree::walk(int branch, Habit habit, Random& random, const std::vector<char>& kept,
                       std::vector<int>& order) const
{
    const Branch& here = branches_[at(branch)];
    if (here.device >= 0) {
        if (kept[at(here.device)])
            order.push_back(here.device);
        return;
    }
    std::vector<int> children = here.children;
    random.shuffle(std::span(children));
    const auto sort_by = [&](const auto& less) { std::stable_sort(children.begin(), children.end(), less); };
    if (random.below(6) > 0) {
        const auto& all = branches_;
        if (habit == Habit::fast_first)
            sort_by([&](int a, int b) { return all[at(a)].speed > all[at(b)].speed; });
        else if (habit == Habit::fast_last)
            sort_by([&](int a, int b) { return all[at(a)].speed < all[at(b)].speed; });
        else if (habit == Habit::large_first)
            sort_by([&](int a, int b) { return all[at(a)].memory > all[at(b)].memory; });
    }
    for (const int child : children)
        walk(child, habit, random, kept, order);
}

std::vector<int> ClusterTree::random_order(Random& random) const
{
    std::vector<char> kept(at(costs_.devices()), 0);
    const bool drop_slowest = random.below(2) == 0;
    for (std::size_t i = 0; i < by_speed_.size(); ++i)
        kept[at(by_speed_[i])] = !drop_slowest || i < at(costs_.stages());
    // One habit for the sites, another inside them.
    std::vector<int> order;
    const Branch& root = branches_[at(root_)];
    std::vector<int> children = root.children;
    if (children.empty())
        children.push_back(root_);
    random.shuffle(std::span(children));
    const auto habit = static_cast<Habit>(random.below(4));
    for (const int child : children)
        walk(child, habit, random, kept, order);
    order.resize(at(costs_.stages()));
    return order;
}

std::vector<std::vector<int>> start_orders(const ChainCosts& costs, Look look)
{
    OrderProbe probe(costs);
    using Ranked = std::vector<std::pair<double, std::vector<int>>>;
    const auto rank = [&](std::vector<std::vector<int>> orders) {
        Ranked ranked;
        for (std::vector<int>& order : orders) {
            const double value = probe.value(order);
            ranked.emplace_back(value, std::move(order));
        }
        std::sort(ranked.begin(), ranked.end());
        ranked.erase(std::unique(ranked.begin(), ranked.end()), ranked.end());
        return ranked;
    };
    const Ranked heuristic = rank(heuristic_orders(costs));
    const ClusterTree tree(costs);
    Random random(1);
    std::vector<std::vector<int>> walks;
    for (int i = 0; i < (look == Look::quick ? 40 : 300); ++i)
        walks.push_back(tree.random_order(random));
    const Ranked walked = rank(std::move(walks));
    // From both lists in turn, best first; where time is short the walks are more often good.
    std::vector<std::vector<int>> orders;
    const std::size_t each = look == Look::quick ? 2 : look == Look::usual ? 3 : 9;
    for (std::size_t i = 0; i < each; ++i) {
        for (const Ranked* list : {&walked, &heuristic}) {
            if (i < list->size() && std::find(orders.begin(), orders.end(), (*list)[i].second) == orders.end())
                orders.push_back((*list)[i].second);
        }
    }
    return orders;
}

}  // namespace nnpiper
