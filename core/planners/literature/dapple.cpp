// SPDX-License-Identifier: GPL-3.0-or-later
// dapple (Fan et al., DAPPLE, PPoPP 2021): over prefixes of the layers and devices taken so far,
//   V(j, m, occupied) = min over cut k, m' and placement of max[ V(k, m - m', occupied'), t(k..j) / m', message at k ]
// where a stage's m' devices come from fresh nodes first, from nodes in use first, or scattered over them. Devices are
// also handed out in units of D/i for every i, as in the authors' program. The plan is the candidate with the shortest
// iteration by dapple_latency.h, messages counting as stages of their own and gradients all-reduced stage by stage.
// O(L^2 D R B) for R replicas at most, with the B best occupations of every (j, m) kept where the original keeps all:
// six, or two where the number of stages is fixed, which also takes S times as long. The original assumes equal
// devices, one bandwidth inside nodes and one between them, and enough memory. With true costs stages are runs of the
// order by node and speed. Micro-batch size and recompute, which the paper does not choose, are settled by the
// simulator.
#include "core/planners/baselines.h"

#include "core/planners/literature/dapple_latency.h"
#include "core/planners/literature/ordered_planner.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <numeric>
#include <set>

namespace nnpiper {

namespace {

constexpr std::size_t most_spots = 6;

std::size_t at(int i)
{
    return static_cast<std::size_t>(i);
}

/// Devices of the order by node, and what they cost together.
class Cluster {
public:
    explicit Cluster(const OrderedCosts& costs)
        : costs_(costs)
        , published_(costs.links().view() == CostView::as_published)
    {
        const Problem& problem = costs.problem();
        const auto& order = costs.links().order();
        std::map<std::string, int> index;
        CommunicationSpeed sums[2];
        int counts[2] = {0, 0};
        for (int i = 0; i < costs.devices(); ++i) {
            const std::string& name = problem.device_nodes[at(order[at(i)])];
            const auto [found, fresh] = index.emplace(name, static_cast<int>(nodes_.size()));
            if (fresh || name.empty()) {
                found->second = static_cast<int>(nodes_.size());
                nodes_.emplace_back();
            }
            nodes_[at(found->second)].push_back(i);
            node_of_.push_back(found->second);
            if (i == 0)
                continue;
            const int between = node_of_[at(i)] == node_of_[at(i - 1)] ? 0 : 1;
            const double bandwidth = problem.bandwidth_bytes_per_s(order[at(i - 1)], order[at(i)]);
            if (bandwidth > 0) {
                sums[between].bytes_per_s += 1 / bandwidth;
                sums[between].latency_s += problem.latency_s(order[at(i - 1)], order[at(i)]);
                ++counts[between];
            }
        }
        for (int i = 0; i < 2; ++i)
            speed_[i] = counts[i] > 0
                            ? CommunicationSpeed{counts[i] / sums[i].bytes_per_s, sums[i].latency_s / counts[i]}
                            : costs.links().mean();
    }

    const OrderedCosts& costs() const { return costs_; }
    int nodes() const { return static_cast<int>(nodes_.size()); }

    /// Free devices for a stage, by every placement that differs; used: [node] devices taken, the first ones.
    std::vector<std::vector<int>> placements(const std::vector<int>& used, int devices) const
    {
        if (!published_) {
            const int next = std::accumulate(used.begin(), used.end(), 0);
            std::vector<int> run(at(devices));
            std::iota(run.begin(), run.end(), next);
            return {run};
        }
        std::vector<int> fresh, open;
        for (int n = 0; n < nodes(); ++n) {
            if (used[at(n)] == 0)
                fresh.push_back(n);
            else if (used[at(n)] < static_cast<int>(nodes_[at(n)].size()))
                open.push_back(n);
        }
        const auto filled = [&](std::vector<int> first, const std::vector<int>& then) {
            first.insert(first.end(), then.begin(), then.end());
            std::vector<int> taken;
            for (const int n : first) {
                for (std::size_t i = at(used[at(n)]); i < nodes_[at(n)].size() && taken.size() < at(devices); ++i)
                    taken.push_back(nodes_[at(n)][i]);
            }
            return taken;
        };
        const auto scattered = [&](const std::vector<int>& over, const std::vector<int>& then) {
            std::vector<int> taken, at_node = used;
            for (const auto* group : {&over, &then}) {
                for (bool moved = true; moved && taken.size() < at(devices);) {
                    moved = false;
                    for (const int n : *group) {
                        if (taken.size() < at(devices) && at(at_node[at(n)]) < nodes_[at(n)].size()) {
                            taken.push_back(nodes_[at(n)][at(at_node[at(n)]++)]);
                            moved = true;
                        }
                    }
                }
            }
            return taken;
        };
        std::vector<std::vector<int>> all{filled(fresh, open)};
        for (auto& other : {filled(open, fresh), open.empty() ? scattered(fresh, open) : scattered(open, fresh)}) {
            if (std::find(all.begin(), all.end(), other) == all.end())
                all.push_back(other);
        }
        return all;
    }

