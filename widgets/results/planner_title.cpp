// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/results/planner_title.h"

#include "core/planners/planner.h"

namespace nnpiper {

QString plannerTitle(const std::string& planner)
{
    for (const PlannerEntry& entry : planner_registry())
        if (entry.name == planner)
            return QString::fromStdString(entry.title);
    return QString::fromStdString(planner);
}

}  // namespace nnpiper
