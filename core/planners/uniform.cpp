// SPDX-License-Identifier: GPL-3.0-or-later
// uniform (Huang et al., GPipe, NeurIPS 2019): floor or ceil of L/S layers a stage, devices in the given order; O(L).
// The original assumes equal devices, equal layers and enough memory; so does this. Among the micro-batch sizes and
// recompute policies that the problem leaves open the fastest feasible one is taken.
//
// greedy-speed (common practice): devices in the given order, layers in proportion to each device's speed, the cut put
// where the share of the work done is nearest; O(L + S). Blind to links and memory.
#include "core/planners/baselines.h"

#include "core/planners/chains/plain_chains.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace nnpiper {

Plan plan_uniform(const Problem& problem, const PlanRequest&, const Control&)
{
    return best_chain_over_variants(problem, "uniform", ScheduleKind::gpipe, [](const ChainCosts& costs) {
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
    return best_chain_over_variants(problem, "greedy-speed", ScheduleKind::one_f_one_b, [](const ChainCosts& costs) {
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
