// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planners/lock_contradiction.h"

#include "core/planners/chains/chain_locks.h"

#include <algorithm>
#include <optional>

namespace nnpiper {

namespace {

bool differ(const std::optional<int>& a, const std::optional<int>& b)
{
    return a && b && *a != *b;
}

bool contradict(const Lock& a, const Lock& b)
{
    return a.idle != b.idle || differ(a.stage, b.stage) || differ(a.first_layer, b.first_layer)
           || differ(a.end_layer, b.end_layer);
}

}  // namespace

std::string lock_contradiction(const Problem& problem)
{
    for (std::size_t b = 0; b < problem.locks.size(); ++b) {
        for (std::size_t a = 0; a < b; ++a) {
            const Lock& one = problem.locks[a];
            const Lock& other = problem.locks[b];
            if (!contradict(one, other))
                continue;
            for (const std::string& id : other.devices) {
                if (std::find(one.devices.begin(), one.devices.end(), id) != one.devices.end())
                    return "/locks/" + std::to_string(b) + " wants device \"" + id + "\" otherwise than /locks/"
                           + std::to_string(a) + ": no plan keeps both";
            }
        }
    }
    const std::size_t left = given_order(problem).size();
    if (left == 0)
        return "the locks keep every device idle";
    if (problem.stages && left < static_cast<std::size_t>(*problem.stages))
        return "the locks keep all but " + std::to_string(left) + (left == 1 ? " device" : " devices") + " idle, and "
               + std::to_string(*problem.stages) + " stages are asked for";
    return {};
}

}  // namespace nnpiper
