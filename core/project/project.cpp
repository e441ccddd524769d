// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/project/project.h"

#include <algorithm>

namespace nnpiper {

bool Project::operator==(const Project& other) const
{
    const auto same_choice = [](const Plan& a, const Plan& b) {
        return a.planner == b.planner && a.schedule == b.schedule && a.micro_batches == b.micro_batches
               && a.stages == b.stages;
    };
    return name == other.name && description == other.description && assumptions == other.assumptions
           && model == other.model && cluster == other.cluster && job == other.job && profile == other.profile
           && layout == other.layout && device_types == other.device_types && containers == other.containers
           && std::equal(plans.begin(), plans.end(), other.plans.begin(), other.plans.end(), same_choice);
}

}  // namespace nnpiper
