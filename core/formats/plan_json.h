// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan/plan.h"
#include "core/problem/problem.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace nnpiper {

/// What stands in a file in place of a plan's parts; the objects have passed the schema. Readers throw Error at `place`
/// (a file name) and `pointer`.

nlohmann::ordered_json stages_to_json(const std::vector<Stage>& stages);
/// `problem` (or nullptr) turns device indices into ids; `recompute` is taken where a stage says nothing. Checks that
/// the stages follow each other from layer 0 and that no device stands twice but as another chunk where there are `chunks`.
std::vector<Stage> stages_from_json(const nlohmann::json& list, const std::string& place, const std::string& pointer,
                                    const Problem* problem, Recompute recompute, bool chunks = false);

nlohmann::ordered_json plan_to_json(const Plan& plan);
Plan plan_from_json(const nlohmann::json& document, const std::string& place, const std::string& pointer,
                    const Problem* problem);

nlohmann::ordered_json locks_to_json(const std::vector<Lock>& locks);
/// Device ids must be among `devices`; `layers` and `stages` bound the numbers where they are positive.
std::vector<Lock> locks_from_json(const nlohmann::json& list, const std::string& place, const std::string& pointer,
                                  const std::vector<std::string>& devices, int layers, int stages);

}  // namespace nnpiper