    void take(std::vector<int>& used, const std::vector<int>& devices) const
    {
        for (const int device : devices)
            ++used[at(node_of_[at(device)])];
    }

    StageRun run(int first, int end, const std::vector<int>& devices) const
    {
        const int n = static_cast<int>(devices.size());
        return published_ ? StageRun{first, end, 0, n, 1}
                          : StageRun{first, end, devices.front(), devices.front() + n, 1};
    }

    /// Both ways, at one end.
    BoundaryTime message(int cut, const std::vector<int>& from, const std::vector<int>& to) const
    {
        if (!published_)
            return costs_.transfer_s(cut, from.front(), to.front(), to.back() + 1);
        std::vector<int> both = from;
        both.insert(both.end(), to.begin(), to.end());
        const CommunicationSpeed& speed = speed_of(both);
        const double seconds =
            costs_.output_bytes(cut) / static_cast<double>(std::min(from.size(), to.size())) / speed.bytes_per_s;
        return {seconds, speed.latency_s, seconds, speed.latency_s};
    }

    double all_reduce_s(int first, int end, const std::vector<int>& devices) const
    {
        if (!published_)
            return costs_.sync_s(run(first, end, devices));
        return ring_all_reduce_s(static_cast<int>(devices.size()), costs_.gradient_bytes(first, end, 1),
                                 speed_of(devices));
    }

private:
    const CommunicationSpeed& speed_of(const std::vector<int>& devices) const
    {
        const bool inside = std::all_of(devices.begin(), devices.end(), [&](int device) {
            return node_of_[at(device)] == node_of_[at(devices.front())];
        });
        return speed_[inside ? 0 : 1];
    }

    const OrderedCosts& costs_;
    bool published_;
    std::vector<std::vector<int>> nodes_;  ///< positions of the order
    std::vector<int> node_of_;             ///< [position]
    CommunicationSpeed speed_[2];          ///< inside nodes, between them
};

struct PlacedStage {
    int first = 0;
    int end = 0;
    std::vector<int> devices;  ///< positions of the order
};

/// V for devices handed out in units.
class Solver {
public:
    Solver(const Cluster& cluster, int unit, std::optional<int> stages, const Control& control)
        : cluster_(cluster)
        , costs_(cluster.costs())
        , control_(control)
        , unit_(unit)
        , units_(costs_.devices() / unit)
        , layers_(costs_.layers())
        , fixed_(stages)
        , planes_(stages.value_or(1))
        , most_(std::min(units_ - (planes_ - 1), costs_.most_replicas() / unit))
        , published_(costs_.links().view() == CostView::as_published)
        , kept_(published_ ? (stages ? 2 : most_spots) : 1)
    {
        spots_.resize(at(planes_) * at(layers_ + 1) * at(units_ + 1));
    }

    /// Calls visit(stages) for every plan kept.
    template <class Visit>
    void each_plan(const Visit& visit)
    {
        for (int plane = 0; plane < planes_; ++plane) {
            for (int j = 1; j <= layers_; ++j) {
                if (fixed_ && (j <= plane || layers_ - j < planes_ - 1 - plane))
                    continue;
                const int behind = fixed_ ? planes_ - 1 - plane : 0;
                for (int u = fixed_ ? plane + 1 : 1; u <= units_ - behind; ++u) {
                    if (control_.should_stop())
                        return;
                    fill(plane, j, u);
                }
            }
        }
        for (int u = 1; u <= units_; ++u) {
            const auto& ends = spots(planes_ - 1, layers_, u);
            for (std::size_t i = 0; i < ends.size(); ++i)
                visit(stages_of(u, i));
        }
    }

private:
    struct Spot {
        double value = 0;
        std::vector<int> used;     ///< [node] devices taken
        std::vector<int> devices;  ///< of the last stage
        int cut = 0;               ///< where it begins
        std::size_t before = 0;    ///< spot in front of it
    };

    std::vector<Spot>& spots(int plane, int j, int u)
    {
        return spots_[(at(plane) * at(layers_ + 1) + at(j)) * at(units_ + 1) + at(u)];
    }

    void fill(int plane, int j, int u)
    {
        std::vector<Spot>& here = spots(plane, j, u);
        for (int own = 1; own <= std::min(u, most_); ++own) {
            if (own == u && (!fixed_ || plane == 0)) {
                const std::vector<int> none(at(cluster_.nodes()), 0);
                add(here, {}, none, 0, j, own, 0);
            }
            const int before_plane = fixed_ ? plane - 1 : 0;
            if (own == u || before_plane < 0)
                continue;
            for (int k = j - 1; k > before_plane; --k) {
                const auto& before = spots(before_plane, k, u - own);
                if (before.empty())
                    continue;
                // A longer last stage is slower still.
                const int from = published_ ? 0 : (u - own) * unit_;
                if (here.size() == kept_ && costs_.possible(from, from + own * unit_, 1)
                    && costs_.stage_s({k, j, from, from + own * unit_, 1}) >= here.back().value)
                    break;
                for (std::size_t i = 0; i < before.size(); ++i)
                    add(here, before[i].devices, before[i].used, k, j, own, i, before[i].value);
            }
        }
    }

