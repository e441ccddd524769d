// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/canvas/canvas_scene.h"
#include "widgets/canvas/element_item.h"
#include "widgets/canvas/geometry.h"
#include "widgets/inspector/quantity_text.h"

#include <QCoreApplication>
#include <QFontMetricsF>

#include <algorithm>

namespace nnpiper {

QRectF SwitchItem::boundingRect() const
{
    return QRectF(QPointF(), geometry::switchSize).adjusted(-8, -8, 8, 8);
}

std::vector<QPointF> SwitchItem::ports() const
{
    return sideMiddles(QRectF(QPointF(), geometry::switchSize));
}

void SwitchItem::refresh()
{
    setPos(geometry::elementRect(canvas_.document().project(), elementId()).topLeft());
    setZValue(10);
    update();
}

void SwitchItem::paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget*)
{
    const Cluster& cluster = canvas_.document().project().cluster;
    const Switch* item = find_switch(cluster, elementId());
    if (!item)
        return;
    const QRectF box(QPointF(), geometry::switchSize);
    paintBox(*painter, box, 7, blend(color(ColorRole::link), color(ColorRole::card), 0.12), color(ColorRole::link),
             1.3);
    const QFont name_font = font(13, true);
    painter->setFont(name_font);
    painter->setPen(color(ColorRole::text));
    painter->drawText(box.adjusted(8, 5, -8, -22), Qt::AlignCenter,
                      QFontMetricsF(name_font).elidedText(displayName(*item), Qt::ElideRight, box.width() - 16));
    const auto links = std::count_if(cluster.links.begin(), cluster.links.end(), [&](const Link& link) {
        return link.from == elementId() || link.to == elementId();
    });
    const QString detail =
        (links == 1 ? QCoreApplication::translate("nnpiper::SwitchItem", "1 link")
                    : QCoreApplication::translate("nnpiper::SwitchItem", "%1 links").arg(links))
        + (item->latency_s > 0
               ? QStringLiteral(" · ") + quantityText(item->latency_s, Unit::seconds)
               : QString());
    painter->setFont(font(11));
    painter->setPen(color(ColorRole::mutedText));
    painter->drawText(box.adjusted(8, 25, -8, -5), Qt::AlignCenter, detail);
    paintPorts(*painter);
}

}  // namespace nnpiper
