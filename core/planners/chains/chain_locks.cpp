// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planners/chains/chain_locks.h"

#include "core/planners/chains/chain.h"

#include <algorithm>

namespace nnpiper {

std::vector<int> given_order(const Problem& problem)
{
    std::vector<int> order;
    for (int d = 0; d < problem.devices(); ++d) {
        const std::string& id = problem.device_ids[static_cast<std::size_t>(d)];
        const bool idle = std::any_of(problem.locks.begin(), problem.locks.end(), [&](const Lock& lock) {
            return lock.idle && std::find(lock.devices.begin(), lock.devices.end(), id) != lock.devices.end();
        });
        if (!idle)
            order.push_back(d);
    }
    return order;
}

ChainLocks::ChainLocks(const Problem& problem)
    : wanted_(problem.device_ids.size(), 0)
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
            return place.devices.empty() || lock.stage != stage;  // somebody else's stage
        return lock.stage.value_or(stage) == stage && lock.first_layer.value_or(first) == first
               && lock.end_layer.value_or(end) == end;
    });
}

int ChainLocks::broken(const Chain& chain) const
{
    int broken = 0;
    for (const Place& place : places_) {
        const Lock& lock = *place.lock;
        for (const int device : place.devices) {
            const auto found = std::find(chain.device.begin(), chain.device.end(), device);
            const int stage = static_cast<int>(found - chain.device.begin());
            if (found == chain.device.end() || lock.stage.value_or(stage) != stage
                || lock.first_layer.value_or(chain.first(stage)) != chain.first(stage)
                || lock.end_layer.value_or(chain.end[static_cast<std::size_t>(stage)])
                       != chain.end[static_cast<std::size_t>(stage)])
                ++broken;
        }
    }
    return broken;
}

std::vector<int> ChainLocks::keep(std::vector<int> order) const
{
    std::vector<char> fixed(order.size(), 0);
    const auto put = [&](int device, std::size_t stage) {
        const auto found = std::find(order.begin(), order.end(), device);
        if (found != order.end())
            *found = order[stage];
        order[stage] = device;
        fixed[stage] = 1;
    };
    for (const Place& place : places_) {
        for (const int device : place.devices) {
            if (place.lock->stage && *place.lock->stage < static_cast<int>(order.size()))
                put(device, static_cast<std::size_t>(*place.lock->stage));
        }
    }
    for (std::size_t device = 0; device < wanted_.size(); ++device) {
        if (!wanted_[device] || std::find(order.begin(), order.end(), static_cast<int>(device)) != order.end())
            continue;
        for (std::size_t s = order.size(); s-- > 0;) {
            if (!fixed[s] && !wants(order[s])) {
                put(static_cast<int>(device), s);
                break;
            }
        }
    }
    return order;
}

}  // namespace nnpiper
