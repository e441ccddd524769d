// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/project/profile.h"

#include <nlohmann/json.hpp>

namespace nnpiper {

/// Rows of a profile as they stand in a project or profile file; the list has passed the schema.
Profile profile_from_json(const nlohmann::json& list);
nlohmann::ordered_json profile_to_json(const Profile& profile);

}  // namespace nnpiper
