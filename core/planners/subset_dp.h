// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/control.h"
#include "core/planners/chains/chain.h"

#include <vector>

namespace nnpiper {

/// Sum of stage times + transfers there and back + (M-1) x the largest of them, seconds.
double closed_form_s(const ChainCosts& costs, const Chain& chain);

/// Multiply-adds of one pass of the dynamic programme and cells of its table.
struct SubsetDpSize {
    double cells = 0;
    double work = 0;
};
SubsetDpSize subset_dp_size(const ChainCosts& costs);

/// Chains that keep memory, routes and locks: for every possible value of the largest term the one of least sum, from the
/// largest on, as far as their closed form is within `within` times the best. The optimum of the closed form is among
/// them; empty when no chain is possible. `known` is the closed form of some possible chain, infinite for none. Ends early
/// when `control` says so.
std::vector<Chain> closed_form_staircase(const ChainCosts& costs, double known, double within, const Control& control);

}  // namespace nnpiper
