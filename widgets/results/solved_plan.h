// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan/plan.h"
#include "core/problem/problem.h"
#include "core/simulator/timeline.h"

#include <memory>

namespace nnpiper {

/// A plan with what it was made for and what it leads to; shared, never changed once made. Views of results take
/// nothing else.
struct SolvedPlan {
    std::shared_ptr<const Problem> problem;
    Plan plan;
    Timeline timeline;
};

}  // namespace nnpiper
