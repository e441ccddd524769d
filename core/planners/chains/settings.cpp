// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planners/chains/settings.h"

#include "core/base/parallel.h"

#include <algorithm>

namespace nnpiper {

namespace {

void sort_by_best(std::vector<SettingCandidates>& candidates)
{
    std::stable_sort(candidates.begin(), candidates.end(), [](const auto& a, const auto& b) {
        return a.chains.front().score < b.chains.front().score;
    });
}

SettingCandidates look_at(const Problem& problem, const ChainSetting& setting, Look look, const Control& control)
{
    const ChainCosts costs(problem, setting);
    return {setting, split_orders(costs, start_orders(costs, look), control, look == Look::quick ? 0 : 5, processors())};
}

}  // namespace

std::vector<SettingCandidates> rank_settings(const Problem& problem, std::size_t keep, const Control& control, Look look)
{
    std::vector<ChainSetting> settings = open_settings(problem);
    std::vector<SettingCandidates> ranked;
    if (settings.size() > 1) {
        // Many stages first: when time runs out, the devices have at least been used.
        std::stable_sort(settings.begin(), settings.end(),
                         [](const ChainSetting& a, const ChainSetting& b) { return a.stages > b.stages; });
        for (const ChainSetting& setting : settings) {
            if (!ranked.empty() && control.should_stop())
                break;
            ranked.push_back(look_at(problem, setting, Look::quick, control));
        }
        sort_by_best(ranked);
        if (ranked.size() > 3 * keep)
            ranked.resize(3 * keep);
        for (SettingCandidates& candidate : ranked) {
            if (control.should_stop())
                break;
            candidate = look_at(problem, candidate.setting, look, control);
        }
        sort_by_best(ranked);
        if (ranked.size() > keep)
            ranked.resize(keep);
    } else if (!settings.empty()) {
        ranked.push_back(look_at(problem, settings.front(), look, control));
    }
    return ranked;
}

}  // namespace nnpiper
