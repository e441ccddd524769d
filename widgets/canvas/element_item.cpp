// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/canvas/element_item.h"

#include "widgets/canvas/canvas_scene.h"
#include "widgets/document/selection.h"

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

}  // namespace nnpiper
