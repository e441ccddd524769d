// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/study/published.h"

#include <stop_token>
#include <string>

namespace nnpiper::cli {

/// Holds NN-Piper against the published planners on the environments of a file (empty: those that come with the
/// program) and prints speeds, gains and why plans fail. `format` is "table" or "json". Returns the exit status: a
/// failed check where a case has no feasible plan by any planner.
int run_published(const PublishedQuestion& question, const std::string& file, const std::string& format,
                  std::stop_token stop);

}  // namespace nnpiper::cli
