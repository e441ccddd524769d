// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/results/timeline_rows.h"

#include "widgets/results/device_label.h"
#include "widgets/results/timeline_bars.h"
#include "widgets/theme/colors.h"

namespace nnpiper {
namespace {

constexpr int leftMargin = 12;
constexpr int between = 6;
constexpr int rightMargin = 10;
constexpr int widest = 230;

/// In model order; where the pipeline runs in two directions, both.
QList<int> stagesOfRow(const StageMap& map, int row)
{
    QList<int> stages;
    for (int s = 0; s < map.all_stages(); ++s) {
        if (map.device(s) == row)
            stages << s % map.stages;
    }
    return stages;
}

/// "0, 4, 8", or the first and last of many.
QString listed(const QList<int>& stages)
{
    if (stages.size() > 4)
        return QStringLiteral("%1 … %2").arg(stages.front()).arg(stages.back());
    QStringList numbers;
    for (const int stage : stages)
        numbers << QString::number(stage);
    return numbers.join(QStringLiteral(", "));
}

}  // namespace

TimelineRows::TimelineRows(QCustomPlot* plot, const TimelineBars* bars)
    : QCPLayerable(plot, "axes")
    , bars_(bars)
{
}

void TimelineRows::setPlan(const SolvedPlan* plan)
{
    stages_.clear();
    devices_.clear();
    for (int row = 0; plan && row < plan->timeline.rows(); ++row) {
        stages_ << stagesOfRow(plan->timeline.map, row);
        const auto i = static_cast<std::size_t>(stages_.back().front());
        devices_ << (plan->problem && i < plan->plan.stages.size()
                         ? stageDeviceLabel(*plan->problem, plan->plan.stages[i])
                         : QString());
    }
    retranslate();
}

void TimelineRows::retranslate()
{
    stageNames_.clear();
    for (const QList<int>& held : stages_)
        stageNames_ << (held.size() == 1 ? tr("stage %1").arg(held.front()) : tr("stages %1").arg(listed(held)));
}

QFont TimelineRows::boldFont() const
{
    QFont font = mParentPlot->font();
    font.setBold(true);
    return font;
}

int TimelineRows::widthHint() const
{
    const QFontMetrics bold(boldFont());
    const QFontMetrics plain(mParentPlot->font());
    int names = 0;
    int devices = 0;
    for (const QString& name : stageNames_)
        names = qMax(names, bold.horizontalAdvance(name));
    for (const QString& device : devices_)
        devices = qMax(devices, plain.horizontalAdvance(device));
    return qMin(widest, leftMargin + names + (devices > 0 ? between + devices + 3 : 0) + rightMargin);
}

void TimelineRows::applyDefaultAntialiasingHint(QCPPainter* painter) const
{
    painter->setAntialiasing(true);
}

void TimelineRows::draw(QCPPainter* painter)
{
    const RowLayout layout = bars_->rows();
    const int right = bars_->keyAxis()->axisRect()->left() - rightMargin;
    const QFontMetrics bold(boldFont());
    const QFontMetrics plain(mParentPlot->font());
    int names = 0;
    for (const QString& name : stageNames_)
        names = qMax(names, bold.horizontalAdvance(name));
    painter->save();
    painter->setClipRect(QRectF(0, layout.top, right + rightMargin, layout.height));
    const QPalette palette = mParentPlot->palette();
    for (int s = 0; s < static_cast<int>(stages_.size()); ++s) {
        if (!layout.visible(s))
            continue;
        const QRectF line(leftMargin, layout.barTop(s), right - leftMargin, layout.barHeight());
        painter->setFont(boldFont());
        painter->setPen(stageTextColor(stages_[s].front(), palette));
        painter->drawText(line, Qt::AlignVCenter | Qt::AlignLeft, stageNames_[s]);
        const QRectF rest = line.adjusted(names + between, 0, 0, 0);
        painter->setFont(mParentPlot->font());
        painter->setPen(roleColor(ColorRole::mutedText, palette));
        painter->drawText(rest, Qt::AlignVCenter | Qt::AlignLeft,
                          plain.elidedText(devices_[s], Qt::ElideMiddle, static_cast<int>(rest.width())));
    }
    painter->restore();
}

}  // namespace nnpiper
