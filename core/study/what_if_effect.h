// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/control.h"
#include "core/plan/plan.h"
#include "core/planners/planner.h"
#include "core/study/what_if.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace nnpiper {

/// A project's best plan and its throughput, or one sentence that says why it has none.
struct PlannedProject {
    Plan plan;
    std::string failure;  ///< empty when the plan is feasible

    std::optional<double> throughput_samples_per_s() const;
};

/// What a change leads to.
struct WhatIfEffect {
    WhatIf change;
    PlannedProject planned;
    std::optional<double> gain;           ///< fraction of the throughput before; empty where either is unknown
    std::optional<double> gain_per_cost;  ///< of an upgrade that costs: gain a dollar an hour
};

/// Plans with nn-piper, or with local-search where there is no network. Of two plans, the new one and `before` where it
/// still runs and keeps its figures' meaning, the better by the project's objective: a faster link never makes a
/// project slower. Throws nothing: what cannot be planned is told by `failure`.
PlannedProject plan_project(const Project& project, const PlanRequest& request, const Control& control,
                            const Plan* before = nullptr);

WhatIfEffect effect_of(WhatIf change, const PlannedProject& before, const PlanRequest& request, const Control& control);

/// What pays comes first. What gains and costs nothing or less (by gain), then upgrades by gain per cost, then gains of
/// unknown price, then what changes nothing (less than 0.05 %), the larger saving first, then losses, the least first,
/// then what cannot be planned.
bool pays_more(const WhatIfEffect& a, const WhatIfEffect& b);

}  // namespace nnpiper
