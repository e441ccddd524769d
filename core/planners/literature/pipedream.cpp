// SPDX-License-Identifier: GPL-3.0-or-later
// pipedream (Narayanan et al., PipeDream, SOSP 2019): the least time of a minibatch over splits and replica numbers, by
// the recurrence in pipedream_recurrence.h. The original assumes equal devices, enough memory, one bandwidth a level of
// the network, and weights synchronised at every minibatch. As published we keep all of that: the mean device, and two
// levels where the cluster has equal nodes (the harmonic mean of the bandwidths inside and between them), else one.
// With true costs the same recurrence runs over devices ordered by node and speed, with each run's own time, links and
// shares, and weights synchronised once an iteration; O(L^2 D R) for R replicas at most, times S where the number of
// stages is fixed. Micro-batch size and recompute, which the paper does not choose, are settled by the simulator.
#include "core/planners/baselines.h"

#include "core/planners/literature/ordered_planner.h"
#include "core/planners/literature/pipedream_recurrence.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>

namespace nnpiper {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

std::size_t at(int i)
{
    return static_cast<std::size_t>(i);
}

/// Positions of the order by node, when every node has as many; empty: no levels.
std::vector<std::vector<int>> equal_nodes(const Problem& problem, const std::vector<int>& order)
{
    std::map<std::string, std::size_t> index;
    std::vector<std::vector<int>> nodes;
    for (std::size_t i = 0; i < order.size(); ++i) {
        const std::string& name = problem.device_nodes[at(order[i])];
        if (name.empty())
            return {};
        const auto [found, fresh] = index.emplace(name, nodes.size());
        if (fresh)
            nodes.emplace_back();
        nodes[found->second].push_back(static_cast<int>(i));
    }
    for (const auto& node : nodes) {
        if (node.size() != nodes.front().size())
            return {};
    }
    return nodes.size() > 1 && nodes.front().size() > 1 ? nodes : std::vector<std::vector<int>>();
}

/// Harmonic mean over neighbours.
class MeanBandwidth {
public:
    MeanBandwidth(const Problem& problem, const std::vector<int>& order)
        : problem_(problem)
        , order_(order)
    {
    }
    void add(int from, int to)
    {
        const double bandwidth = problem_.bandwidth_bytes_per_s(order_[at(from)], order_[at(to)]);
        inverse_ += bandwidth > 0 ? 1 / bandwidth : 0;
        count_ += bandwidth > 0 ? 1 : 0;
    }
    double value() const { return inverse_ > 0 ? count_ / inverse_ : infinite; }

private:
    const Problem& problem_;
    const std::vector<int>& order_;
    double inverse_ = 0;
    double count_ = 0;
};

/// Stages as positions of the order.
std::vector<PipeDreamStage> as_published(const OrderedCosts& costs, const Control& control)
{
    const Problem& problem = costs.problem();
    const auto& order = costs.links().order();
    PipeDreamChain chain;
    for (int l = 0; l < costs.layers(); ++l) {
        chain.time_s.push_back(costs.stage_s({l, l + 1, 0, 1, 1}));
        chain.weight_bytes.push_back(costs.gradient_bytes(l, l + 1, 1));
        chain.output_bytes.push_back(costs.output_bytes(l + 1));
    }
    const PipeDreamLimits limits{costs.most_replicas(), problem.stages};
    const auto nodes = equal_nodes(problem, order);
    if (!nodes.empty() && !problem.stages) {
        MeanBandwidth inside(problem, order), between(problem, order);
        for (std::size_t n = 0; n < nodes.size(); ++n) {
            for (std::size_t i = 0; i + 1 < nodes[n].size(); ++i)
                inside.add(nodes[n][i], nodes[n][i + 1]);
            if (n + 1 < nodes.size())
                between.add(nodes[n].back(), nodes[n + 1].front());
        }
        const int size = static_cast<int>(nodes.front().size());
        auto stages =
            solve_pipedream(chain, {{size, inside.value()}, {static_cast<int>(nodes.size()), between.value()}}, limits,
                            control)
                .stages;
        bool fit = !stages.empty();
        for (PipeDreamStage& stage : stages) {
            fit = fit && static_cast<int>(stage.devices.size()) <= costs.most_replicas();
            for (int& device : stage.devices)
                device = nodes[at(device / size)][at(device % size)];
        }
        if (fit)
            return stages;
    }
    return solve_pipedream(chain, {{costs.devices(), costs.links().mean().bytes_per_s}}, limits, control).stages;
}

/// The recurrence over runs of unlike devices: A(layers [0, j) on the first p devices), stage by stage where their
/// number is fixed.
std::vector<StageRun> with_true_costs(const OrderedCosts& costs, const Control& control)
{
    const int layers = costs.layers();
    const int devices = costs.devices();
    const auto wanted = costs.problem().stages;
    const int planes = wanted.value_or(1);
    const auto index = [&](int plane, int j, int p) {
        return (at(p) * at(layers + 1) + at(j)) * at(planes) + at(plane);
    };
    std::vector<double> best(index(0, 0, devices + 1), infinite);
    std::vector<std::pair<int, int>> from(best.size(), {0, 0});  // previous layers and devices
    for (int p = 1; p <= devices; ++p) {
        for (int j = 1; j <= layers; ++j) {
            if (control.should_stop())
                return {};
            for (int begin = std::max(0, p - costs.most_replicas()); begin < p; ++begin) {
                if (!costs.possible(begin, p, 1))
                    continue;
                if (begin == 0) {
                    const StageRun run{0, j, 0, p, 1};
                    best[index(0, j, p)] = costs.stage_s(run) + costs.sync_s(run) / costs.micro_batches();
                    from[index(0, j, p)] = {0, 0};
                    continue;
                }
                // Planes that the layers and devices behind can still fill.
                const int low = wanted ? std::max(1, planes - 1 - std::min(layers - j, devices - p)) : 0;
                for (int k = j - 1; k > 0; --k) {
                    const int high = wanted ? std::min({planes - 1, k, begin}) : 0;
                    if (high < low)
                        break;
                    const StageRun run{k, j, begin, p, 1};
                    double time = costs.stage_s(run);
                    if (!wanted && time >= best[index(0, j, p)])
                        break;  // longer runs are slower still
                    const BoundaryTime message = costs.transfer_s(k, begin - 1, begin, p);
                    time = std::max(time + costs.sync_s(run) / costs.micro_batches(),
                                    (message.forward_occupancy_s + message.backward_occupancy_s) / (p - begin)
                                        + message.forward_latency_s + message.backward_latency_s);
                    for (int plane = low; plane <= high; ++plane) {
                        const double trial = std::max(best[index(wanted ? plane - 1 : 0, k, begin)], time);
                        if (trial < best[index(plane, j, p)]) {
                            best[index(plane, j, p)] = trial;
                            from[index(plane, j, p)] = {k, begin};
                        }
                    }
                }
            }
        }
    }
    int plane = planes - 1;
    int p = devices;
    for (int fewer = devices; fewer > 0; --fewer) {
        if (best[index(plane, layers, fewer)] < best[index(plane, layers, p)])
            p = fewer;
    }
    std::vector<StageRun> runs;
    if (!(best[index(plane, layers, p)] < infinite))
        return runs;
    for (int j = layers; j > 0;) {
        const auto [cut, begin] = from[index(plane, j, p)];
        runs.push_back({cut, j, begin, p, 1});
        j = cut;
        p = begin;
        plane -= wanted ? 1 : 0;
    }
    std::reverse(runs.begin(), runs.end());
    return runs;
}

std::vector<Stage> stages_of(const OrderedCosts& costs, const Control& control)
{
    std::vector<Stage> stages;
    if (costs.links().view() == CostView::true_costs) {
        for (const StageRun& run : with_true_costs(costs, control))
            stages.push_back(costs.stage(run));
        return stages;
    }
    for (const PipeDreamStage& run : as_published(costs, control)) {
        Stage stage;
        for (const int position : run.devices)
            stage.devices.push_back(costs.problem().device_ids[at(costs.links().order()[at(position)])]);
        stage.first_layer = run.first;
        stage.end_layer = run.end;
        stage.recompute = costs.setting().recompute;
        stages.push_back(std::move(stage));
    }
    return stages;
}

}  // namespace

Plan plan_pipedream(const Problem& problem, const PlanRequest& request, const Control& control)
{
    return plan_over_settings(problem, request, control, {},
                              [](const std::vector<OrderedCosts>& costs, const Control& limited) {
                                  return stages_of(costs.front(), limited);
                              });
}

}  // namespace nnpiper
