// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/results/row_layout.h"
#include "widgets/results/time_scale.h"
#include "widgets/results/timeline_index.h"

#include <QPalette>

#include <qcustomplot.h>

#include <vector>

namespace nnpiper {

/// The whole Gantt chart as one plottable: row bands, bars with their micro-batch, messages as ticks under their
/// sender's row, and the critical path. What is narrower than a pixel is merged, so the cost of drawing depends on the
/// window's size and hardly on the number of ops.
class TimelineBars : public QCPAbstractPlottable {
    Q_OBJECT

public:
    TimelineBars(QCPAxis* timeAxis, QCPAxis* rowAxis);

    /// The index must live until the next call; null draws nothing.
    void setIndex(const TimelineIndex* index);
    void setCriticalPathShown(bool shown) { criticalShown_ = shown; }
    void setColors(const QPalette& palette) { palette_ = palette; }
    void setRowOffset(double pixels) { rowOffset_ = pixels; }

    TimeScale scale() const;
    RowLayout rows() const;
    QRectF rectOf(TimelineElement element) const;
    /// What lies under a pixel; an op wins over a message.
    TimelineElement elementAt(const QPointF& pixel) const;
    QColor colorOf(OpKind kind) const;
    QColor colorOf(const TimelineOp& op) const;
    /// Rectangles drawn in the last pass.
    int drawnBars() const { return drawnBars_; }
    const std::vector<CriticalStep>& criticalPath() const { return critical_; }

    double selectTest(const QPointF& pos, bool onlySelectable, QVariant* details = nullptr) const override;
    QCPRange getKeyRange(bool& found, QCP::SignDomain domain = QCP::sdBoth) const override;
    QCPRange getValueRange(bool& found, QCP::SignDomain domain = QCP::sdBoth,
                           const QCPRange& keys = QCPRange()) const override;

protected:
    void draw(QCPPainter* painter) override;
    void drawLegendIcon(QCPPainter* painter, const QRectF& rect) const override;

private:
    void drawRow(QCPPainter& painter, const TimeScale& scale, const RowLayout& rows, int row);
    void drawTicks(QCPPainter& painter, const TimeScale& scale, const RowLayout& rows, int row);
    void drawCriticalPath(QCPPainter& painter, const TimeScale& scale, const RowLayout& rows);

    const TimelineIndex* index_ = nullptr;
    std::vector<CriticalStep> critical_;
    std::vector<std::vector<TimelineOp>> criticalOps_;  ///< [stage], in time
    bool criticalShown_ = false;
    QPalette palette_;
    double rowOffset_ = 0;
    int drawnBars_ = 0;
};

}  // namespace nnpiper
