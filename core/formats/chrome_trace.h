// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/simulator/timeline.h"

#include <string>

namespace nnpiper {

/// Chrome Trace Event JSON for Perfetto and chrome://tracing: a process per stage with a compute track and one track
/// per link direction, numeric sort indices, integer flow ids, times in microseconds.
std::string chrome_trace(const Timeline& timeline, const std::string& title);

}  // namespace nnpiper
