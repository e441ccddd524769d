// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan/plan.h"
#include "core/problem/problem.h"

#include <string>
#include <vector>

namespace nnpiper {

/// A problem whose devices are tensor-parallel groups ("units") of equal devices, so that planners of single devices
/// plan with groups. A unit has the id of its first member; costs are those of the degree's variants with what the
/// group exchanges. Predictions equal those of the plan on the real devices where no link is shared between messages.
/// With replicas they do so where all stages have as many, with shares of the priced micro-batch sizes; else they are
/// near: which member sends to which then depends on the shares.
struct UnitProblem {
    Problem problem;                                ///< every variant has degree 1
    int degree = 1;                                 ///< t
    std::vector<std::vector<std::string>> members;  ///< [unit] t device ids
};

/// Groups of t devices (indices) of one type, each with those that it reaches fastest, inside nodes; across nodes only
/// when no node holds a whole group. Devices locked idle are left out, and devices with different locks never share a
/// group. Devices that find no group are left over.
std::vector<std::vector<int>> tensor_units(const Problem& problem, int degree);

/// Throws Error when the problem does not price the degree, when its devices make no group, or when a lock names a
/// device that is left over.
UnitProblem unit_problem(const Problem& problem, int degree);

/// A plan of the unit problem on the real devices.
Plan on_devices(const UnitProblem& units, Plan plan);

/// Tensor-parallel degrees that the problem leaves open, the usual one first; only that one when it is fixed.
std::vector<int> open_degrees(const Problem& problem);

}  // namespace nnpiper
