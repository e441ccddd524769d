// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planners/chain_locks.h"

#include <algorithm>

namespace nnpiper {

ChainLocks::ChainLocks(const Problem& problem) : wanted_(problem.device_ids.size(), 0)
{
    for (const Lock& lock : problem.locks) {
        if (lock.idle)
            continue;
        Place place{{}, &lock};
        for (const std::string& id : lock.devices) {
            if (const int device = problem.device_index(id); device >= 0) {
                place.devices.push_back(device);
                wanted_[static_cast<std::size_t>(device)] = 1;
            }
        }
        any_ = any_ || !place.devices.empty();
        places_.push_back(std::move(place));
    }
}

bool ChainLocks::allow(int device, int stage, int first, int end) const
{
    return std::all_of(places_.begin(), places_.end(), [&](const Place& place) {
        const Lock& lock = *place.lock;
        if (std::find(place.devices.begin(), place.devices.end(), device) == place.devices.end())
            return place.devices.empty() || lock.stage != stage;   // somebody else's stage
        return lock.stage.value_or(stage) == stage && lock.first_layer.value_or(first) == first
               && lock.end_layer.value_or(end) == end;
    });
}

}  // namespace nnpiper
