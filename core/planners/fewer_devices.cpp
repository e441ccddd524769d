// SPDX-License-Identifier: GPL-3.0-or-later
// fewer-devices (ours; the answer that surprises people): the k fastest devices alone, for every k that the problem
// leaves open, one a stage. A slow device or a slow link on the way can cost more than its work is worth: it adds two
// transfers and a place in the pipeline to fill. For every k the devices stand fastest first, fastest last and in the
// given order, with layers in proportion to speed and by the throttle-aware split; the simulator chooses.
// O(D) settings times the split's O(S L w) a period. Many devices are looked at first; few are left out when time ends.
#include "core/planners/baselines.h"

#include "core/planners/chains/local_search.h"
#include "core/planners/chains/plain_chains.h"
#include "core/simulator/simulate.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <utility>

namespace nnpiper {

namespace {

/// The setting's fastest devices in three orders.
std::vector<std::vector<int>> orders_of_fastest(const ChainCosts& costs)
{
    const auto time = [&](int device) {
        return costs.forward(device, 0, costs.layers()) + costs.backward(device, 0, costs.layers());
    };
    std::vector<int> fastest_first = costs.usable();
    std::stable_sort(fastest_first.begin(), fastest_first.end(), [&](int a, int b) { return time(a) < time(b); });
    fastest_first.resize(static_cast<std::size_t>(costs.stages()));
    std::vector<int> fastest_last(fastest_first.rbegin(), fastest_first.rend());
    std::vector<int> given = fastest_first;
    std::sort(given.begin(), given.end());
    return {fastest_first, fastest_last, given};
}

ScoredChain best_chain(const ChainCosts& costs, const Control& control)
{
    const auto orders = orders_of_fastest(costs);
    ScoredChain best = split_orders(costs, orders, control, 1).front();
    ChainEvaluator evaluator(costs);
    for (const std::vector<int>& order : orders) {
        std::vector<double> speed;
        for (const int device : order)
            speed.push_back(1
                            / std::max(1e-300, costs.forward(device, 0, costs.layers())
                                                   + costs.backward(device, 0, costs.layers())));
        ScoredChain proportional{{order, proportional_ends(costs.layers(), speed)}, 0};
        proportional.score = evaluator.score(proportional.chain);
        if (proportional.score < best.score)
            best = proportional;
    }
    return best;
}

}  // namespace

Plan plan_fewer_devices(const Problem& problem, const PlanRequest&, const Control& control)
{
    Plan best;
    best.status = "skipped";
    best.reason = "there are fewer devices or layers than stages";
    std::vector<ChainSetting> settings = open_settings(problem);
    const auto rank = [&](const ChainSetting& setting) {
        return std::pair(setting.variant != problem.default_variant, -setting.stages);
    };
    std::stable_sort(settings.begin(), settings.end(),
                     [&](const ChainSetting& a, const ChainSetting& b) { return rank(a) < rank(b); });
    double best_score = std::numeric_limits<double>::infinity();
    bool cut_short = false;
    for (const ChainSetting& setting : settings) {
        if (!best.stages.empty() && control.should_stop()) {
            cut_short = true;
            break;
        }
        const ChainCosts costs(problem, setting);
        const ScoredChain found = best_chain(costs, control);
        if (!best.stages.empty() && !(found.score < best_score))
            continue;
        best_score = found.score;
        best = to_plan(costs, found.chain, "fewer-devices");
        const std::size_t idle = costs.usable().size() - found.chain.device.size();
        best.detail = idle == 0 ? "all devices are used"
                                : std::to_string(idle) + (idle == 1 ? " device is" : " devices are") + " left idle";
    }
    if (cut_short)
        best.status = "stopped";
    return best;
}

}  // namespace nnpiper
