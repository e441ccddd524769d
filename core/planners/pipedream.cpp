// SPDX-License-Identifier: GPL-3.0-or-later
// pipedream (Narayanan et al., PipeDream, SOSP 2019). Recurrence over prefixes of the layers on equal devices:
//   A(j, m) = min{ R(1, j, m), min over k, m' of max[ A(k, m - m'), 2 a_k / beta, R(k+1, j, m') ] }
//   R(i, j, m) = (t(i, j) + 4 (m - 1) w(i, j) / (beta m)) / m
// with t the layers' time on the mean device, a_k the bytes at cut k, w the gradient bytes and beta the bandwidth.
// The original runs it once per bandwidth level of equal nodes; with unlike nodes there are no levels, so one pass uses
// the harmonic mean of the bandwidth between neighbours in the given order. O(L^2 D^2), times S where the number of
// stages is fixed. The original assumes equal devices and enough memory and synchronises weights at every micro-batch;
// its answer is kept and the simulator scores it. Devices are handed out in the given order.
#include "core/planners/baselines.h"

#include "core/planners/chain.h"
#include "core/simulator/simulate.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace nnpiper {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

std::size_t at(int i)
{
    return static_cast<std::size_t>(i);
}

struct MeanCluster {
    std::vector<double> time;       ///< prefix sums [0..L] of forward + backward on the mean device
    std::vector<double> gradients;  ///< prefix sums of gradient bytes
    std::vector<double> cut;        ///< 2 a_k / beta after layer k-1, by k
    double bandwidth = infinite;
};

MeanCluster mean_of(const ChainCosts& costs, const Variant& variant)
{
    const Problem& problem = costs.problem();
    const auto& usable = costs.usable();
    MeanCluster mean;
    for (int l = 0; l <= costs.layers(); ++l) {
        double total = 0;
        for (const int d : usable)
            total += costs.forward(d, 0, l) + costs.backward(d, 0, l);
        mean.time.push_back(total / static_cast<double>(usable.size()));
    }
    mean.gradients.push_back(0);
    for (int l = 0; l < costs.layers(); ++l)
        mean.gradients.push_back(mean.gradients.back()
                                 + (problem.gradient_bytes.empty() ? 0 : problem.gradient_bytes[at(l)]));
    double inverse = 0;
    for (std::size_t i = 0; i + 1 < usable.size(); ++i) {
        const double bandwidth = problem.bandwidth_bytes_per_s(usable[i], usable[i + 1]);
        inverse += bandwidth > 0 ? 1 / bandwidth : 0;
    }
    if (inverse > 0)
        mean.bandwidth = static_cast<double>(usable.size() - 1) / inverse;
    mean.cut.push_back(0);
    for (int k = 1; k <= costs.layers(); ++k)
        mean.cut.push_back(2 * variant.output_bytes[at(k - 1)] / mean.bandwidth);
    return mean;
}

/// Stages as (end layer, replicas) in order; empty when the wanted number of stages is not possible.
std::vector<std::pair<int, int>> solve(const MeanCluster& mean, int layers, int devices, int most_replicas,
                                       std::optional<int> wanted_stages)
{
    // With a fixed number of stages the state has the stage as well; otherwise one plane is used over and over.
    const int planes = wanted_stages.value_or(1);
    const auto index = [&](int plane, int j, int m) { return (at(plane) * at(layers + 1) + at(j)) * at(devices + 1) + at(m); };
    std::vector<double> best(index(planes, 0, 0), infinite);
    std::vector<std::pair<int, int>> from(best.size(), {-1, -1});  // previous (layers, devices), (0, 0) for a first stage
    const auto replicated = [&](int first, int end, int m) {
        const double weights = mean.gradients[at(end)] - mean.gradients[at(first)];
        return (mean.time[at(end)] - mean.time[at(first)] + 4 * (m - 1) * weights / (mean.bandwidth * m)) / m;
    };
    for (int plane = 0; plane < planes; ++plane) {
        const int before = wanted_stages ? plane - 1 : plane;
        for (int j = 1; j <= layers; ++j) {
            for (int m = 1; m <= devices; ++m) {
                double& value = best[index(plane, j, m)];
                if ((!wanted_stages || plane == 0) && m <= most_replicas) {
                    value = replicated(0, j, m);
                    from[index(plane, j, m)] = {0, 0};
                }
                if (before < 0)
                    continue;
                for (int k = 1; k < j; ++k) {
                    for (int last = 1; last < m && last <= most_replicas; ++last) {
                        const double trial =
                            std::max({best[index(before, k, m - last)], mean.cut[at(k)], replicated(k, j, last)});
                        if (trial < value) {
                            value = trial;
                            from[index(plane, j, m)] = {k, m - last};
                        }
                    }
                }
            }
        }
    }
    std::vector<std::pair<int, int>> stages;
    int plane = planes - 1;
    int j = layers;
    int m = devices;
    for (int use = 1; use <= devices; ++use) {  // fewer devices only when that is better
        if (best[index(plane, layers, use)] < best[index(plane, layers, m)])
            m = use;
    }
    if (!std::isfinite(best[index(plane, j, m)]))
        return {};
    while (j > 0) {
        const auto [k, used] = from[index(plane, j, m)];
        stages.emplace_back(j, m - used);
        j = k;
        m = used;
        if (wanted_stages)
            --plane;
    }
    std::reverse(stages.begin(), stages.end());
    return stages;
}

}  // namespace

Plan plan_pipedream(const Problem& problem, const PlanRequest&, const Control& control)
{
    Plan best;
    best.status = "skipped";
    best.reason = "there are fewer devices or layers than stages";
    double best_value = infinite;
    int last_variant = -1;
    for (const ChainSetting& setting : open_settings(problem)) {
        if (setting.variant == last_variant || (!best.stages.empty() && control.should_stop()))
            continue;  // the recurrence finds the number of stages itself
        last_variant = setting.variant;
        const ChainCosts costs(problem, setting);
        const Variant& variant = problem.variants[at(setting.variant)];
        const int most_replicas = problem.replicas_allowed() ? variant.micro_batch_samples : 1;
        const auto stages = solve(mean_of(costs, variant), costs.layers(), static_cast<int>(costs.usable().size()),
                                  most_replicas, problem.stages);
        if (stages.empty())
            continue;
        Plan plan;
        plan.planner = "pipedream";
        plan.schedule = setting.schedule;
        plan.micro_batches = setting.micro_batches;
        int first = 0;
        std::size_t next = 0;
        for (const auto& [end, replicas] : stages) {
            Stage stage;
            for (int r = 0; r < replicas; ++r)
                stage.devices.push_back(problem.device_ids[at(costs.usable()[next++])]);
            stage.first_layer = first;
            stage.end_layer = end;
            stage.recompute = variant.recompute;
            plan.stages.push_back(std::move(stage));
            first = end;
        }
        predict(problem, plan);
        const double value = objective_value(problem, plan);
        if (best.stages.empty() || value < best_value) {
            best = plan;
            best_value = value;
        }
    }
    return best;
}

}  // namespace nnpiper
