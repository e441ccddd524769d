// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/palette/palette_delegate.h"

#include "widgets/palette/palette_model.h"
#include "widgets/theme/theme.h"

#include <QPainter>
#include <QTreeView>

namespace nnpiper {

namespace {

QString iconName(const PaletteItem& item)
{
    switch (item.kind) {
    case PaletteItem::Kind::device:
        return QStringLiteral("device");
    case PaletteItem::Kind::node:
        return QStringLiteral("node");
    case PaletteItem::Kind::network_switch:
        return QStringLiteral("switch");
    case PaletteItem::Kind::container:
        return item.name;
    case PaletteItem::Kind::link:
        return item.name.startsWith(QLatin1String("WAN")) ? QStringLiteral("wan") : QStringLiteral("link");
    }
    return {};
}

}  // namespace

QSize PaletteDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex& index) const
{
    return {80, index.parent().isValid() ? 32 : 34};
}

void PaletteDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const QPalette& palette = option.palette;
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    QFont font = option.font;
    const QString text = index.data(Qt::DisplayRole).toString();
    if (!index.parent().isValid()) {
        font.setBold(true);
        painter->setFont(font);
        painter->setPen(roleColor(ColorRole::mutedText, palette));
        const QRect line = option.rect.adjusted(2, 8, -14, 0);
        painter->drawText(line, Qt::AlignVCenter | Qt::AlignLeft, text);
        // The fold mark of sections.
        const auto* view = qobject_cast<const QTreeView*>(option.widget);
        const bool open = view && view->isExpanded(index);
        const QPointF middle(option.rect.right() - 16, line.center().y() + 1);
        painter->setPen(QPen(roleColor(ColorRole::mutedText, palette), 1.5, Qt::SolidLine, Qt::RoundCap));
        if (open)
            painter->drawPolyline(
                QPolygonF({middle + QPointF(-4, -2), middle + QPointF(0, 2), middle + QPointF(4, -2)}));
        else
            painter->drawPolyline(
                QPolygonF({middle + QPointF(-2, -4), middle + QPointF(2, 0), middle + QPointF(-2, 4)}));
        painter->restore();
        return;
    }
    const bool hovered = option.state & QStyle::State_MouseOver;
    const bool selected = option.state & QStyle::State_Selected;
    const QRectF box = QRectF(option.rect).adjusted(0.5, 2.5, -7.5, -2.5);
    painter->setPen(QPen(roleColor(selected ? ColorRole::accent : ColorRole::cardBorder, palette), 1));
    painter->setBrush(roleColor(selected  ? ColorRole::accentSoft
                                : hovered ? ColorRole::hover
                                          : ColorRole::field,
                                palette));
    painter->drawRoundedRect(box, 4, 4);

    const auto item = PaletteItem::fromMime(index.data(PaletteModel::itemRole).toByteArray());
    if (item)
        themedIcon(iconName(*item), palette, ColorRole::accent)
            .paint(painter, QRect(option.rect.left() + 8, option.rect.center().y() - 7, 16, 16));

    const QString detail = index.data(PaletteModel::detailRole).toString();
    const QRectF line = box.adjusted(31, 0, -8, 0);
    QFont small = font;
    small.setPointSizeF(font.pointSizeF() * 0.88);
    const double detail_width = QFontMetricsF(small).horizontalAdvance(detail);
    painter->setFont(small);
    painter->setPen(roleColor(ColorRole::mutedText, palette));
    painter->drawText(line, Qt::AlignVCenter | Qt::AlignRight, detail);
    painter->setFont(font);
    painter->setPen(roleColor(ColorRole::text, palette));
    painter->drawText(
        line, Qt::AlignVCenter | Qt::AlignLeft,
        QFontMetricsF(font).elidedText(text, Qt::ElideRight, line.width() - (detail.isEmpty() ? 0 : detail_width + 8)));
    painter->restore();
}

}  // namespace nnpiper
