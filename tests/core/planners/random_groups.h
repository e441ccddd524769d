// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/random.h"
#include "core/planners/groups/group_chain.h"
#include "core/planners/groups/units.h"

#include <algorithm>
#include <span>

/// Stages of random groups of random devices with random shares and policies, groups inside one node.
inline nnpiper::GroupChain random_groups(nnpiper::Random& random, const nnpiper::Problem& problem, int samples)
{
    using namespace nnpiper;
    std::vector<char> used(problem.device_ids.size(), 0);
    const std::vector<int> degrees = open_degrees(problem);
    GroupChain chain;
    const int wanted = 1 + random.below(5);
    for (int s = 0; s < wanted; ++s) {
        GroupStage stage;
        stage.tensor_parallel = degrees[static_cast<std::size_t>(random.below(static_cast<int>(degrees.size())))];
        auto units = tensor_units(problem, stage.tensor_parallel);
        std::erase_if(units, [&](const auto& unit) {
            return std::any_of(unit.begin(), unit.end(), [&](int d) { return used[static_cast<std::size_t>(d)]; });
        });
        random.shuffle(std::span(units));
        const int replicas = std::min({1 + random.below(3), samples, static_cast<int>(units.size())});
        int left = samples;
        for (int r = 0; r < replicas; ++r) {
            for (const int d : units[static_cast<std::size_t>(r)]) {
                stage.devices.push_back(d);
                used[static_cast<std::size_t>(d)] = 1;
            }
            const int share = r + 1 == replicas ? left : 1 + random.below(left - (replicas - r - 1));
            stage.shares.push_back(share);
            left -= share;
        }
        if (replicas == 0)
            break;
        for (int tries = random.below(static_cast<int>(problem.variants.size())) + 1; tries > 0; --tries)
            stage.recompute = problem.variants[static_cast<std::size_t>(tries - 1)].recompute;
        chain.stages.push_back(stage);
    }
    const int stages = std::min(chain.size(), problem.layers());
    chain.stages.resize(static_cast<std::size_t>(stages));
    for (int s = 0; s < stages; ++s) {
        const int first = chain.first(s);
        const int most = problem.layers() - (stages - s - 1);
        chain.stages[static_cast<std::size_t>(s)].end =
            s + 1 == stages ? problem.layers() : first + 1 + random.below(most - first);
    }
    return chain;
}
