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

}  // namespace

TimelineRows::TimelineRows(QCustomPlot* plot, const TimelineBars* bars)
    : QCPLayerable(plot, "axes")
    , bars_(bars)
{
}

void TimelineRows::setPlan(const SolvedPlan* plan)
{
    stages_ = plan ? plan->timeline.stages : 0;
    devices_.clear();
    for (int s = 0; s < stages_; ++s) {
        const auto i = static_cast<std::size_t>(s);
        devices_ << (plan->problem && i < plan->plan.stages.size()
                         ? stageDeviceLabel(*plan->problem, plan->plan.stages[i])
                         : QString());
    }
    retranslate();
}

void TimelineRows::retranslate()
{
    stageNames_.clear();
    for (int s = 0; s < stages_; ++s)
        stageNames_ << tr("stage %1").arg(s);
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
    for (int s = 0; s < stages_; ++s) {
        if (!layout.visible(s))
            continue;
        const QRectF line(leftMargin, layout.barTop(s), right - leftMargin, layout.barHeight());
        painter->setFont(boldFont());
        painter->setPen(stageTextColor(s, palette));
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
