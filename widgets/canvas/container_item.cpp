// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/canvas/canvas_scene.h"
#include "widgets/canvas/element_item.h"
#include "widgets/canvas/geometry.h"
#include "widgets/document/containers.h"

#include <QCoreApplication>
#include <QFontMetricsF>

#include <algorithm>

namespace nnpiper {

namespace {

constexpr double frame = 10;

}  // namespace

void ContainerItem::refresh()
{
    const Project& project = canvas_.document().project();
    const Container* container = find_container(project.containers, elementId());
    if (!container)
        return;
    prepareGeometryChange();
    const QRectF rect = canvas_.containerRect(elementId());
    size_ = rect.size();
    collapsed_ = isCollapsed(project, elementId());
    setPos(rect.topLeft());
    // What it holds and the links run above it.
    setZValue(collapsed_ ? 2 : container->kind == ContainerKind::site ? -6 : -5);
    const QString held = summaryOfDevices(project, elementId());
    setToolTip(held.isEmpty() ? displayName(*container) : QStringLiteral("%1\n%2").arg(displayName(*container), held));
    update();
}

QPainterPath ContainerItem::shape() const
{
    const QRectF box(QPointF(), size_);
    QPainterPath path;
    path.addRoundedRect(box, 10, 10);
    if (!collapsed_)
        path.addRect(box.adjusted(frame, geometry::containerHeader - 4, -frame, -frame));
    return path;
}

void ContainerItem::paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget*)
{
    const Project& project = canvas_.document().project();
    const Container* container = find_container(project.containers, elementId());
    if (!container)
        return;
    const bool site = container->kind == ContainerKind::site;
    const QRectF box(QPointF(), size_);
    if (collapsed_) {
        paintBox(*painter, box, 10, color(ColorRole::nodeFill), color(ColorRole::nodeBorder), 1.2);
        // A second edge below tells a stack from a node.
        painter->setPen(QPen(color(ColorRole::nodeBorder), 1.2));
        painter->drawLine(box.bottomLeft() + QPointF(10, 3.5), box.bottomRight() + QPointF(-10, 3.5));
        paintFoldMark(*painter, true);
        paintCollapsed(*painter, displayName(*container));
        return;
    }
    paintBox(*painter, box, 12, blend(color(site ? ColorRole::link : ColorRole::nodeBorder), color(ColorRole::card), 0.07),
             color(ColorRole::nodeBorder), site ? 1.0 : 1.4);
    paintFoldMark(*painter, false);
    const QRectF line(20, 6, size_.width() - 32, geometry::containerHeader - 10);
    const QFont title_font = font(13, true);
    const QFont small = font(11);
    const QString kind = site ? QCoreApplication::translate("nnpiper::ContainerItem", "site")
                              : QCoreApplication::translate("nnpiper::ContainerItem", "rack");
    const double kind_width = QFontMetricsF(small).horizontalAdvance(kind);
    painter->setFont(title_font);
    painter->setPen(color(ColorRole::text));
    painter->drawText(line, Qt::AlignVCenter | Qt::AlignLeft,
                      QFontMetricsF(title_font)
                          .elidedText(displayName(*container), Qt::ElideRight, line.width() - kind_width - 10));
    painter->setFont(small);
    painter->setPen(color(ColorRole::mutedText));
    painter->drawText(line, Qt::AlignVCenter | Qt::AlignRight, kind);
    if (container->members.empty()) {
        painter->setFont(font(12));
        painter->drawText(box.adjusted(10, geometry::containerHeader, -10, -10), Qt::AlignCenter | Qt::TextWordWrap,
                          site ? QCoreApplication::translate("nnpiper::ContainerItem", "Drop racks, nodes and switches here")
                               : QCoreApplication::translate("nnpiper::ContainerItem", "Drop nodes and switches here"));
    }
}

}  // namespace nnpiper
