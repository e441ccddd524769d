// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/canvas/canvas_scene.h"
#include "widgets/canvas/element_item.h"
#include "widgets/canvas/geometry.h"
#include "widgets/canvas/type_names.h"
#include "widgets/inspector/quantity_text.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QStyleOptionGraphicsItem>

#include <algorithm>

namespace nnpiper {

namespace {

struct DeviceText {
    Q_DECLARE_TR_FUNCTIONS(nnpiper::DeviceItem)
};

QString bytes(double value)
{
    return quantityText(value, Unit::bytes);
}

QString lockText(const Lock& lock)
{
    if (lock.idle)
        return DeviceText::tr("not to be used");
    if (lock.stage)
        return DeviceText::tr("kept on stage %1").arg(*lock.stage);
    if (lock.first_layer && lock.end_layer)
        return DeviceText::tr("keeps layers %1 to %2").arg(*lock.first_layer).arg(*lock.end_layer - 1);
    return DeviceText::tr("kept in its place");
}

QString toolTipOf(const Device& device, const PlanOverlay& overlay, const Lock* lock)
{
    QString text =
        QStringLiteral("%1 (%2)\n%3")
            .arg(QString::fromStdString(device.spec.type), displayName(device), bytes(device.spec.memory_bytes));
    if (lock)
        text += QLatin1Char('\n') + lockText(*lock);
    if (!overlay.present)
        return text;
    const PlanOverlay::DeviceUse* use = overlay.use(device.id);
    if (!use)
        return text + QLatin1Char('\n') + DeviceText::tr("idle in this plan");
    QStringList stages;
    for (const int stage : use->stages)
        stages.append(QString::number(stage));
    return text + QLatin1Char('\n')
           + DeviceText::tr("stage %1, needs %2 of %3")
                 .arg(stages.join(QStringLiteral(", ")), bytes(use->needed_bytes), bytes(use->capacity_bytes));
}

}  // namespace

QRectF DeviceItem::boundingRect() const
{
    return QRectF(QPointF(), geometry::cardSize).adjusted(-8, -8, 8, 8);
}

QPainterPath DeviceItem::shape() const
{
    QPainterPath path;
    path.addRoundedRect(QRectF(QPointF(), geometry::cardSize), 7, 7);
    return path;
}

std::vector<QPointF> DeviceItem::ports() const
{
    const QRectF box(QPointF(), geometry::cardSize);
    // Inside a node the sides touch the neighbours: one port below is enough.
    if (parentItem())
        return {{box.center().x(), box.bottom()}};
    return sideMiddles(box);
}

void DeviceItem::refresh()
{
    const Project& project = canvas_.document().project();
    const Device* device = find_device(project.cluster, elementId());
    if (!device)
        return;
    QGraphicsItem* node = canvas_.item(device->node);
    if (parentItem() != node)
        setParentItem(node);
    if (!canvas_.isHidden(elementId())) {
        const QPointF corner = geometry::elementRect(project, elementId()).topLeft();
        setPos(node ? corner - node->pos() : corner);
    }
    setZValue(node ? 1 : 3);
    setToolTip(toolTipOf(*device, canvas_.overlay(), canvas_.lockOf(elementId())));
    update();
}

void DeviceItem::paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget*)
{
    const PlanOverlay& overlay = canvas_.overlay();
    const PlanOverlay::DeviceUse* use = overlay.use(elementId());
    const bool idle = overlay.present && (!use || use->stages.empty());
    const int stage = use && !use->stages.empty() ? use->stages.front() : -1;
    QColor stage_color = overlay.present && !idle ? stageColor(stage, canvas_.palette()) : color(ColorRole::idle);
    if (overlay.outdated)
        stage_color = blend(stage_color, color(ColorRole::card), 0.45);

    const QRectF box(QPointF(), geometry::cardSize);
    const double scale = QStyleOptionGraphicsItem::levelOfDetailFromTransform(painter->worldTransform());
    if (canvas_.paintsPlainBoxes(scale) && !isSelected()) {
        painter->fillRect(box, stage_color);
        return;
    }
    const Device* device = find_device(canvas_.document().project().cluster, elementId());
    if (!device)
        return;
    paintBox(*painter, box, 7, color(ColorRole::card), overlay.present ? stage_color : color(ColorRole::cardBorder),
             overlay.present ? 2 : 1.2, overlay.present);

    const QFont name_font = font(13, true);
    painter->setFont(name_font);
    painter->setPen(color(ColorRole::text));
    const Lock* lock = canvas_.lockOf(elementId());
    const double side = lock ? 16 : 6;  // the badge stands in the corner
    const QRectF name_line(side, 6, box.width() - 2 * side, 20);
    painter->drawText(
        name_line, Qt::AlignCenter,
        QFontMetricsF(name_font).elidedText(shortTypeName(device->spec.type), Qt::ElideRight, name_line.width()));

    const QRectF middle(8, 29, box.width() - 16, 20);
    if (overlay.present) {
        QStringList stages;
        if (use)
            for (const int s : use->stages)
                stages.append(QString::number(s));
        const QString text =
            idle ? DeviceText::tr("idle") : DeviceText::tr("stage %1").arg(stages.join(QLatin1Char('+')));
        const QFont pill_font = font(12);
        const double width = std::min(middle.width(), QFontMetricsF(pill_font).horizontalAdvance(text) + 18);
        const QRectF pill(middle.center().x() - width / 2, middle.top(), width, 19);
        painter->setPen(Qt::NoPen);
        painter->setBrush(stage_color);
        painter->drawRoundedRect(pill, 9.5, 9.5);
        painter->setPen(textOn(stage_color));
        painter->setFont(pill_font);
        painter->drawText(pill, Qt::AlignCenter, text);
    } else {
        painter->setFont(font(12));
        painter->setPen(color(ColorRole::mutedText));
        painter->drawText(middle, Qt::AlignCenter, bytes(device->spec.memory_bytes));
    }

    const QRectF track(12, box.height() - 17, box.width() - 24, 6);
    painter->setPen(Qt::NoPen);
    painter->setBrush(color(ColorRole::track));
    painter->drawRoundedRect(track, 3, 3);
    if (use && use->capacity_bytes > 0) {
        const double share = use->needed_bytes / use->capacity_bytes;
        QRectF filled = track;
        filled.setWidth(std::max(6.0, track.width() * std::min(1.0, share)));
        painter->setBrush(share > 1 ? color(ColorRole::negative) : stage_color);
        painter->drawRoundedRect(filled, 3, 3);
    }
    if (lock)
        paintBadge(*painter, lock->idle ? QStringLiteral("idle") : QStringLiteral("lock"));
    paintPorts(*painter);
}

/// A round mark in the upper right corner, above the border.
void DeviceItem::paintBadge(QPainter& painter, const QString& icon) const
{
    const QPointF middle(geometry::cardSize.width() - 8, 8);
    painter.setPen(QPen(color(ColorRole::cardBorder), 1));
    painter.setBrush(color(ColorRole::card));
    painter.drawEllipse(middle, 9.5, 9.5);
    themedIcon(icon, canvas_.palette()).paint(&painter, QRect(middle.toPoint() - QPoint(6, 6), QSize(12, 12)));
}

}  // namespace nnpiper
