// SPDX-License-Identifier: GPL-3.0-or-later
// Hanayo (Liu et al. 2023) publishes the placement, chunks in waves, and no op order. This one is greedy: equal chunks,
// a backward twice a forward, backward first, then the deepest chunk.
#include "core/schedule/list_scheduler.h"
#include "core/schedule/orders.h"

namespace nnpiper {

OpOrder hanayo_order(const StageMap& map, int micro_batches)
{
    const auto stages = static_cast<std::size_t>(map.stages);
    const std::vector<double> none(stages, 0.0);
    const ListCosts costs{std::vector<double>(stages, 1.0), std::vector<double>(stages, 2.0), {}, none, none};
    ListPolicy policy;
    // The deepest chunk first already keeps the first ones from piling up.
    policy.held.assign(static_cast<std::size_t>(map.devices), (micro_batches + 1) * map.chunks());
    policy.warm_up = policy.held;
    policy.patience.assign(policy.held.size(), 1.0);
    return list_schedule(map, micro_batches, costs, policy);
}

}  // namespace nnpiper
