// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/canvas/element_item.h"

#include "widgets/canvas/canvas_scene.h"
#include "widgets/canvas/geometry.h"
#include "widgets/document/containers.h"
#include "widgets/document/selection.h"

#include <QCoreApplication>
#include <QFontMetricsF>

#include <algorithm>

namespace nnpiper {

std::vector<QPointF> sideMiddles(const QRectF& box)
{
    return {{box.center().x(), box.top()},
            {box.right(), box.center().y()},
            {box.center().x(), box.bottom()},
            {box.left(), box.center().y()}};
}

ElementItem::ElementItem(CanvasScene& canvas, std::string id, QGraphicsItem* parent)
    : QGraphicsItem(parent)
    , canvas_(canvas)
    , id_(std::move(id))
{
}

bool ElementItem::isSelected() const
{
    return canvas_.document().selection().contains(name());
}

bool ElementItem::isHovered() const
{
    return canvas_.hovered() == id_;
}

QColor ElementItem::color(ColorRole role) const
{
    return roleColor(role, canvas_.palette());
}

QFont ElementItem::font(int pixels, bool bold) const
{
    QFont font = canvas_.font();
    font.setPixelSize(pixels);
    font.setBold(bold);
    return font;
}

void ElementItem::paintBox(QPainter& painter, const QRectF& box, double radius, const QColor& fill,
                           const QColor& border, double border_width, bool keep_border) const
{
    painter.setRenderHint(QPainter::Antialiasing);
    if (isSelected()) {
        QColor halo = color(ColorRole::selection);
        halo.setAlphaF(0.30F);
        painter.setPen(Qt::NoPen);
        painter.setBrush(halo);
        painter.drawRoundedRect(box.adjusted(-4, -4, 4, 4), radius + 4, radius + 4);
    }
    const bool target = canvas_.dropTarget() == elementId();
    const bool marked = target || (!keep_border && (isSelected() || isHovered()));
    painter.setBrush(fill);
    painter.setPen(QPen(marked ? color(ColorRole::selection) : border,
                        target || isSelected() ? std::max(2.0, border_width) : border_width));
    painter.drawRoundedRect(box, radius, radius);
}

void ElementItem::paintPorts(QPainter& painter) const
{
    if (!isHovered() || !canvas_.showsPorts())
        return;
    painter.setPen(QPen(color(ColorRole::accent), 1.5));
    painter.setBrush(color(ColorRole::card));
    for (const QPointF& port : ports())
        painter.drawEllipse(port, 4.5, 4.5);
}

void ElementItem::paintFoldMark(QPainter& painter, bool collapsed) const
{
    const QPointF middle = geometry::foldMark.center();
    painter.setPen(QPen(color(isHovered() ? ColorRole::accent : ColorRole::mutedText), 1.6, Qt::SolidLine, Qt::RoundCap,
                        Qt::RoundJoin));
    painter.setBrush(Qt::NoBrush);
    painter.drawPolyline(collapsed ? QPolygonF({middle + QPointF(-2, -4), middle + QPointF(2, 0), middle + QPointF(-2, 4)})
                                   : QPolygonF({middle + QPointF(-4, -2), middle + QPointF(0, 2), middle + QPointF(4, -2)}));
}

void ElementItem::paintCollapsed(QPainter& painter, const QString& title) const
{
    const Project& project = canvas_.document().project();
    const QRectF box(QPointF(), geometry::collapsedSize);
    const QRectF text = box.adjusted(20, 8, -12, -8);
    const QFont title_font = font(13, true);
    painter.setFont(title_font);
    painter.setPen(color(ColorRole::text));
    painter.drawText(text, Qt::AlignTop | Qt::AlignLeft,
                     QFontMetricsF(title_font).elidedText(title, Qt::ElideRight, text.width()));
    const QString held = summaryOfDevices(project, elementId());
    const QFont small = font(12);
    painter.setFont(small);
    painter.setPen(color(ColorRole::mutedText));
    painter.drawText(text.adjusted(0, 22, 0, 0), Qt::AlignTop | Qt::AlignLeft,
                     held.isEmpty() ? QCoreApplication::translate("nnpiper::ContainerItem", "empty")
                                    : QFontMetricsF(small).elidedText(held, Qt::ElideRight, text.width()));

    constexpr double side = 9;
    constexpr double step = 12;
    const auto room = static_cast<std::size_t>(text.width() / step);
    const std::vector<std::string> devices = devicesIn(project, elementId());
    const PlanOverlay& overlay = canvas_.overlay();
    painter.setPen(Qt::NoPen);
    for (std::size_t i = 0; i < std::min(devices.size(), room); ++i) {
        const PlanOverlay::DeviceUse* use = overlay.use(devices[i]);
        QColor fill = use && !use->stages.empty() ? stageColor(use->stages.front(), canvas_.palette())
                                                  : color(ColorRole::idle);
        if (overlay.outdated)
            fill = blend(fill, color(ColorRole::card), 0.45);
        painter.setBrush(fill);
        painter.drawRoundedRect(QRectF(text.left() + static_cast<double>(i) * step, text.bottom() - side - 1, side, side),
                                2, 2);
    }
}

}  // namespace nnpiper
