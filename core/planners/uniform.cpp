// SPDX-License-Identifier: GPL-3.0-or-later
// uniform (Huang et al., GPipe, NeurIPS 2019): floor or ceil of L/S layers a stage, devices in the given order; O(L).
// The original assumes equal devices, equal layers and enough memory; so does this. Among the micro-batch sizes and
// recompute policies that the problem leaves open the fastest feasible one is taken.
//
// greedy-speed (common practice): devices in the given order, layers in proportion to each device's speed, the cut put
// where the share of the work done is nearest; O(L + S). Blind to links and memory.
#include "core/planners/baselines.h"

#include "core/planners/chain.h"
#include "core/simulator/simulate.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>

namespace nnpiper {

namespace {

/// The best of one chain per open variant, with as many stages as asked for or as there are devices.
Plan best_over_variants(const Problem& problem, const std::string& name, ScheduleKind fallback,
                        const std::function<Chain(const ChainCosts&)>& cut)
{
    Plan best;
    best.status = "skipped";
    best.reason = "there are fewer devices or layers than stages";
    double best_value = std::numeric_limits<double>::infinity();
    int most = 0;
    const auto settings = open_settings(problem);
    for (const ChainSetting& setting : settings)
        most = std::max(most, setting.stages);
    for (ChainSetting setting : settings) {
        if (setting.stages != most)
            continue;
        setting.schedule = problem.schedule.value_or(fallback);
        const ChainCosts costs(problem, setting);
        Plan plan = to_plan(costs, cut(costs), name);
        predict(problem, plan);
        const double value = objective_value(problem, plan);
        if (best.stages.empty() || value < best_value) {
            best = plan;
            best_value = value;
        }
    }
    return best;
}

Chain first_devices(const ChainCosts& costs)
{
    Chain chain;
    chain.device.assign(costs.usable().begin(), costs.usable().begin() + costs.stages());
    return chain;
}

}  // namespace

Plan plan_uniform(const Problem& problem, const PlanRequest&, const Control&)
{
    return best_over_variants(problem, "uniform", ScheduleKind::gpipe, [](const ChainCosts& costs) {
        Chain chain = first_devices(costs);
        const int layers = costs.layers();
        const int stages = costs.stages();
        int end = 0;
        for (int s = 0; s < stages; ++s) {
            end += layers / stages + (s < layers % stages ? 1 : 0);
            chain.end.push_back(end);
        }
        return chain;
    });
}

Plan plan_greedy_speed(const Problem& problem, const PlanRequest&, const Control&)
{
    return best_over_variants(problem, "greedy-speed", ScheduleKind::one_f_one_b, [](const ChainCosts& costs) {
        Chain chain = first_devices(costs);
        const int layers = costs.layers();
        const int stages = costs.stages();
        double total_speed = 0;
        std::vector<double> speed;
        for (const int d : chain.device) {
            speed.push_back(1 / std::max(1e-300, costs.forward(d, 0, layers) + costs.backward(d, 0, layers)));
            total_speed += speed.back();
        }
        // Work done up to a layer as a fraction, by the mean device.
        const auto done = [&](int end) {
            double part = 0;
            double whole = 0;
            for (const int d : chain.device) {
                part += costs.forward(d, 0, end) + costs.backward(d, 0, end);
                whole += costs.forward(d, 0, layers) + costs.backward(d, 0, layers);
            }
            return whole > 0 ? part / whole : static_cast<double>(end) / layers;
        };
        double target = 0;
        int end = 0;
        for (int s = 0; s < stages; ++s) {
            target += speed[static_cast<std::size_t>(s)] / total_speed;
            const int last = layers - (stages - s - 1);
            ++end;
            while (end < last && std::abs(done(end + 1) - target) <= std::abs(done(end) - target))
                ++end;
            if (s + 1 == stages)
                end = layers;
            chain.end.push_back(end);
        }
        return chain;
    });
}

}  // namespace nnpiper
