// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/quantity.h"

#include <QLocale>
#include <QString>

namespace nnpiper {

/// A quantity as it is shown in a locale: that of `format_quantity` with the locale's decimal point.
QString quantityText(double value, Unit unit, const QLocale& locale = QLocale());

/// Reads what `quantityText` shows and everything else that `parse_quantity` accepts, with the locale's decimal point
/// (a group separator is skipped). A bare number takes the unit of `shown`, the text that stood in the field before;
/// without one it is in SI base units. Throws Error.
double readQuantity(const QString& text, Unit unit, const QString& shown = {}, const QLocale& locale = QLocale());

/// The unit in which a value is commonly said: "GB", "TFLOP/s", "ms". Empty for a count.
QString usualUnit(Unit unit);

}  // namespace nnpiper
