// SPDX-License-Identifier: GPL-3.0-or-later
// What pointer, wheel and keys do to the timeline.
#include "widgets/results/timeline_plot.h"

#include "widgets/results/timeline_bars.h"
#include "widgets/results/timeline_overlay.h"
#include "widgets/results/timeline_text.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QWheelEvent>

#include <cmath>

namespace nnpiper {
namespace {

constexpr double stepFactor = 1.25;

}  // namespace

void TimelinePlot::wheelEvent(QWheelEvent* event)
{
    if (!plan_)
        return event->ignore();
    const QPoint delta = event->angleDelta();
    // Shift swaps the axes on some platforms.
    const double sideways = event->modifiers() & Qt::ShiftModifier ? delta.x() + delta.y() : delta.x();
    if (event->modifiers() & Qt::ControlModifier)
        setRowOffset(rowOffset_ - delta.y() * 0.5);
    else if (sideways != 0)
        setScale(panned(scale(), sideways * 0.7));
    else
        setScale(zoomedAt(scale(), event->position().x(), std::pow(stepFactor, delta.y() / 120.0)));
    event->accept();
    hover(event->position());
}

void TimelinePlot::mousePressEvent(QMouseEvent* event)
{
    if (!plan_ || (event->button() != Qt::LeftButton && event->button() != Qt::MiddleButton))
        return;
    drag_ = Drag{event->position(), scale(), rowOffset_, false, event->button()};
    event->accept();
}

void TimelinePlot::mouseMoveEvent(QMouseEvent* event)
{
    pointer_ = event->position();
    if (!drag_) {
        hover(event->position());
        return;
    }
    const QPointF moved = event->position() - drag_->from;
    if (!drag_->moved && moved.manhattanLength() < 4)
        return;
    if (!drag_->moved) {
        drag_->moved = true;
        setCursor(Qt::ClosedHandCursor);
        clearHover();
    }
    setScale(panned(drag_->scale, moved.x()));
    setRowOffset(drag_->rowOffset - moved.y());
}

void TimelinePlot::mouseReleaseEvent(QMouseEvent* event)
{
    if (!drag_)
        return;
    const bool clicked = !drag_->moved && drag_->button == Qt::LeftButton;
    drag_.reset();
    unsetCursor();
    if (clicked)
        select(bars_->elementAt(event->position()));
    hover(event->position());
}

void TimelinePlot::mouseDoubleClickEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton && plan_)
        fitAll();
}

void TimelinePlot::leaveEvent(QEvent* event)
{
    pointer_.reset();
    clearHover();
    QCustomPlot::leaveEvent(event);
}

void TimelinePlot::keyPressEvent(QKeyEvent* event)
{
    if (!plan_ || event->modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier))
        return QCustomPlot::keyPressEvent(event);
    const double step = scale().width * 0.12;
    switch (event->key()) {
    case Qt::Key_W:
        setScale(zoomedAt(scale(), anchor(), stepFactor));
        break;
    case Qt::Key_S:
        setScale(zoomedAt(scale(), anchor(), 1 / stepFactor));
        break;
    case Qt::Key_A:
    case Qt::Key_Left:
        setScale(panned(scale(), step));
        break;
    case Qt::Key_D:
    case Qt::Key_Right:
        setScale(panned(scale(), -step));
        break;
    case Qt::Key_Up:
        setRowOffset(rowOffset_ - bars_->rows().pitch);
        break;
    case Qt::Key_Down:
        setRowOffset(rowOffset_ + bars_->rows().pitch);
        break;
    case Qt::Key_F:
        fitSelection();
        break;
    case Qt::Key_Home:
        fitAll();
        break;
    case Qt::Key_C:
        setCriticalPathShown(!criticalShown_);
        break;
    case Qt::Key_Comma:
        walk(-1);
        break;
    case Qt::Key_Period:
        walk(1);
        break;
    case Qt::Key_Escape:
        select({});
        break;
    default:
        return QCustomPlot::keyPressEvent(event);
    }
    event->accept();
}

double TimelinePlot::anchor() const
{
    const QRect rect = axisRect()->rect();
    return pointer_ && rect.contains(pointer_->toPoint()) ? pointer_->x() : rect.center().x();
}

void TimelinePlot::hover(const QPointF& pixel)
{
    pointer_ = pixel;
    const TimelineElement element = bars_->elementAt(pixel);
    if (!element.valid() && !hovered().valid())
        return;
    overlay_->setHovered(element, pixel, index_ ? describeElement(*index_, element, locale()) : QStringList());
    layer(QStringLiteral("pointer"))->replot();
}

void TimelinePlot::clearHover()
{
    if (!hovered().valid())
        return;
    overlay_->setHovered({}, {}, {});
    layer(QStringLiteral("pointer"))->replot();
}

void TimelinePlot::walk(int step)
{
    const TimelineElement element = selected();
    if (!element.valid() || element.transfer)
        return select({false, 0});
    const int row = index_->rowOf(plan_->timeline.ops[static_cast<std::size_t>(element.index)]);
    const int next = element.index + step;
    const auto& first = plan_->timeline.first_op;
    if (next < first[static_cast<std::size_t>(row)] || next >= first[static_cast<std::size_t>(row) + 1])
        return;
    select({false, next});
    const QRectF rect = rectOf(selected());
    const TimeScale s = scale();
    if (rect.left() < s.left)
        setScale(panned(s, s.left + s.width * 0.2 - rect.left()));
    else if (rect.right() > s.left + s.width)
        setScale(panned(s, s.left + s.width * 0.8 - rect.right()));
}

}  // namespace nnpiper
