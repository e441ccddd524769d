// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/results/comparison_model.h"

#include "widgets/results/figures.h"
#include "widgets/results/planner_title.h"

#include <QLocale>

#include <algorithm>
#include <numeric>

namespace nnpiper {
namespace {

std::size_t at(int i)
{
    return static_cast<std::size_t>(i);
}

}  // namespace

void ComparisonModel::setPlans(std::vector<Plan> plans)
{
    beginResetModel();
    plans_ = std::move(plans);
    throughput_ = std::any_of(plans_.begin(), plans_.end(),
                              [](const Plan& plan) { return plan.feasible && plan.throughput_samples_per_s > 0; });
    order_.resize(plans_.size());
    std::iota(order_.begin(), order_.end(), 0);
    std::stable_sort(order_.begin(), order_.end(), [this](int a, int b) {
        const Plan& first = plans_[at(a)];
        const Plan& second = plans_[at(b)];
        if (group(first) != group(second))
            return group(first) < group(second);
        return group(first) == 0 && speed(first) > speed(second);
    });
    if (current_ >= static_cast<int>(plans_.size()))
        current_ = -1;
    endResetModel();
}

void ComparisonModel::setCurrent(int planIndex)
{
    if (current_ == planIndex)
        return;
    const int before = rowOf(current_);
    current_ = planIndex;
    for (const int row : {before, rowOf(current_)})
        if (row >= 0)
            emit dataChanged(index(row), index(row), {CurrentRole});
}

int ComparisonModel::best() const
{
    return !order_.empty() && group(plans_[at(order_.front())]) == 0 ? order_.front() : -1;
}

int ComparisonModel::rowOf(int planIndex) const
{
    const auto it = std::find(order_.begin(), order_.end(), planIndex);
    return it == order_.end() ? -1 : static_cast<int>(it - order_.begin());
}

void ComparisonModel::retranslate()
{
    if (!order_.empty())
        emit dataChanged(index(0), index(rowCount() - 1));
}

double ComparisonModel::speed(const Plan& plan) const
{
    if (throughput_)
        return plan.throughput_samples_per_s;
    return plan.makespan_s > 0 ? 1 / plan.makespan_s : 0;
}

int ComparisonModel::group(const Plan& plan) const
{
    return plan.status == "skipped" ? 2 : plan.feasible ? 0 : 1;
}

int ComparisonModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(order_.size());
}

QString ComparisonModel::tip(const Plan& plan) const
{
    const QLocale locale;
    QStringList lines;
    lines << plannerTitle(plan.planner);
    if (!plan.reason.empty())
        lines << QString::fromStdString(plan.reason);
    if (plan.status == "skipped")
        return lines.join(QLatin1Char('\n'));
    if (plan.makespan_s > 0)
        lines << tr("stages: %1, micro-batches: %2").arg(plan.stages.size()).arg(plan.micro_batches)
              << tr("makespan %1, iteration %2, bubble %3")
                     .arg(formatSeconds(plan.makespan_s, locale), formatSeconds(plan.iteration_s, locale),
                          formatPercent(plan.bubble_fraction, locale));
    lines << tr("planned in %1").arg(formatDuration(plan.planning_time_ms, locale));
    if (plan.proved_gap)
        lines << tr("proved: within %1 of the best possible plan").arg(formatPercent(*plan.proved_gap, locale));
    if (plan.bound_s)
        lines << tr("proved: no plan with one device a stage is faster than %1").arg(formatSeconds(*plan.bound_s, locale));
    if (plan.status == "stopped")
        lines << tr("the search was stopped at its time limit");
    if (!plan.detail.empty())
        lines << QString::fromStdString(plan.detail);
    return lines.join(QLatin1Char('\n'));
}

QVariant ComparisonModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const int planIndex = order_[at(index.row())];
    const Plan& plan = plans_[at(planIndex)];
    const bool runs = group(plan) == 0;
    const double top = best() >= 0 ? speed(plans_[at(best())]) : 0;
    const QLocale locale;
    const auto difference = [&]() -> QString {
        if (group(plan) == 2)
            return tr("skipped");
        if (group(plan) == 1)
            return tr("infeasible");
        return planIndex == best() ? tr("best") : formatDifference(top > 0 ? speed(plan) / top - 1 : 0, locale);
    };
    switch (role) {
    case Qt::DisplayRole:
    case TitleRole:
        return plannerTitle(plan.planner);
    case Qt::ToolTipRole:
        return tip(plan);
    case Qt::AccessibleTextRole:
        return QStringLiteral("%1: %2 %3")
            .arg(plannerTitle(plan.planner), data(index, FigureRole).toString(), difference());
    case PlanIndexRole:
        return planIndex;
    case ShareRole:
        return runs && top > 0 ? speed(plan) / top : 0.0;
    case FigureRole:
        if (!runs)
            return QString();
        return throughput_ ? formatRate(plan.throughput_samples_per_s, locale) : formatSeconds(plan.makespan_s, locale);
    case TimeRole:
        return group(plan) == 2 ? QString() : formatDuration(plan.planning_time_ms, locale);
    case GapRole:
        return runs && plan.proved_gap ? tr("within %1").arg(formatPercent(*plan.proved_gap, locale)) : QString();
    case DifferenceRole:
        return difference();
    case DifferenceSignRole:
        if (!runs)
            return group(plan) == 2 ? -3 : -2;
        return planIndex == best() ? 1 : speed(plan) >= top * (1 - 5e-4) ? 0 : -1;
    case CurrentRole:
        return planIndex == current_;
    default:
        return {};
    }
}

}  // namespace nnpiper
