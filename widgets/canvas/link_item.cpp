// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/canvas/canvas_scene.h"
#include "widgets/canvas/element_item.h"
#include "widgets/canvas/geometry.h"
#include "widgets/inspector/quantity_text.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QStyleOptionGraphicsItem>

#include <algorithm>

namespace nnpiper {

namespace {

QString bandwidthText(const Link& link)
{
    return quantityText(link.bandwidth_bytes_per_s, Unit::bits_per_second);
}

/// "25 Gb/s", or what several links in one line amount to: "4 × 25 Gb/s", "4 links".
QString labelOf(const Cluster& cluster, const std::vector<std::string>& links)
{
    const Link* first = links.empty() ? nullptr : find_link(cluster, links.front());
    if (!first)
        return {};
    if (links.size() == 1)
        return bandwidthText(*first);
    const bool same = std::all_of(links.begin(), links.end(), [&](const std::string& id) {
        return find_link(cluster, id)->bandwidth_bytes_per_s == first->bandwidth_bytes_per_s;
    });
    return same ? QStringLiteral("%1 × %2").arg(links.size()).arg(bandwidthText(*first))
                : QCoreApplication::translate("nnpiper::LinkItem", "%1 links").arg(links.size());
}

}  // namespace

void LinkItem::refresh()
{
    const Project& project = canvas_.document().project();
    const Link* link = find_link(project.cluster, elementId());
    if (!link)
        return;
    prepareGeometryChange();
    const std::vector<std::string> bundle = canvas_.bundleOf(elementId());
    setVisible(!bundle.empty());
    const QRectF from = geometry::elementRect(project, link->from);
    const QRectF to = geometry::elementRect(project, link->to);
    path_ = geometry::linkPath(from, to);
    double together = 0;
    for (const std::string& other : bundle)
        together += find_link(project.cluster, other)->bandwidth_bytes_per_s;
    width_ = geometry::linkWidth(together);
    // Links between boxes run below them; one that ends at a card inside a node has to be seen above it.
    const auto at_card = [&](const std::string& end) { return canvas_.isInsideNode(end) && !canvas_.isHidden(end); };
    setZValue(at_card(link->from) || at_card(link->to) ? 6 : -1);
    setToolTip(QStringLiteral("%1\n%2, %3")
                   .arg(QString::fromStdString(link->type), bandwidthText(*link),
                        quantityText(link->latency_s, Unit::seconds)));
    update();
}

QRectF LinkItem::boundingRect() const
{
    return path_.boundingRect().adjusted(-10, -10, 10, 10);
}

QPainterPath LinkItem::shape() const
{
    QPainterPathStroker stroker;
    stroker.setWidth(std::max(10.0, width_ + 6));
    return stroker.createStroke(path_);
}

void LinkItem::paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget*)
{
    const bool coarse =
        canvas_.paintsCoarsely(QStyleOptionGraphicsItem::levelOfDetailFromTransform(painter->worldTransform()));
    painter->setRenderHint(QPainter::Antialiasing, !coarse);
    painter->setBrush(Qt::NoBrush);
    const bool marked = isSelected() || isHovered();
    if (isSelected()) {
        QColor halo = color(ColorRole::selection);
        halo.setAlphaF(0.30F);
        painter->setPen(QPen(halo, width_ + 7, Qt::SolidLine, Qt::RoundCap));
        painter->drawPath(path_);
    }
    painter->setPen(QPen(marked ? color(ColorRole::selection) : color(ColorRole::link), coarse && !marked ? 0 : width_,
                         Qt::SolidLine, Qt::FlatCap));
    painter->drawPath(path_);
}

void LinkLabelItem::refresh()
{
    prepareGeometryChange();
    label_ = labelOf(canvas_.document().project().cluster, canvas_.bundleOf(elementId()));
    setZValue(9);
    update();
}

QSizeF LinkLabelItem::labelSize() const
{
    const QFontMetricsF metrics(font(12));
    return {metrics.horizontalAdvance(label_) + 10, 18};
}

void LinkLabelItem::setLabelCenter(QPointF center)
{
    if (center == center_)
        return;
    prepareGeometryChange();
    center_ = center;
    update();
}

QRectF LinkLabelItem::labelRect() const
{
    QRectF rect(QPointF(), labelSize());
    rect.moveCenter(center_);
    return rect;
}

void LinkLabelItem::paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget*)
{
    const double scale = QStyleOptionGraphicsItem::levelOfDetailFromTransform(painter->worldTransform());
    if (canvas_.paintsCoarsely(scale) && !isSelected())
        return;
    painter->setRenderHint(QPainter::Antialiasing);
    const bool marked = isSelected() || isHovered();
    painter->setPen(Qt::NoPen);
    painter->setBrush(color(ColorRole::card));
    painter->drawRoundedRect(labelRect(), 5, 5);
    painter->setFont(font(12));
    painter->setPen(marked ? color(ColorRole::selection) : color(ColorRole::text));
    painter->drawText(labelRect(), Qt::AlignCenter, label_);
}

}  // namespace nnpiper
