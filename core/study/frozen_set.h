// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/control.h"
#include "core/plan/plan.h"
#include "core/planners/chains/chain.h"
#include "core/study/quality_sets.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nnpiper {

/// Problem `index` of the evaluation seeds of `frozen_run`, with the best plan that is known.
struct FrozenProblem {
    VirtualSize size;
    VirtualKind kind = VirtualKind::any;
    std::uint64_t index = 0;
    Chain best;             ///< empty: no plan that fits is known
    double makespan_s = 0;  ///< of `best`
    std::string proof;      ///< what proves that no plan is better: "exact", "bound"; without a plan, that none fits;
                            ///< empty: nothing
    double searched_s = 0;  ///< wall time of the searches so far
};

inline constexpr std::uint64_t frozen_run = 5;

/// The standard sets' problems, problem by problem of every set in turn, without plans yet. Indices stay when sets are
/// added behind or grow.
std::vector<FrozenProblem> standard_frozen_problems();

Problem problem_of(const FrozenProblem& frozen);
/// The plan with its predicted figures; no stages when none is known. Throws Error when devices or layers are not the
/// problem's.
Plan plan_of(const FrozenProblem& frozen, const Problem& problem);
/// Whether the stored plan is feasible and has the stored makespan within 1e-9: else the problem is another one now.
bool still_valid(const FrozenProblem& frozen, const Problem& problem);

/// Searches up to `seconds` in all (those before included) and keeps the better of stored and found: branch and bound
/// up to 16 devices, then local search from fresh starts and from the best plan. The network has no part in it, so that
/// the judge is not the judged. True when the plan or its proof changed. When stopped, what was found is kept.
bool improve(FrozenProblem& frozen, double seconds, const Control& control);

}  // namespace nnpiper
