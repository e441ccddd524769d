// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/results/comparison_delegate.h"

#include "widgets/results/comparison_model.h"
#include "widgets/theme/colors.h"

#include <QPainter>

namespace nnpiper {
namespace {

constexpr int side = 10;
constexpr int gap = 10;
constexpr int narrowest = 320;
constexpr int wide = 480;

struct Columns {
    QRectF title;
    QRectF bar;  ///< with the figure behind it
    QRectF time;
    QRectF proved;
    QRectF difference;
    double figure = 0;
};

int widest(const QAbstractItemModel& model, int role, const QFontMetrics& metrics)
{
    int width = 0;
    for (int row = 0; row < model.rowCount(); ++row)
        width = qMax(width, metrics.horizontalAdvance(model.index(row, 0).data(role).toString()));
    return width;
}

Columns columnsFor(const QRect& rect, const QAbstractItemModel& model, const QFont& font)
{
    QFont bold = font;
    bold.setBold(true);
    const QFontMetrics metrics(bold);
    const QRectF area = QRectF(rect).adjusted(side, 0, -side, 0);
    const double difference = widest(model, ComparisonModel::DifferenceRole, metrics);
    // In a narrow panel what is proved gives way, then the planning time; both stay in the tooltip.
    const double time = area.width() < narrowest ? 0 : widest(model, ComparisonModel::TimeRole, metrics);
    const double proved = area.width() < wide ? 0 : widest(model, ComparisonModel::GapRole, metrics);
    const double provedGap = proved > 0 ? gap : 0;
    Columns columns;
    columns.figure = widest(model, ComparisonModel::FigureRole, metrics) + 6;
    const double fixed = difference + time + proved + columns.figure + 3 * gap + provedGap;
    const double title =
        qMin<double>(widest(model, ComparisonModel::TitleRole, metrics), qMax(40.0, (area.width() - fixed) * 0.6));
    columns.title = QRectF(area.left(), area.top(), title, area.height());
    columns.difference = QRectF(area.right() - difference, area.top(), difference, area.height());
    columns.proved = QRectF(columns.difference.left() - provedGap - proved, area.top(), proved, area.height());
    columns.time = QRectF(columns.proved.left() - gap - time, area.top(), time, area.height());
    columns.bar = QRectF(columns.title.right() + gap, area.top(),
                         qMax(0.0, columns.time.left() - gap - columns.title.right() - gap), area.height());
    return columns;
}

ColorRole signColor(int sign)
{
    switch (sign) {
    case 1:
        return ColorRole::positive;
    case 0:
        return ColorRole::mutedText;
    case -3:
        return ColorRole::mutedText;
    default:
        return ColorRole::negative;
    }
}

}  // namespace

void ComparisonDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const QPalette& palette = option.palette;
    const bool current = index.data(ComparisonModel::CurrentRole).toBool();
    const bool focused = option.state & QStyle::State_HasFocus && option.state & QStyle::State_KeyboardFocusChange;
    const bool muted = index.data(ComparisonModel::DifferenceSignRole).toInt() <= -2;
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    const QRectF ground = QRectF(option.rect).adjusted(2, 1, -2, -1);
    painter->setPen(focused ? QPen(roleColor(ColorRole::accent, palette), 1) : QPen(Qt::NoPen));
    painter->setBrush(current                                  ? QBrush(roleColor(ColorRole::accentSoft, palette))
                      : option.state & QStyle::State_MouseOver ? QBrush(roleColor(ColorRole::hover, palette))
                                                               : QBrush(Qt::NoBrush));
    painter->drawRoundedRect(ground, 4, 4);

    const Columns columns = columnsFor(option.rect, *index.model(), option.font);
    QFont font = option.font;
    font.setBold(current);
    painter->setFont(font);
    const QFontMetrics metrics(font);
    painter->setPen(roleColor(muted ? ColorRole::mutedText : ColorRole::text, palette));
    painter->drawText(columns.title, Qt::AlignVCenter | Qt::AlignLeft,
                      metrics.elidedText(index.data(ComparisonModel::TitleRole).toString(), Qt::ElideRight,
                                         static_cast<int>(columns.title.width() + 1)));

    const double share = index.data(ComparisonModel::ShareRole).toDouble();
    const double room = qMax(0.0, columns.bar.width() - columns.figure);
    QRectF bar = columns.bar;
    bar.setWidth(room * share);
    bar.adjust(0, 5, 0, -5);
    painter->setPen(Qt::NoPen);
    painter->setBrush(roleColor(current ? ColorRole::accent : ColorRole::bar, palette));
    if (bar.width() > 0)
        painter->drawRoundedRect(bar, 3, 3);
    painter->setPen(roleColor(ColorRole::text, palette));
    const QRectF figure(bar.right() + 6, columns.bar.top(), columns.figure, columns.bar.height());
    painter->drawText(figure, Qt::AlignVCenter | Qt::AlignLeft, index.data(ComparisonModel::FigureRole).toString());

    painter->setFont(option.font);
    painter->setPen(roleColor(ColorRole::mutedText, palette));
    if (columns.time.width() > 0)
        painter->drawText(columns.time, Qt::AlignVCenter | Qt::AlignRight,
                          index.data(ComparisonModel::TimeRole).toString());
    if (columns.proved.width() > 0)
        painter->drawText(columns.proved, Qt::AlignVCenter | Qt::AlignRight,
                          index.data(ComparisonModel::GapRole).toString());
    painter->setPen(roleColor(signColor(index.data(ComparisonModel::DifferenceSignRole).toInt()), palette));
    painter->drawText(columns.difference, Qt::AlignVCenter | Qt::AlignRight,
                      index.data(ComparisonModel::DifferenceRole).toString());
    painter->restore();
}

QSize ComparisonDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex&) const
{
    return {260, option.fontMetrics.height() + 12};
}

}  // namespace nnpiper
