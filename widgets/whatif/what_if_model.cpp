// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/whatif/what_if_model.h"

#include "widgets/results/figures.h"
#include "widgets/results/planner_title.h"
#include "widgets/theme/colors.h"
#include "widgets/whatif/what_if_text.h"

#include <QGuiApplication>
#include <QLocale>
#include <QPalette>

#include <algorithm>
#include <cmath>
#include <limits>

namespace nnpiper {

namespace {

const QString none = QStringLiteral("—");

QString signedNumber(double value, const QLocale& locale)
{
    const QString digits = locale.toString(std::abs(value), 'f', 2);
    return value == 0 ? digits : (value > 0 ? QStringLiteral("+") : QStringLiteral("−")) + digits;
}

std::optional<double> figure(const WhatIfEffect& effect, int column)
{
    switch (column) {
    case WhatIfModel::ThroughputColumn:
        return effect.planned.throughput_samples_per_s();
    case WhatIfModel::GainColumn:
        return effect.gain;
    case WhatIfModel::PriceColumn:
        return effect.change.price_change_dollars_per_h;
    case WhatIfModel::GainPerCostColumn:
        return effect.gain_per_cost;
    default:
        return std::nullopt;
    }
}

}  // namespace

void WhatIfModel::clear()
{
    beginResetModel();
    effects_.clear();
    endResetModel();
}

void WhatIfModel::add(Shared effect)
{
    const auto place = std::upper_bound(effects_.begin(), effects_.end(), effect,
                                        [](const Shared& a, const Shared& b) { return pays_more(*a, *b); });
    const auto row = static_cast<int>(place - effects_.begin());
    beginInsertRows({}, row, row);
    effects_.insert(place, std::move(effect));
    endInsertRows();
}

void WhatIfModel::retranslate()
{
    emit headerDataChanged(Qt::Horizontal, 0, ColumnCount - 1);
    if (!effects_.empty())
        emit dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
}

int WhatIfModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(effects_.size());
}

int WhatIfModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant WhatIfModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const WhatIfEffect& effect = *effects_[static_cast<std::size_t>(index.row())];
    const int column = index.column();
    const std::optional<double> value = figure(effect, column);
    const QLocale locale;
    switch (role) {
    case Qt::DisplayRole:
        if (column == ChangeColumn)
            return whatIfText(effect.change);
        if (column == ThroughputColumn && !effect.planned.failure.empty())
            return tr("does not fit");
        if (column == PriceColumn && !value)
            return tr("unknown");
        if (!value)
            return none;
        if (column == ThroughputColumn)
            return formatRate(*value, locale);
        return column == PriceColumn ? signedNumber(*value, locale) : formatDifference(*value, locale);
    case Qt::ToolTipRole:
        if (!effect.planned.failure.empty())
            return QString::fromStdString(effect.planned.failure);
        return tr("%1 stages, planned by %2\nDouble-click or Enter applies the change to the project")
            .arg(effect.planned.plan.stages.size())
            .arg(plannerTitle(effect.planned.plan.planner));
    case Qt::TextAlignmentRole:
        return int(Qt::AlignVCenter | (column == ChangeColumn ? Qt::AlignLeft : Qt::AlignRight));
    case Qt::ForegroundRole:
        if (column == GainColumn && value && std::abs(*value) >= 5e-4)
            return roleColor(*value > 0 ? ColorRole::positive : ColorRole::negative, QGuiApplication::palette());
        return {};
    case SortRole:
        if (column == ChangeColumn)
            return whatIfText(effect.change);
        return value.value_or(-std::numeric_limits<double>::infinity());
    default:
        return {};
    }
}

QVariant WhatIfModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount)
        return {};
    if (role == Qt::TextAlignmentRole)
        return int(Qt::AlignVCenter | (section == ChangeColumn ? Qt::AlignLeft : Qt::AlignRight));
    if (role == Qt::ToolTipRole && section == GainPerCostColumn)
        return tr("Throughput gained for each dollar an hour that the change costs more");
    if (role == Qt::ToolTipRole && section == PriceColumn)
        return tr("Change of the price of all devices; unknown where the inspector has no price");
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
    case ChangeColumn:
        return tr("change");
    case ThroughputColumn:
        return tr("samples/s");
    case GainColumn:
        return tr("gain");
    case PriceColumn:
        return tr("$ an hour");
    default:
        return tr("gain per $/h");
    }
}

}  // namespace nnpiper
