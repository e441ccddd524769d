// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planners/chains/plain_chains.h"

#include "core/planners/planner.h"
#include "core/simulator/simulate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace nnpiper {

Plan best_chain_over_variants(const Problem& problem, const std::string& planner, ScheduleKind fallback,
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
        Plan plan = to_plan(costs, cut(costs), planner);
        predict_fast(problem, plan);  // the detailed engine would cost more than all else here
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

std::vector<int> proportional_ends(int layers, const std::vector<double>& weights)
{
    const int runs = static_cast<int>(weights.size());
    const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
    std::vector<int> ends;
    double before = 0;
    for (int r = 0; r < runs; ++r) {
        before += total > 0 ? weights[static_cast<std::size_t>(r)] / total : 1.0 / runs;
        const int least = r == 0 ? 1 : ends.back() + 1;
        const int wish = static_cast<int>(std::lround(layers * before));
        ends.push_back(r + 1 == runs ? layers : std::clamp(wish, least, layers - (runs - r - 1)));
    }
    return ends;
}

}  // namespace nnpiper
