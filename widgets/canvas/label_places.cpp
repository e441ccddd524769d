// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/canvas/label_places.h"

#include <limits>

namespace nnpiper {

QPointF freeLabelCenter(const QPainterPath& path, QSizeF size, const std::vector<QRectF>& taken)
{
    static constexpr double places[] = {0.5, 0.45, 0.55, 0.4, 0.6, 0.35, 0.65, 0.3,
                                        0.7, 0.25, 0.75, 0.2, 0.8, 0.15, 0.85};
    double least = std::numeric_limits<double>::infinity();
    QPointF best = path.pointAtPercent(0.5);
    for (const double place : places) {
        QRectF label(QPointF(), size);
        label.moveCenter(path.pointAtPercent(place));
        double touched = 0;
        for (const QRectF& other : taken) {
            const QRectF common = label.intersected(other.adjusted(-3, -3, 3, 3));
            touched += common.width() * common.height();
        }
        if (touched < least) {
            least = touched;
            best = label.center();
        }
        if (touched <= 0)
            break;
    }
    return best;
}

}  // namespace nnpiper
