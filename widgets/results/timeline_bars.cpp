// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/results/timeline_bars.h"

#include "widgets/results/bar_runs.h"
#include "widgets/theme/colors.h"

#include <span>

namespace nnpiper {
namespace {

constexpr double tickWidth = 2;
/// Beyond this many connectors the path is a texture, not a line.
constexpr int mostConnectors = 1500;

std::size_t at(int i)
{
    return static_cast<std::size_t>(i);
}

std::span<const TimelineOp> rowOps(const Timeline& timeline, int row)
{
    const int begin = timeline.first_op[at(row)];
    return std::span(timeline.ops).subspan(at(begin), at(timeline.first_op[at(row) + 1] - begin));
}

/// Forward and backward that run at the same time share the height of the row.
QRectF halfOf(const QRectF& bar, OpKind kind)
{
    const double half = bar.height() / 2;
    return kind == OpKind::forward ? bar.adjusted(0, 0, 0, -half) : bar.adjusted(0, half, 0, 0);
}

/// Keeps far-away edges within what the paint engine can handle.
QRectF cut(double left, double right, double top, double height, const TimeScale& scale)
{
    const double from = std::max(left, scale.left - 50);
    const double to = std::min(right, scale.left + scale.width + 50);
    return QRectF(from, top, to - from, height);
}

}  // namespace

TimelineBars::TimelineBars(QCPAxis* timeAxis, QCPAxis* rowAxis)
    : QCPAbstractPlottable(timeAxis, rowAxis)
{
    setSelectable(QCP::stNone);
    setAntialiased(false);
}

void TimelineBars::setIndex(const TimelineIndex* index)
{
    index_ = index;
    critical_.clear();
    criticalOps_.clear();
    if (!index)
        return;
    critical_ = critical_path(index->timeline());
    criticalOps_.resize(at(index->rows()));
    for (const CriticalStep& step : critical_)
        if (!step.transfer) {
            const TimelineOp& op = index->timeline().ops[at(step.index)];
            criticalOps_[at(index->rowOf(op))].push_back(op);
        }
}

TimeScale TimelineBars::scale() const
{
    const QCPRange range = keyAxis()->range();
    const QRect rect = keyAxis()->axisRect()->rect();
    return {range.lower, range.size(), static_cast<double>(rect.left()), std::max(1.0, double(rect.width()))};
}

RowLayout TimelineBars::rows() const
{
    const QRect rect = keyAxis()->axisRect()->rect();
    return RowLayout::make(index_ ? index_->rows() : 0, rect.top(), rect.height(), rowOffset_);
}

QRectF TimelineBars::rectOf(TimelineElement element) const
{
    if (!index_ || !element.valid())
        return {};
    const TimeScale s = scale();
    const RowLayout layout = rows();
    if (element.transfer) {
        const TimelineTransfer& t = index_->timeline().transfers[at(element.index)];
        const int row = index_->senderRow(t);
        const double left = s.toPixel(t.start_s);
        return QRectF(left, layout.tickTop(row), std::max(tickWidth, s.toPixel(t.sent_s) - left), layout.tickHeight());
    }
    const TimelineOp& op = index_->timeline().ops[at(element.index)];
    const double left = s.toPixel(op.start_s);
    const QRectF bar(left, layout.barTop(index_->rowOf(op)), std::max(1.0, s.toPixel(op.end_s) - left), layout.barHeight());
    return op.overlapped ? halfOf(bar, op.kind) : bar;
}

TimelineElement TimelineBars::elementAt(const QPointF& pixel) const
{
    if (!index_ || !keyAxis()->axisRect()->rect().contains(pixel.toPoint()))
        return {};
    const RowLayout layout = rows();
    const int row = layout.rowAt(pixel.y());
    if (row < 0)
        return {};
    const TimeScale s = scale();
    const double tolerance = 2 * s.pixelS();
    if (layout.inTicks(row, pixel.y())) {
        const int transfer = index_->transferAt(row, s.toTime(pixel.x()), 2 * tolerance);
        return {true, transfer};
    }
    const int op = index_->opAt(row, s.toTime(pixel.x()), tolerance);
    return {false, op};
}

QColor TimelineBars::colorOf(OpKind kind) const
{
    const QColor backward = roleColor(ColorRole::backward, palette_);
    switch (kind) {
    case OpKind::forward:
        return roleColor(ColorRole::forward, palette_);
    case OpKind::backward:
    case OpKind::backward_input:
        return backward;
    case OpKind::backward_weight:
        return roleColor(ColorRole::backwardWeight, palette_);
    }
    return backward;
}

/// Chunks behind a device's first, and the other direction of a bidirectional pipeline, are paler.
QColor TimelineBars::colorOf(const TimelineOp& op) const
{
    const StageMap& map = index_->timeline().map;
    if (op.stage < map.devices)
        return colorOf(op.kind);
    const double depth = static_cast<double>(op.stage / map.devices) / std::max(1, map.all_stages() / map.devices - 1);
    return blend(colorOf(op.kind), roleColor(ColorRole::card, palette_), 0.85 - 0.25 * depth);
}

void TimelineBars::draw(QCPPainter* painter)
{
    drawnBars_ = 0;
    if (!index_)
        return;
    const TimeScale s = scale();
    const RowLayout layout = rows();
    painter->setFont(mParentPlot->font());
    for (int row = 0; row < layout.rows; ++row) {
        if (!layout.visible(row))
            continue;
        painter->setAntialiasing(false);
        painter->fillRect(QRectF(s.left, layout.barTop(row), s.width, layout.barHeight()),
                          roleColor(ColorRole::track, palette_));
        drawRow(*painter, s, layout, row);
        drawTicks(*painter, s, layout, row);
    }
    if (criticalShown_)
        drawCriticalPath(*painter, s, layout);
}

void TimelineBars::drawRow(QCPPainter& painter, const TimeScale& s, const RowLayout& layout, int row)
{
    const std::span<const TimelineOp> ops = rowOps(index_->timeline(), row);
    const std::vector<BarRun> runs = barRuns(ops, s);
    drawnBars_ += static_cast<int>(runs.size());
    QFont font = painter.font();
    font.setPixelSize(static_cast<int>(std::clamp(layout.barHeight() * 0.42, 8.0, 12.0)));
    const QFontMetricsF metrics(font);
    painter.setFont(font);
    painter.setPen(Qt::NoPen);
    const double digit = metrics.horizontalAdvance(QLatin1Char('0'));
    const bool few = runs.size() < 1500;
    for (const BarRun& run : runs) {
        // Where columns are only partly busy, the idle part shows as a paler colour.
        const TimelineOp& op = ops[at(run.first)];
        const QColor kind = run.count == 1 ? colorOf(op) : colorOf(run.kind);
        const QColor color =
            run.filled < 1 ? blend(kind, roleColor(ColorRole::track, palette_), 0.3 + 0.7 * run.filled) : kind;
        const double width = run.right - run.left;
        // A hairline keeps neighbours apart as long as there is room for one.
        const QRectF whole = cut(run.left, run.right - (width >= 4 ? 1 : 0), layout.barTop(row), layout.barHeight(), s);
        const QRectF bar = op.overlapped && run.count == 1 ? halfOf(whole, op.kind) : whole;
        if (few && width >= 7) {
            painter.setAntialiasing(true);
            painter.setBrush(color);
            painter.setPen(Qt::NoPen);
            painter.drawRoundedRect(bar, 2, 2);
        } else {
            painter.setAntialiasing(false);
            painter.fillRect(bar, color);
        }
        if (run.count > 1 || bar.height() < 11)
            continue;
        const QString number = QString::number(op.micro_batch);
        if (digit * static_cast<double>(number.size()) + 4 <= bar.width()) {
            painter.setAntialiasing(true);
            painter.setPen(textOn(color));
            painter.drawText(bar, Qt::AlignCenter, number);
        }
    }
}

void TimelineBars::drawTicks(QCPPainter& painter, const TimeScale& s, const RowLayout& layout, int row)
{
    const std::vector<TickRun> runs = tickRuns(index_->timeline(), index_->sentBy(row), s, tickWidth);
    drawnBars_ += static_cast<int>(runs.size());
    const QColor forward = roleColor(ColorRole::transfer, palette_);
    const QColor backward = blend(forward, roleColor(ColorRole::card, palette_), 0.62);
    painter.setAntialiasing(true);
    for (const TickRun& run : runs)
        painter.fillRect(cut(run.left, run.right, layout.tickTop(row), layout.tickHeight(), s),
                         run.backward ? backward : forward);
}

void TimelineBars::drawCriticalPath(QCPPainter& painter, const TimeScale& s, const RowLayout& layout)
{
    const QColor color = roleColor(ColorRole::criticalPath, palette_);
    painter.setAntialiasing(true);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(color, 1.6));
    for (int row = 0; row < layout.rows; ++row) {
        if (!layout.visible(row))
            continue;
        for (const BarRun& run : barRuns(criticalOps_[at(row)], s)) {
            ++drawnBars_;
            const QRectF bar = cut(run.left, run.right, layout.barTop(row), layout.barHeight(), s);
            if (bar.width() >= 6)
                painter.drawRoundedRect(bar.adjusted(0.3, 0.3, -1.3, -0.3), 2, 2);
            else
                painter.fillRect(QRectF(bar.left(), bar.top() - 2, bar.width(), 3), color);
        }
    }
    int connectors = 0;
    for (const CriticalStep& step : critical_) {
        if (!step.transfer)
            continue;
        const TimelineTransfer& t = index_->timeline().transfers[at(step.index)];
        if (t.arrive_s < s.startS || t.start_s > s.endS())
            continue;
        if (++connectors > mostConnectors)
            break;
        const int from = index_->senderRow(t);
        const int to = index_->receiverRow(t);
        const double middle = layout.barHeight() / 2;
        painter.drawLine(QPointF(s.toPixel(t.start_s), layout.barTop(from) + middle),
                         QPointF(s.toPixel(t.arrive_s), layout.barTop(to) + middle));
    }
}

void TimelineBars::drawLegendIcon(QCPPainter* painter, const QRectF& rect) const
{
    painter->fillRect(rect, colorOf(OpKind::forward));
}

double TimelineBars::selectTest(const QPointF& pos, bool onlySelectable, QVariant* details) const
{
    Q_UNUSED(onlySelectable);
    const TimelineElement element = elementAt(pos);
    if (details)
        details->setValue(element.index);
    return element.valid() ? mParentPlot->selectionTolerance() * 0.5 : -1;
}

QCPRange TimelineBars::getKeyRange(bool& found, QCP::SignDomain domain) const
{
    Q_UNUSED(domain);
    found = index_ != nullptr;
    return found ? QCPRange(0, index_->timeline().makespan_s) : QCPRange();
}

QCPRange TimelineBars::getValueRange(bool& found, QCP::SignDomain domain, const QCPRange& keys) const
{
    Q_UNUSED(domain);
    Q_UNUSED(keys);
    found = index_ != nullptr;
    return found ? QCPRange(0, index_->rows()) : QCPRange();
}

}  // namespace nnpiper
