// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace nnpiper {

/// Checks the "format" and "version" fields: the format must be `format`, a version newer than ours is told as such.
void check_format(const nlohmann::json& document, std::string_view format, const std::string& place);

/// Validates a document against the embedded schema `name` ("project"). Throws Error at `place` and the JSON pointer of
/// the innermost fault (behind `pointer`, where the document is part of a larger one).
void check_schema(const nlohmann::json& document, std::string_view name, const std::string& place,
                  const std::string& pointer = {});

/// One sentence per field that the schema does not know ("/job/colour is not known and is kept out").
std::vector<std::string> unknown_fields(const nlohmann::json& document, std::string_view name,
                                        const std::string& pointer = {});

}  // namespace nnpiper
