// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/study/calibrate.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace nnpiper {

/// Measured runs from a table with a heading, one run a line (RFC 4180; lines that begin with "#" are remarks). Columns
/// in any order: iteration_s and either project or problem (files relative to `folder`) with plan (left out: the only
/// plan that the project keeps), or schedule with stages, micro_batches, forward_s, backward_input_s,
/// backward_weight_s, delay_s, transfer_s and chunks; name and blocking (yes, no) as one likes. Numbers have a decimal
/// point; a list of them is separated by blanks. Throws Error at "place:line".
std::vector<MeasuredStep> read_measured_csv(std::string_view text, const std::string& place,
                                            const std::filesystem::path& folder);

/// The columns above, for a help text.
const std::vector<std::string>& measured_csv_columns();

}  // namespace nnpiper
