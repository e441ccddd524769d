// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/results/solved_plan.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace nnpiper {

/// What the canvas shows of a plan: per device its stage and memory, and the devices of each stage.
struct PlanOverlay {
    struct DeviceUse {
        std::vector<int> stages;
        double needed_bytes = 0;
        double capacity_bytes = 0;
    };

    bool present = false;
    bool outdated = false;
    std::map<std::string, DeviceUse> devices;      ///< by id; idle ones are absent
    std::vector<std::vector<std::string>> stages;  ///< ids of each stage's devices

    const DeviceUse* use(const std::string& id) const
    {
        const auto found = devices.find(id);
        return found == devices.end() ? nullptr : &found->second;
    }
};

PlanOverlay overlayOf(const std::shared_ptr<const SolvedPlan>& plan, bool outdated);

/// The lock that holds each device, by the device's id.
std::map<std::string, Lock> locksByDevice(const std::vector<Lock>& locks);

}  // namespace nnpiper
