// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/problem/problem.h"

#include <algorithm>

namespace nnpiper {

int Problem::device_index(std::string_view id) const
{
    const auto found = std::find(device_ids.begin(), device_ids.end(), id);
    return found == device_ids.end() ? -1 : static_cast<int>(found - device_ids.begin());
}

}  // namespace nnpiper
