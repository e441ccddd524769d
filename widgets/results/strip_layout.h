// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFontMetrics>
#include <QRectF>
#include <QString>

#include <vector>

namespace nnpiper {

/// Where the layer chain stands in the strip: equal cells side by side. A value; `ends` are the stages' end layers.
struct StripLayout {
    QRectF area;
    int layers = 0;
    std::vector<int> ends;

    double cell() const { return layers > 0 ? area.width() / layers : 0; }
    double edge(int layer) const { return area.left() + layer * cell(); }
    QRectF layerRect(int layer) const;
    QRectF stageRect(int stage) const;
    int stageOf(int layer) const;
    /// -1 outside.
    int layerAt(double x) const;
    /// The nearest possible boundary for a pointer at `x`, between neighbours that keep at least one layer each.
    int endLayerAt(int boundary, double x) const;
    int lowestEnd(int boundary) const;
    int highestEnd(int boundary) const;
    /// Boundary whose handle is within `reach` pixels of x, the nearest one; -1 for none.
    int boundaryAt(double x, double reach) const;
};

/// Two lines under a stage, in the fullest form that fits `width`: long, short, or nothing. Never clipped.
struct StripCaption {
    QString first;
    QString second;
};
StripCaption fittingCaption(const std::vector<StripCaption>& fullestFirst, double width, const QFontMetrics& metrics);

}  // namespace nnpiper
