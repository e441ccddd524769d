// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/study/quality.h"

#include <stop_token>
#include <string>

namespace nnpiper::cli {

/// Measures planners on fresh virtual problems and prints the means by group, the paired difference to the first planner
/// with its 95 % interval beside them. `format` is "table" or "json". Returns the exit status.
int run_fresh_quality(const QualityQuestion& question, const std::string& format, std::stop_token stop);

}  // namespace nnpiper::cli
