// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/theme/colors.h"

#include <QIcon>

namespace nnpiper {

/// The line icon :/icons/NAME.svg drawn in the colour of `role` (checked: accent, disabled: pale), sharp at every size
/// and scale. Make it again on QEvent::PaletteChange. A name without a file gives a null icon.
QIcon themedIcon(const QString& name, const QPalette& palette, ColorRole role = ColorRole::text);

}  // namespace nnpiper
