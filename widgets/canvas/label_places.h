// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPainterPath>
#include <QRectF>
#include <QSizeF>

#include <vector>

namespace nnpiper {

/// Middle of a label on a curve: as near to the curve's middle as it can be without touching any of `taken`; the place
/// that touches least where there is none.
QPointF freeLabelCenter(const QPainterPath& path, QSizeF size, const std::vector<QRectF>& taken);

}  // namespace nnpiper
