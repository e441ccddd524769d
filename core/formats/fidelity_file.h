// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/study/fidelity.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace nnpiper {

/// Measurement records and groups of one text (see fidelity.schema.json); files that it names are looked for in
/// `folder`. Throws Error with `place` (a file name) and a JSON pointer. `warnings` gets one sentence per unknown
/// field.
FidelitySuite read_fidelity(std::string_view text, const std::string& place, const std::filesystem::path& folder,
                            std::vector<std::string>* warnings = nullptr);

/// All *.fidelity.json files of a folder, by name. Throws Error when there is none, or when two records or two groups
/// have the same id.
FidelitySuite load_fidelity(const std::filesystem::path& folder, std::vector<std::string>* warnings = nullptr);

}  // namespace nnpiper
