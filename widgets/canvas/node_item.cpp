// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/canvas/canvas_scene.h"
#include "widgets/canvas/element_item.h"
#include "widgets/canvas/geometry.h"
#include "widgets/canvas/type_names.h"
#include "widgets/document/containers.h"
#include "widgets/inspector/quantity_text.h"

#include <QCoreApplication>
#include <QFontMetricsF>

namespace nnpiper {

void NodeItem::refresh()
{
    prepareGeometryChange();
    const QRectF rect = geometry::elementRect(canvas_.document().project(), elementId());
    size_ = rect.size();
    setPos(rect.topLeft());
    if (const Node* node = find_node(canvas_.document().project().cluster, elementId()))
        setToolTip(
            QCoreApplication::translate("nnpiper::NodeItem", "%1\n%2, %3 between two of its devices")
                .arg(displayName(*node), QString::fromStdString(node->interconnect),
                     quantityText(node->interconnect_bytes_per_s, Unit::bytes_per_second)));
    update();
}

QPainterPath NodeItem::shape() const
{
    QPainterPath path;
    path.addRoundedRect(QRectF(QPointF(), size_), 10, 10);
    return path;
}

std::vector<QPointF> NodeItem::ports() const
{
    return sideMiddles(QRectF(QPointF(), size_));
}

void NodeItem::paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget*)
{
    const Cluster& cluster = canvas_.document().project().cluster;
    const Node* node = find_node(cluster, elementId());
    if (!node)
        return;
    const QRectF box(QPointF(), size_);
    paintBox(*painter, box, 10, color(ColorRole::nodeFill), color(ColorRole::nodeBorder), 1.2);
    const bool collapsed = isCollapsed(canvas_.document().project(), elementId());
    if (collapsed || isHovered() || isSelected())
        paintFoldMark(*painter, collapsed);
    if (collapsed) {
        paintCollapsed(*painter, displayName(*node));
        paintPorts(*painter);
        return;
    }

    const auto devices = devicesOf(cluster, elementId());
    const QRectF header = box.adjusted(geometry::nodePadding, 0, -geometry::nodePadding, 0);
    const QRectF line(header.left(), 6, header.width(), geometry::nodeHeader - 10);
    const QFont title_font = font(13, true);
    const QString summary = summaryOf(cluster, devices);
    QString title = displayName(*node);
    if (!summary.isEmpty())
        title += QStringLiteral(" · ") + summary;
    const QFont link_font = font(11);
    const QString link = shortLinkName(node->interconnect);
    const double link_width = QFontMetricsF(link_font).horizontalAdvance(link);
    const double title_width = QFontMetricsF(title_font).horizontalAdvance(title);
    const bool both = title_width + 10 + link_width <= line.width();

    painter->setFont(title_font);
    painter->setPen(color(ColorRole::text));
    painter->drawText(line, Qt::AlignVCenter | Qt::AlignLeft,
                      QFontMetricsF(title_font).elidedText(title, Qt::ElideRight, line.width()));
    if (both) {
        painter->setFont(link_font);
        painter->setPen(color(ColorRole::mutedText));
        painter->drawText(line, Qt::AlignVCenter | Qt::AlignRight, link);
    }
    if (devices.empty()) {
        painter->setFont(font(12));
        painter->setPen(color(ColorRole::mutedText));
        painter->drawText(box.adjusted(8, geometry::nodeHeader - 6, -8, -8), Qt::AlignCenter | Qt::TextWordWrap,
                          QCoreApplication::translate("nnpiper::NodeItem", "Drop devices here"));
    }
    paintPorts(*painter);
}

}  // namespace nnpiper
