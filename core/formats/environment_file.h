// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/study/published.h"

#include <string>
#include <string_view>
#include <vector>

namespace nnpiper {

/// Environments ("nnpiper-environments", see the schema) to cases, one for every job. Throws Error at `place` and JSON
/// pointer on faults, double ids, names that no catalogue holds and links whose speed or latency is not known.
std::vector<EvaluationCase> read_environments(std::string_view text, const std::string& place,
                                              std::vector<std::string>* warnings = nullptr);

/// Those that come with the program.
std::vector<EvaluationCase> shipped_environments();

}  // namespace nnpiper
