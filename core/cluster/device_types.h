// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/cluster/cluster.h"

#include <string>
#include <string_view>
#include <vector>

namespace nnpiper {

/// Throws Error with a JSON pointer under `place` on numbers out of range and unknown precisions.
void check(const DeviceSpec& spec, const std::string& place);
/// The same for a project's own device types, and on a name that is empty or there twice.
void check(const std::vector<DeviceSpec>& types, const std::string& place = "/device_types");

/// The device type of that name: one of a project's own, else the catalogue's; nullptr where there is neither.
const DeviceSpec* find_device_type(const std::vector<DeviceSpec>& own, std::string_view name);

}  // namespace nnpiper