    void add(std::vector<Spot>& here, const std::vector<int>& previous, const std::vector<int>& used, int k, int j,
             int own, std::size_t before, double so_far = 0)
    {
        if (here.size() == kept_ && so_far >= here.back().value)
            return;
        for (std::vector<int>& devices : cluster_.placements(used, own * unit_)) {
            const StageRun run = cluster_.run(k, j, devices);
            if (static_cast<int>(devices.size()) < own * unit_ || !costs_.possible(run.from, run.to, 1))
                continue;
            double value = std::max(so_far, costs_.stage_s(run));
            if (k > 0)
                value = std::max(value, cluster_.message(k, previous, devices).both_s());
            Spot spot{value, used, devices, k, before};
            cluster_.take(spot.used, devices);
            const auto same =
                std::find_if(here.begin(), here.end(), [&](const Spot& s) { return s.used == spot.used; });
            if (same != here.end()) {
                if (same->value <= value)
                    continue;
                here.erase(same);
            }
            const auto place =
                std::upper_bound(here.begin(), here.end(), value, [](double v, const Spot& s) { return v < s.value; });
            here.insert(place, std::move(spot));
            if (here.size() > kept_)
                here.pop_back();
        }
    }

    std::vector<PlacedStage> stages_of(int u, std::size_t spot)
    {
        std::vector<PlacedStage> stages;
        int plane = planes_ - 1;
        for (int j = layers_; j > 0;) {
            const Spot& here = spots(plane, j, u)[spot];
            stages.push_back({here.cut, j, here.devices});
            u -= static_cast<int>(here.devices.size()) / unit_;
            j = here.cut;
            spot = here.before;
            plane -= fixed_ ? 1 : 0;
        }
        std::reverse(stages.begin(), stages.end());
        return stages;
    }

    const Cluster& cluster_;
    const OrderedCosts& costs_;
    const Control& control_;
    int unit_;
    int units_;
    int layers_;
    std::optional<int> fixed_;
    int planes_;
    int most_;  ///< units of a stage
    bool published_;
    std::size_t kept_;                      ///< spots of each list
    std::vector<std::vector<Spot>> spots_;  ///< [stages - 1 where fixed][layers][units], best first
};

double latency_s(const Cluster& cluster, const std::vector<PlacedStage>& plan)
{
    std::vector<DappleStage> stages;
    for (std::size_t s = 0; s < plan.size(); ++s) {
        const PlacedStage& stage = plan[s];
        if (s > 0) {
            const BoundaryTime message = cluster.message(stage.first, plan[s - 1].devices, stage.devices);
            stages.push_back({message.forward_s(), message.backward_s(), 0});
        }
        const StageRun run = cluster.run(stage.first, stage.end, stage.devices);
        stages.push_back({cluster.costs().forward_s(run), cluster.costs().backward_s(run),
                          cluster.all_reduce_s(stage.first, stage.end, stage.devices)});
    }
    return dapple_latency_s(stages, cluster.costs().micro_batches());
}

std::vector<Stage> solve(const OrderedCosts& costs, std::optional<int> wanted, const Control& control)
{
    const Cluster cluster(costs);
    std::set<int> units;
    for (int i = 1; i <= costs.devices(); ++i) {
        if (costs.devices() / i <= costs.most_replicas())
            units.insert(costs.devices() / i);
    }
    std::vector<PlacedStage> best;
    double best_s = std::numeric_limits<double>::infinity();
    for (auto unit = units.rbegin(); unit != units.rend(); ++unit) {
        if (costs.devices() / *unit < wanted.value_or(1))
            continue;
        Solver solver(cluster, *unit, wanted, control);
        solver.each_plan([&](const std::vector<PlacedStage>& plan) {
            const double seconds = latency_s(cluster, plan);
            if (seconds < best_s) {
                best = plan;
                best_s = seconds;
            }
        });
    }
    std::vector<Stage> stages;
    for (const PlacedStage& placed : best) {
        Stage stage = costs.stage(cluster.run(placed.first, placed.end, placed.devices));
        for (std::size_t i = 0; i < placed.devices.size(); ++i)
            stage.devices[i] = costs.problem().device_ids[at(costs.links().order()[at(placed.devices[i])])];
        stages.push_back(std::move(stage));
    }
    return stages;
}

}  // namespace

Plan plan_dapple(const Problem& problem, const PlanRequest& request, const Control& control)
{
    return plan_over_settings(problem, request, control, {},
                              [&](const std::vector<OrderedCosts>& costs, const Control& limited) {
                                  return solve(costs.front(), problem.stages, limited);
                              });
}

}  // namespace nnpiper
