// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace nnpiper {

/// Registers the pictures and style sheet of this static library (a linker would drop them unseen). Cheap to repeat.
void ensureResources();

}  // namespace nnpiper
