// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/problem/problem.h"

#include <string>

namespace nnpiper {

/// Why no plan can keep all locks, one sentence with their places: a device that two of them want otherwise, or too few
/// devices left by those that keep some idle. Empty where neither shows; planning may still find none.
std::string lock_contradiction(const Problem& problem);

}  // namespace nnpiper
