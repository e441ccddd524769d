// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/cluster/cluster.h"

#include <string>
#include <string_view>
#include <vector>

namespace nnpiper {

/// What most clusters are made of, by catalogue name.
const std::vector<std::string>& commonDeviceTypes();

/// A kind of link that people draw; the title is a source text of context "nnpiper::PaletteModel".
struct CommonLink {
    const char* entry;  ///< catalogue name
    const char* title;
};
const std::vector<CommonLink>& commonLinks();

}  // namespace nnpiper
