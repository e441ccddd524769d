// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>

namespace nnpiper {

/// A catalogue or schema compiled into the library, by its path under `resources/` ("catalog/devices.json"); empty when
/// there is none. The definition is generated at build time.
std::string_view embedded_resource(std::string_view name);

}  // namespace nnpiper
