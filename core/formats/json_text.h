// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace nnpiper {

/// Text to a document. Stricter than the library's own reader: a key that stands twice in one object, nesting beyond
/// 100 levels and numbers outside the range of a double are errors. Whole numbers written with a point or an exponent
/// ("4e9", "8.0") become integers. Throws Error at `place` with line and column (a double key: with JSON pointer).
nlohmann::json parse_json(std::string_view text, const std::string& place);

/// A document as text: keys in the given order, two-space indent, arrays of plain values and whatever fits into 100
/// columns on one line, one trailing newline. Reading gives the same numbers back.
std::string print_json(const nlohmann::ordered_json& document);

/// A number for a file: whole ones without a point, NaN and infinity (unknown) as null.
nlohmann::ordered_json json_number(double value);

/// One step further down a JSON pointer; escapes "~" and "/".
std::string pointer_to(const std::string& pointer, std::string_view key);
std::string pointer_to(const std::string& pointer, std::size_t index);

/// A value as an error message shows it: short, on one line.
std::string shown(const nlohmann::json& value);

}  // namespace nnpiper
