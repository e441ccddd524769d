// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/simulator/timeline.h"

#include <string>

namespace nnpiper::cli {

/// A row of characters a stage, time to the right: "F3---" a forward of micro-batch 3, "B3====" a backward, dots idle.
/// At most `columns` characters of time.
std::string ascii_drawing(const Timeline& timeline, int columns = 160);

/// The same as a scalable drawing with a time axis; stands alone.
std::string svg_drawing(const Timeline& timeline, const std::string& title);

}  // namespace nnpiper::cli
