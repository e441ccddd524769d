// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan/op.h"

#include <string>
#include <string_view>
#include <vector>

namespace nnpiper {

/// Cells of an order as people write them: stage, letter, micro-batch, "0F3". F forward, I input gradient, W weight
/// gradient, B both ("BW" is read as well). An overlapped pair is one cell, "(0F1;1B0)".
std::string order_cell(const Op& op);

/// The ops of one cell, one or a pair. Throws Error at `place`.
std::vector<Op> ops_of_cell(std::string_view cell, const std::string& place);

/// An order from CSV text: a row a device, cells from left to right in the order they run; empty cells are idle slots
/// and are skipped, and so are lines that start with '#'. Throws Error with `place`, line and column.
OpOrder read_order_csv(std::string_view text, const std::string& place);

/// The cells of one device's list.
std::vector<std::string> order_cells(const std::vector<Op>& ops);
std::string write_order_csv(const OpOrder& order);

}  // namespace nnpiper
