// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/results/strip_layout.h"

#include <algorithm>
#include <cmath>

namespace nnpiper {
namespace {

std::size_t at(int i)
{
    return static_cast<std::size_t>(i);
}

}  // namespace

QRectF StripLayout::layerRect(int layer) const
{
    return QRectF(edge(layer), area.top(), cell(), area.height());
}

QRectF StripLayout::stageRect(int stage) const
{
    const int first = stage == 0 ? 0 : ends[at(stage - 1)];
    return QRectF(edge(first), area.top(), edge(ends[at(stage)]) - edge(first), area.height());
}

int StripLayout::stageOf(int layer) const
{
    return static_cast<int>(std::upper_bound(ends.begin(), ends.end(), layer) - ends.begin());
}

int StripLayout::layerAt(double x) const
{
    if (layers == 0 || x < area.left() || x >= area.right())
        return -1;
    return std::clamp(static_cast<int>((x - area.left()) / cell()), 0, layers - 1);
}

int StripLayout::lowestEnd(int boundary) const
{
    return (boundary == 0 ? 0 : ends[at(boundary - 1)]) + 1;
}

int StripLayout::highestEnd(int boundary) const
{
    return ends[at(boundary + 1)] - 1;
}

int StripLayout::endLayerAt(int boundary, double x) const
{
    const int wanted = static_cast<int>(std::lround((x - area.left()) / cell()));
    return std::clamp(wanted, lowestEnd(boundary), highestEnd(boundary));
}

int StripLayout::boundaryAt(double x, double reach) const
{
    int best = -1;
    double nearest = reach;
    for (int b = 0; b + 1 < static_cast<int>(ends.size()); ++b) {
        const double distance = std::abs(edge(ends[at(b)]) - x);
        if (distance <= nearest) {
            nearest = distance;
            best = b;
        }
    }
    return best;
}

StripCaption fittingCaption(const std::vector<StripCaption>& fullestFirst, double width, const QFontMetrics& metrics)
{
    for (const StripCaption& caption : fullestFirst)
        if (metrics.horizontalAdvance(caption.first) <= width && metrics.horizontalAdvance(caption.second) <= width)
            return caption;
    return {};
}

}  // namespace nnpiper
