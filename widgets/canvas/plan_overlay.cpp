// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/canvas/plan_overlay.h"

namespace nnpiper {

PlanOverlay overlayOf(const std::shared_ptr<const SolvedPlan>& plan, bool outdated)
{
    PlanOverlay overlay;
    if (!plan)
        return overlay;
    overlay.present = true;
    overlay.outdated = outdated;
    for (std::size_t s = 0; s < plan->plan.stages.size(); ++s) {
        overlay.stages.push_back(plan->plan.stages[s].devices);
        for (const std::string& id : plan->plan.stages[s].devices)
            overlay.devices[id].stages.push_back(static_cast<int>(s));
    }
    for (const DeviceMemory& memory : plan->timeline.memory) {
        PlanOverlay::DeviceUse& use = overlay.devices[memory.device];
        use.needed_bytes += memory.needed_bytes();
        use.capacity_bytes = memory.capacity_bytes;
    }
    return overlay;
}

std::map<std::string, Lock> locksByDevice(const std::vector<Lock>& locks)
{
    std::map<std::string, Lock> by_device;
    for (const Lock& lock : locks)
        for (const std::string& id : lock.devices)
            by_device.emplace(id, lock);
    return by_device;
}

}  // namespace nnpiper
