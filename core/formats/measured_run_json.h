// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/study/measured_run.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>

namespace nnpiper {

/// What was run, from the fields schedule, problem, project, plan, training and blocking of a record that has passed
/// the schema. Files that it names are looked for in `folder`. Throws Error at `place` with a JSON pointer.
MeasuredRun measured_run_from_json(const nlohmann::json& record, const std::string& place,
                                   const std::filesystem::path& folder);

}  // namespace nnpiper
