// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/cluster/container.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace nnpiper {

/// Parts of a project file that describe what is drawn; what is read has passed the schema. Reading throws Error with a
/// pointer under `place` where the parts do not fit together.
Cluster cluster_from_json(const nlohmann::json& document, const std::string& place);
nlohmann::ordered_json cluster_to_json(const Cluster& cluster);

std::vector<DeviceSpec> device_types_from_json(const nlohmann::json& list, const std::string& place);
nlohmann::ordered_json device_types_to_json(const std::vector<DeviceSpec>& types);

std::vector<Container> containers_from_json(const nlohmann::json& list, const Cluster& cluster,
                                            const std::string& place);
nlohmann::ordered_json containers_to_json(const std::vector<Container>& containers);

}  // namespace nnpiper
