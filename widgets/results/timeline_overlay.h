// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/results/timeline_index.h"

#include <QStringList>

#include <qcustomplot.h>

namespace nnpiper {

class TimelineBars;

/// What follows the pointer, on a buffered layer of its own so that the bars are not drawn again: the frame around the
/// hovered element, its tooltip, and the selection with arrows from what it needs and to what needs it.
class TimelineOverlay : public QCPLayerable {
    Q_OBJECT

public:
    TimelineOverlay(QCustomPlot* plot, const QString& layer, const TimelineBars* bars);

    void setIndex(const TimelineIndex* index);
    void setHovered(TimelineElement element, const QPointF& pixel, QStringList lines);
    void setSelected(TimelineElement element) { selected_ = element; }
    TimelineElement hovered() const { return hovered_; }
    TimelineElement selected() const { return selected_; }
    const QStringList& tooltip() const { return lines_; }
    /// Where the tooltip was drawn last; empty when there is none.
    QRectF tooltipRect() const { return tooltipRect_; }
    /// Arrows drawn in the last pass.
    int drawnArrows() const { return drawnArrows_; }

protected:
    void applyDefaultAntialiasingHint(QCPPainter* painter) const override;
    void draw(QCPPainter* painter) override;

private:
    void drawSelection(QCPPainter& painter);
    void drawMessage(QCPPainter& painter, int transfer);
    void drawArrow(QCPPainter& painter, QPointF from, QPointF to, const QColor& color, bool dashed);
    void drawTooltip(QCPPainter& painter);

    const TimelineBars* bars_;
    const TimelineIndex* index_ = nullptr;
    TimelineElement hovered_;
    TimelineElement selected_;
    QPointF pixel_;
    QStringList lines_;
    QRectF tooltipRect_;
    int drawnArrows_ = 0;
};

}  // namespace nnpiper
