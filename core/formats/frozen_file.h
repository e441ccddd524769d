// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/study/frozen_set.h"

#include <string>
#include <string_view>
#include <vector>

namespace nnpiper {

/// The frozen evaluation set (see frozen.schema.json). Throws Error with `place` (a file name) and a JSON pointer.
std::vector<FrozenProblem> read_frozen(std::string_view text, const std::string& place);

/// One problem a line, so that a better plan is one changed line.
std::string write_frozen(const std::vector<FrozenProblem>& problems);

}  // namespace nnpiper
