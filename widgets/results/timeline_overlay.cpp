// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/results/timeline_overlay.h"

#include "widgets/results/timeline_bars.h"
#include "widgets/theme/colors.h"

#include <QtMath>

namespace nnpiper {

TimelineOverlay::TimelineOverlay(QCustomPlot* plot, const QString& layer, const TimelineBars* bars)
    : QCPLayerable(plot, layer)
    , bars_(bars)
{
}

void TimelineOverlay::setIndex(const TimelineIndex* index)
{
    index_ = index;
    hovered_ = {};
    selected_ = {};
    lines_.clear();
}

void TimelineOverlay::setHovered(TimelineElement element, const QPointF& pixel, QStringList lines)
{
    hovered_ = element;
    pixel_ = pixel;
    lines_ = std::move(lines);
}

void TimelineOverlay::applyDefaultAntialiasingHint(QCPPainter* painter) const
{
    painter->setAntialiasing(true);
}

void TimelineOverlay::draw(QCPPainter* painter)
{
    drawnArrows_ = 0;
    tooltipRect_ = {};
    if (!index_)
        return;
    painter->setAntialiasing(true);
    painter->save();
    painter->setClipRect(bars_->keyAxis()->axisRect()->rect().adjusted(-1, 0, 1, 0));
    if (selected_.valid())
        drawSelection(*painter);
    if (hovered_.valid()) {
        painter->setBrush(Qt::NoBrush);
        painter->setPen(QPen(roleColor(ColorRole::text, mParentPlot->palette()), 1.4));
        painter->drawRoundedRect(bars_->rectOf(hovered_).adjusted(-0.5, -0.5, -0.5, 0.5), 2, 2);
    }
    painter->restore();
    if (hovered_.valid() && !lines_.isEmpty())
        drawTooltip(*painter);
}

void TimelineOverlay::drawSelection(QCPPainter& painter)
{
    const QPalette palette = mParentPlot->palette();
    if (selected_.transfer) {
        drawMessage(painter, selected_.index);
    } else {
        if (const int transfer = index_->transferInto(selected_.index); transfer >= 0)
            drawMessage(painter, transfer);
        if (const int transfer = index_->transferOutOf(selected_.index); transfer >= 0)
            drawMessage(painter, transfer);
        // The activations that a forward leaves for its own backward.
        const TimelineOp& op = index_->timeline().ops[static_cast<std::size_t>(selected_.index)];
        int backward = index_->op(OpKind::backward, op.stage, op.micro_batch);
        if (backward < 0)
            backward = index_->op(OpKind::backward_input, op.stage, op.micro_batch);
        const int forward = index_->op(OpKind::forward, op.stage, op.micro_batch);
        if (forward >= 0 && backward >= 0) {
            const QRectF from = bars_->rectOf({false, forward});
            const QRectF to = bars_->rectOf({false, backward});
            const double below = from.bottom() + 2;
            drawArrow(painter, QPointF(from.center().x(), below), QPointF(to.center().x(), below),
                      roleColor(ColorRole::mutedText, palette), true);
        }
    }
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(roleColor(ColorRole::selection, palette), 2.2));
    painter.drawRoundedRect(bars_->rectOf(selected_).adjusted(-1.5, -1.5, 0.5, 1.5), 3, 3);
}

void TimelineOverlay::drawMessage(QCPPainter& painter, int transfer)
{
    const TimelineTransfer& t = index_->timeline().transfers[static_cast<std::size_t>(transfer)];
    const int consumer = index_->consumerOf(transfer);
    if (consumer < 0)
        return;
    const QRectF from = bars_->rectOf({false, t.producer});
    const QRectF to = bars_->rectOf({false, consumer});
    const bool down = to.top() > from.top();
    drawArrow(painter, QPointF(from.right(), down ? from.bottom() : from.top()),
              QPointF(to.left(), down ? to.top() : to.bottom()),
              roleColor(ColorRole::selection, mParentPlot->palette()), false);
}

void TimelineOverlay::drawArrow(QCPPainter& painter, QPointF from, QPointF to, const QColor& color, bool dashed)
{
    ++drawnArrows_;
    // Far ends only give the direction; the paint engine need not follow them for millions of pixels.
    const double limit = 20000;
    from.setX(qBound(-limit, from.x(), limit));
    to.setX(qBound(-limit, to.x(), limit));
    QPen pen(color, dashed ? 1.2 : 1.8);
    if (dashed)
        pen.setStyle(Qt::DashLine);
    painter.setPen(pen);
    painter.setBrush(Qt::NoBrush);
    const double bend = dashed ? 0 : qMax(6.0, (to.x() - from.x()) / 3);
    QPainterPath path(from);
    path.cubicTo(from + QPointF(bend, 0), to - QPointF(bend, 0), to);
    painter.drawPath(path);
    const double angle = dashed ? 0 : std::atan2(to.y() - from.y(), qMax(1.0, to.x() - from.x()));
    QPainterPath head;
    head.moveTo(0, 0);
    head.lineTo(-7, -3.5);
    head.lineTo(-7, 3.5);
    head.closeSubpath();
    painter.save();
    painter.translate(to);
    painter.rotate(qRadiansToDegrees(angle));
    painter.fillPath(head, color);
    painter.restore();
}

void TimelineOverlay::drawTooltip(QCPPainter& painter)
{
    const QPalette palette = mParentPlot->palette();
    QFont bold = mParentPlot->font();
    bold.setBold(true);
    const QFontMetricsF boldMetrics(bold);
    const QFontMetricsF metrics(mParentPlot->font());
    double width = boldMetrics.horizontalAdvance(lines_.first());
    for (const QString& line : lines_.mid(1))
        width = qMax(width, metrics.horizontalAdvance(line));
    const double lineHeight = qMax(metrics.height(), boldMetrics.height()) + 2;
    const QSizeF size(width + 20, lineHeight * static_cast<double>(lines_.size()) + 12);
    const QRectF area = QRectF(mParentPlot->viewport()).adjusted(4, 4, -4, -4);
    QPointF corner = pixel_ + QPointF(14, 16);
    if (corner.x() + size.width() > area.right())
        corner.setX(pixel_.x() - 10 - size.width());
    if (corner.y() + size.height() > area.bottom())
        corner.setY(pixel_.y() - 10 - size.height());
    corner.setX(qBound(area.left(), corner.x(), qMax(area.left(), area.right() - size.width())));
    corner.setY(qBound(area.top(), corner.y(), qMax(area.top(), area.bottom() - size.height())));
    tooltipRect_ = QRectF(corner, size);

    painter.setPen(Qt::NoPen);
    QColor ground = roleColor(ColorRole::tooltipBase, palette);
    ground.setAlphaF(0.96f);
    painter.setBrush(ground);
    painter.drawRoundedRect(tooltipRect_, 5, 5);
    QRectF line(corner + QPointF(10, 6), QSizeF(width + 2, lineHeight));
    for (qsizetype i = 0; i < lines_.size(); ++i) {
        painter.setFont(i == 0 ? bold : mParentPlot->font());
        painter.setPen(roleColor(i == 0 ? ColorRole::tooltipText : ColorRole::tooltipMuted, palette));
        painter.drawText(line, Qt::AlignVCenter | Qt::AlignLeft, lines_[i]);
        line.translate(0, lineHeight);
    }
}

}  // namespace nnpiper
