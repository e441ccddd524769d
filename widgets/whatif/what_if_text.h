// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace nnpiper {

struct WhatIf;

/// One line for a person: "One RTX 3090 less (node-a/gpu1)", "10 GbE twice as fast (2 links)".
QString whatIfText(const WhatIf& change);

}  // namespace nnpiper
