// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/problem/stage_group.h"

#include <algorithm>
#include <cstddef>

namespace nnpiper {

std::vector<int> StageGroup::members(int replica) const
{
    const auto first = devices.begin() + static_cast<std::ptrdiff_t>(replica) * tensor_parallel;
    return {first, first + tensor_parallel};
}

std::vector<int> StageGroup::peers(int slice) const
{
    std::vector<int> result;
    for (std::size_t i = static_cast<std::size_t>(slice); i < devices.size();
         i += static_cast<std::size_t>(tensor_parallel))
        result.push_back(devices[i]);
    return result;
}

std::vector<std::pair<double, double>> StageGroup::ranges() const
{
    std::vector<std::pair<double, double>> result;
    int begin = 0;
    for (const int share : shares) {
        for (int i = 0; i < tensor_parallel; ++i)
            result.emplace_back(begin + static_cast<double>(share) * i / tensor_parallel,
                                begin + static_cast<double>(share) * (i + 1) / tensor_parallel);
        begin += share;
    }
    return result;
}

std::vector<int> shares_of(const Stage& stage, int samples)
{
    if (!stage.shares.empty())
        return stage.shares;
    const int n = static_cast<int>(stage.devices.size()) / std::max(1, stage.tensor_parallel);
    std::vector<int> shares(static_cast<std::size_t>(n), samples / n);
    for (int i = 0; i < samples % n; ++i)
        ++shares[static_cast<std::size_t>(i)];
    return shares;
}

StageGroup stage_group(const Problem& problem, const Stage& stage, int samples)
{
    StageGroup group;
    for (const auto& id : stage.devices)
        group.devices.push_back(problem.device_index(id));
    group.tensor_parallel = std::max(1, stage.tensor_parallel);
    group.shares = shares_of(stage, samples);
    return group;
}

}  // namespace nnpiper
