// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/quality_sources.h"

#include <stop_token>
#include <string>

namespace nnpiper::cli {

/// `evaluate --suite quality --freeze FILE`: makes the frozen set, or goes on with the one in the file, until every
/// problem was searched for `seconds` or is proved. Problems that the filter does not want are kept as they are. The
/// file is written again and again, so that nothing is lost when stopped. Returns the exit status.
int run_freeze(const std::string& file, double seconds, const QualityFilter& filter, std::stop_token stop);

}  // namespace nnpiper::cli
