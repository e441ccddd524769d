// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/canvas/canvas_scene.h"
#include "widgets/canvas/canvas_view.h"
#include "widgets/canvas/geometry.h"
#include "widgets/canvas/gesture.h"
#include "widgets/theme/colors.h"

#include <QPainter>

#include <cmath>

namespace nnpiper {

void CanvasView::drawBackground(QPainter* painter, const QRectF& area)
{
    painter->fillRect(area, roleColor(ColorRole::card, palette()));
    double step = geometry::grid;
    while (step * zoom() < 12)
        step *= 2;
    QPen pen(roleColor(ColorRole::grid, palette()), 2, Qt::SolidLine, Qt::RoundCap);
    pen.setCosmetic(true);
    painter->setPen(pen);
    QPolygonF dots;
    for (double x = std::ceil(area.left() / step) * step; x <= area.right(); x += step)
        for (double y = std::ceil(area.top() / step) * step; y <= area.bottom(); y += step)
            dots.append({x, y});
    painter->drawPoints(dots);
}

void CanvasView::paintEvent(QPaintEvent* event)
{
    if (!canvas_->hasLive()) {
        still_ = {};
        QGraphicsView::paintEvent(event);
        return;
    }
    if (still_revision_ != canvas_->stillRevision() || still_transform_ != viewportTransform()
        || still_.size() != viewport()->size() * devicePixelRatioF())
        renderStill();
    QPainter painter(viewport());
    painter.drawPixmap(0, 0, still_);
    painter.setRenderHints(renderHints());
    painter.setTransform(viewportTransform());
    canvas_->paintLive(painter);
    drawForeground(&painter, mapToScene(viewport()->rect()).boundingRect());
}

void CanvasView::renderStill()
{
    still_revision_ = canvas_->stillRevision();
    still_transform_ = viewportTransform();
    still_ = QPixmap(viewport()->size() * devicePixelRatioF());
    still_.setDevicePixelRatio(devicePixelRatioF());
    renders_still_ = true;
    canvas_->showLive(false);
    QPainter painter(&still_);
    painter.setRenderHints(renderHints());
    render(&painter, QRectF(QPointF(), QSizeF(viewport()->size())), viewport()->rect());
    canvas_->showLive(true);
    renders_still_ = false;
}

void CanvasView::drawForeground(QPainter* painter, const QRectF&)
{
    if (renders_still_)
        return;
    if (gesture_)
        gesture_->paint(*painter, palette());
    painter->save();
    painter->resetTransform();
    const Cluster& cluster = document_.project().cluster;
    if (cluster.nodes.empty() && cluster.devices.empty() && cluster.switches.empty())
        paintPlaceholder(*painter);
    if (canvas_->overlay().outdated)
        paintOutdated(*painter);
    painter->restore();
}

void CanvasView::paintPlaceholder(QPainter& painter)
{
    QFont font = this->font();
    font.setPixelSize(18);
    font.setBold(true);
    painter.setFont(font);
    painter.setPen(roleColor(ColorRole::mutedText, palette()));
    const QRect middle = viewport()->rect().adjusted(24, 0, -24, 0);
    painter.drawText(middle.adjusted(0, -24, 0, -24), Qt::AlignCenter, tr("Draw your cluster here"));
    font.setPixelSize(13);
    font.setBold(false);
    painter.setFont(font);
    painter.drawText(middle.adjusted(0, 22, 0, 22), Qt::AlignCenter,
                     tr("Drag nodes and devices from the palette, or double-click them.\n"
                        "Then drag from the edge of one to another to connect them."));
}

void CanvasView::paintOutdated(QPainter& painter)
{
    QFont font = this->font();
    font.setPixelSize(12);
    painter.setFont(font);
    const QString text = tr("Plan of an earlier version: press Solve to renew it");
    QRectF box(14, 12, painter.fontMetrics().horizontalAdvance(text) + 24, 26);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(roleColor(ColorRole::warning, palette()), 1));
    painter.setBrush(roleColor(ColorRole::warningSoft, palette()));
    painter.drawRoundedRect(box, 6, 6);
    painter.setPen(roleColor(ColorRole::text, palette()));
    painter.drawText(box, Qt::AlignCenter, text);
}

}  // namespace nnpiper
