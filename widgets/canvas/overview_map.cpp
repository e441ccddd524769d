// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/canvas/overview_map.h"

#include "widgets/canvas/canvas_scene.h"
#include "widgets/canvas/canvas_view.h"
#include "widgets/canvas/geometry.h"
#include "widgets/theme/colors.h"

#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>

#include <algorithm>

namespace nnpiper {

OverviewMap::OverviewMap(CanvasView& view)
    : QWidget(&view)
    , view_(view)
{
    setFixedSize(120, 84);
    setCursor(Qt::PointingHandCursor);
    const auto renew = [this] {
        place();
        update();
    };
    connect(view.horizontalScrollBar(), &QScrollBar::valueChanged, this, renew);
    connect(view.verticalScrollBar(), &QScrollBar::valueChanged, this, renew);
    connect(&view, &CanvasView::zoomChanged, this, renew);
    connect(&view.canvas().document(), &ProjectDocument::edited, this, renew);
    connect(&view.canvas().document(), &ProjectDocument::reset, this, renew);
    hide();
}

void OverviewMap::place()
{
    move(view_.width() - width() - 12, view_.height() - height() - 12);
    const QRectF seen = view_.mapToScene(view_.viewport()->rect()).boundingRect();
    const QRectF content = geometry::contentRect(view_.canvas().document().project());
    const bool room = view_.width() > 3 * width() && view_.height() > 2 * height();
    setVisible(room && !content.isEmpty() && !seen.contains(content));
}

QTransform OverviewMap::toMap() const
{
    const QRectF seen = view_.mapToScene(view_.viewport()->rect()).boundingRect();
    const QRectF all = geometry::contentRect(view_.canvas().document().project()) | seen;
    const QRectF room = QRectF(rect()).adjusted(8, 8, -8, -8);
    const double scale = std::min(room.width() / all.width(), room.height() / all.height());
    return QTransform::fromTranslate(-all.center().x(), -all.center().y()) * QTransform::fromScale(scale, scale)
           * QTransform::fromTranslate(room.center().x(), room.center().y());
}

void OverviewMap::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(roleColor(ColorRole::cardBorder, palette()), 1));
    painter.setBrush(roleColor(ColorRole::card, palette()));
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);

    const QTransform map = toMap();
    const Project& project = view_.canvas().document().project();
    painter.setPen(QPen(roleColor(ColorRole::nodeBorder, palette()), 1));
    painter.setBrush(Qt::NoBrush);
    for (const Container& container : project.containers)
        painter.drawRect(map.mapRect(geometry::elementRect(project, container.id)));
    painter.setPen(Qt::NoPen);
    painter.setBrush(roleColor(ColorRole::link, palette()));
    const auto draw = [&](const std::string& id) { painter.drawRect(map.mapRect(geometry::elementRect(project, id))); };
    for (const Node& node : project.cluster.nodes)
        draw(node.id);
    for (const Switch& item : project.cluster.switches)
        draw(item.id);
    for (const Device& device : project.cluster.devices)
        if (device.node.empty())
            draw(device.id);

    const QRectF seen = view_.mapToScene(view_.viewport()->rect()).boundingRect();
    QColor fill = roleColor(ColorRole::accent, palette());
    painter.setPen(QPen(fill, 1));
    fill.setAlphaF(0.12F);
    painter.setBrush(fill);
    painter.drawRect(map.mapRect(seen));
}

void OverviewMap::goTo(QPointF point)
{
    view_.centerOn(toMap().inverted().map(point));
}

void OverviewMap::mousePressEvent(QMouseEvent* event)
{
    goTo(event->position());
}

void OverviewMap::mouseMoveEvent(QMouseEvent* event)
{
    if (event->buttons() & Qt::LeftButton)
        goTo(event->position());
}

}  // namespace nnpiper
