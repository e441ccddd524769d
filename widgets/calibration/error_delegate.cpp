// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/calibration/error_delegate.h"

#include "widgets/calibration/run_table_model.h"
#include "widgets/theme/colors.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace nnpiper {

namespace {

constexpr double margin = 12;
constexpr double radius = 4;
constexpr double least_span = 0.02;

}  // namespace

double ErrorDelegate::position(const QRectF& cell, double error, double least, double greatest)
{
    // A narrow range is widened on both sides, so that rounding does not fill the axis.
    const double missing = std::max(0.0, least_span - (greatest - least)) / 2;
    const double from = least - missing, span = greatest - least + 2 * missing;
    return cell.left() + margin
           + std::max(0.0, cell.width() - 2 * margin) * std::clamp((error - from) / span, 0.0, 1.0);
}

void ErrorDelegate::initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const
{
    QStyledItemDelegate::initStyleOption(option, index);
    // The selected row says enough.
    option->state &= ~QStyle::State_HasFocus;
}

void ErrorDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    QStyledItemDelegate::paint(painter, option, index);
    const QVariant shown = index.data(RunTableModel::stepRole);
    if (index.column() != RunTableModel::errorColumn || !shown.isValid())
        return;
    const auto step = shown.value<CalibratedStep>();
    const double least = index.data(RunTableModel::leastErrorRole).toDouble();
    const double greatest = index.data(RunTableModel::greatestErrorRole).toDouble();
    const QRectF cell = option.rect;
    const double middle = cell.center().y();
    const auto x = [&](double predicted) { return position(cell, predicted / step.measured_s - 1, least, greatest); };
    const QColor old = roleColor(ColorRole::bar, option.palette);
    const QColor fitted = roleColor(ColorRole::accent, option.palette);

    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(QPen(roleColor(ColorRole::cardBorder, option.palette), 1));
    painter->drawLine(QPointF(x(step.measured_s), cell.top()), QPointF(x(step.measured_s), cell.bottom() + 1));
    painter->setPen(QPen(old, 2));
    painter->drawLine(QPointF(x(step.before_s), middle), QPointF(x(step.after_s), middle));
    painter->setPen(Qt::NoPen);
    painter->setBrush(old);
    painter->drawEllipse(QPointF(x(step.before_s), middle), radius, radius);
    painter->setBrush(fitted);
    painter->drawEllipse(QPointF(x(step.after_s), middle), radius, radius);
    if (std::isfinite(step.left_out_s)) {
        painter->setBrush(Qt::NoBrush);
        painter->setPen(QPen(roleColor(ColorRole::warning, option.palette), 1.5));
        painter->drawEllipse(QPointF(x(step.left_out_s), middle), radius + 2, radius + 2);
    }
    painter->restore();
}

}  // namespace nnpiper
