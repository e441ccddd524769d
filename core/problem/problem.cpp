// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/problem/problem.h"

#include <algorithm>

namespace nnpiper {

int Problem::device_index(std::string_view id) const
{
    const auto found = std::find(device_ids.begin(), device_ids.end(), id);
    return found == device_ids.end() ? -1 : static_cast<int>(found - device_ids.begin());
}

double Problem::held_share(int layer, int tensor_parallel) const
{
    const double whole = whole_fraction.empty() ? 0 : whole_fraction[static_cast<std::size_t>(layer)];
    return whole + (1 - whole) / tensor_parallel;
}

std::string_view name_of(CostBasis basis)
{
    switch (basis) {
    case CostBasis::analytic:
        return "analytic";
    case CostBasis::calibrated:
        return "calibrated";
    case CostBasis::measured:
        return "measured";
    case CostBasis::given:
        return "given";
    }
    return "unknown";
}

}  // namespace nnpiper
