// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/calibration/run_table_model.h"

#include "core/base/error.h"
#include "widgets/calibration/calibration_text.h"
#include "widgets/inspector/quantity_text.h"
#include "widgets/theme/colors.h"

#include <QFont>
#include <QGuiApplication>
#include <QPalette>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace nnpiper {

namespace {

bool isText(int column)
{
    return column == RunTableModel::nameColumn || column == RunTableModel::runColumn;
}

double readTime(const QString& text, const QString& shown)
{
    const double value = readQuantity(text, Unit::seconds, shown);
    if (!(value > 0) || !std::isfinite(value))
        throw Error("", RunTableModel::tr("\"%1\" is not the time of a step").arg(text).toStdString(),
                    RunTableModel::tr("a time above 0 is needed, for example %1")
                        .arg(quantityText(1.25, Unit::seconds))
                        .toStdString());
    return value;
}

}  // namespace

void RunTableModel::drop()
{
    fit_.reset();
    refresh();
    emit runsChanged();
}

void RunTableModel::add(std::vector<MeasuredStep> runs, const QString& origin)
{
    std::vector<int> old;
    for (std::size_t row = 0; row < origins_.size() && !origin.isEmpty(); ++row)
        if (origins_[row] == origin)
            old.push_back(static_cast<int>(row));
    remove(old);
    if (runs.empty())
        return;
    fit_.reset();
    beginInsertRows({}, rowCount(), rowCount() + static_cast<int>(runs.size()) - 1);
    origins_.insert(origins_.end(), runs.size(), origin);
    std::move(runs.begin(), runs.end(), std::back_inserter(runs_));
    endInsertRows();
    drop();
}

void RunTableModel::remove(std::vector<int> rows)
{
    if (rows.empty())
        return;
    fit_.reset();
    std::sort(rows.rbegin(), rows.rend());
    for (const int row : rows) {
        beginRemoveRows({}, row, row);
        runs_.erase(runs_.begin() + row);
        origins_.erase(origins_.begin() + row);
        endRemoveRows();
    }
    drop();
}

void RunTableModel::setFit(std::shared_ptr<const Calibration> fit)
{
    fit_ = std::move(fit);
    refresh();
}

void RunTableModel::refresh()
{
    if (!runs_.empty())
        emit dataChanged(index(0, 0), index(rowCount() - 1, columns - 1));
}

int RunTableModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(runs_.size());
}

int RunTableModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : columns;
}

std::pair<double, double> RunTableModel::errorRange() const
{
    double least = 0, greatest = 0;
    for (const CalibratedStep& step : fit_->steps)
        for (const double predicted : {step.before_s, step.after_s, step.left_out_s})
            if (std::isfinite(predicted)) {
                least = std::min(least, predicted / step.measured_s - 1);
                greatest = std::max(greatest, predicted / step.measured_s - 1);
            }
    return {least, greatest};
}

QString RunTableModel::text(std::size_t row, int column) const
{
    const MeasuredStep& run = runs_[row];
    switch (column) {
    case nameColumn:
        return QString::fromStdString(run.name);
    case runColumn:
        return runText(run.run);
    case measuredColumn:
        return std::isnan(run.iteration_s) ? QString() : quantityText(run.iteration_s, Unit::seconds);
    default:
        break;
    }
    if (!fit_ || column == errorColumn)
        return {};
    const CalibratedStep& step = fit_->steps[row];
    const double predicted = column == beforeColumn  ? step.before_s
                             : column == afterColumn ? step.after_s
                                                     : step.left_out_s;
    return predictionText(predicted, step.measured_s, QLocale());
}

QVariant RunTableModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    const auto row = static_cast<std::size_t>(index.row());
    const bool missing = index.column() == measuredColumn && std::isnan(runs_[row].iteration_s);
    switch (role) {
    case Qt::DisplayRole:
        return missing ? tr("type it here") : text(row, index.column());
    case Qt::EditRole:
        return text(row, index.column());
    case Qt::TextAlignmentRole:
        return QVariant::fromValue((isText(index.column()) ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    case Qt::ForegroundRole:
        return missing ? roleColor(ColorRole::warning, QGuiApplication::palette()) : QVariant();
    case Qt::ToolTipRole: {
        if (index.column() == nameColumn || index.column() == runColumn) {
            const QStringList types = deviceTypesOf(runs_[row].run);
            return QStringList{text(row, nameColumn), text(row, runColumn), types.join(QStringLiteral(", "))}
                .join(QLatin1Char('\n'))
                .trimmed();
        }
        return {};
    }
    case stepRole:
        return fit_ ? QVariant::fromValue(fit_->steps[row]) : QVariant();
    case leastErrorRole:
        return fit_ ? QVariant(errorRange().first) : QVariant();
    case greatestErrorRole:
        return fit_ ? QVariant(errorRange().second) : QVariant();
    default:
        return {};
    }
}

QVariant RunTableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (section < 0 || (orientation == Qt::Horizontal && section >= columns))
        return {};
    if (orientation == Qt::Vertical)
        return role == Qt::DisplayRole ? QVariant(section + 1) : QVariant();
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue((isText(section)          ? Qt::AlignLeft
                                    : section == errorColumn ? Qt::AlignHCenter
                                                             : Qt::AlignRight)
                                   | Qt::AlignVCenter);
    if (role == Qt::DisplayRole)
        switch (section) {
        case nameColumn:
            return tr("Run");
        case runColumn:
            return tr("What was run");
        case measuredColumn:
            return tr("Measured step");
        case beforeColumn:
            return tr("Predicted before");
        case afterColumn:
            return tr("After");
        case leftOutColumn:
            return tr("Left out");
        case errorColumn:
            return tr("Error");
        default:
            break;
        }
    if (role == Qt::ToolTipRole)
        switch (section) {
        case measuredColumn:
            return tr("Time of one optimizer step, with its unit");
        case beforeColumn:
            return tr("Predicted with the constants that the run's project has, and the error");
        case afterColumn:
            return tr("Predicted with the constants fitted on all runs, and the error");
        case leftOutColumn:
            return tr(
                "Predicted with constants fitted on all other runs: what to expect of a plan that was not measured");
        default:
            break;
        }
    return {};
}

Qt::ItemFlags RunTableModel::flags(const QModelIndex& index) const
{
    if (!index.isValid())
        return Qt::NoItemFlags;
    Qt::ItemFlags flags = Qt::ItemIsEnabled | Qt::ItemIsSelectable;
    if (index.column() == nameColumn || index.column() == measuredColumn)
        flags |= Qt::ItemIsEditable;
    return flags;
}

bool RunTableModel::setData(const QModelIndex& index, const QVariant& value, int role)
{
    if (!index.isValid() || role != Qt::EditRole || !(flags(index) & Qt::ItemIsEditable))
        return false;
    MeasuredStep& run = runs_[static_cast<std::size_t>(index.row())];
    const QString shown = text(static_cast<std::size_t>(index.row()), index.column());
    const QString typed = value.toString().trimmed();
    if (typed.isEmpty() || typed == shown)
        return false;
    if (index.column() == nameColumn) {
        run.name = typed.toStdString();
        refresh();
        return true;
    }
    try {
        const double time = readTime(typed, shown);
        if (time == run.iteration_s)
            return false;
        run.iteration_s = time;
    } catch (const Error& error) {
        emit rejected(QString::fromStdString(error.what()));
        return false;
    }
    drop();
    return true;
}

void RunTableModel::retranslate()
{
    emit headerDataChanged(Qt::Horizontal, 0, columns - 1);
    refresh();
}

}  // namespace nnpiper
