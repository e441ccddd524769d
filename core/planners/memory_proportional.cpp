// SPDX-License-Identifier: GPL-3.0-or-later
// memory-proportional (common practice): devices in the given order, layers in proportion to each device's memory, at
// least one each; O(S). Blind to speed, links and how much a layer needs. Among the micro-batch sizes and recompute
// policies that the problem leaves open the fastest feasible one is taken.
#include "core/planners/baselines.h"

#include "core/planners/chains/plain_chains.h"

namespace nnpiper {

Plan plan_memory_proportional(const Problem& problem, const PlanRequest&, const Control&)
{
    const auto cut = [](const ChainCosts& costs) {
        Chain chain = first_devices(costs);
        std::vector<double> memory;
        for (const int device : chain.device)
            memory.push_back(costs.capacity(device));
        chain.end = proportional_ends(costs.layers(), memory);
        return chain;
    };
    return best_chain_over_variants(problem, "memory-proportional", ScheduleKind::one_f_one_b, cut);
}

}  // namespace nnpiper
