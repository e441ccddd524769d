// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/results/timeline_plot.h"

#include "widgets/results/timeline_bars.h"
#include "widgets/results/timeline_overlay.h"
#include "widgets/results/timeline_rows.h"
#include "widgets/results/timeline_text.h"
#include "widgets/theme/colors.h"

#include <cmath>

namespace nnpiper {
namespace {

constexpr double tickSpacing = 84;
constexpr int axisHeight = 24;

}  // namespace

TimelinePlot::TimelinePlot(QWidget* parent)
    : QCustomPlot(parent)
{
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setMinimumHeight(120);
    setNoAntialiasingOnDrag(false);
    QCPAxisRect* rect = axisRect();
    rect->setAutoMargins(QCP::msNone);
    rect->setupFullAxesBox();
    xAxis->setVisible(false);
    yAxis->setVisible(false);
    yAxis2->setVisible(false);
    disconnect(xAxis, nullptr, xAxis2, nullptr);
    ticker_.reset(new QCPAxisTickerText);
    ticker_->setSubTickCount(0);
    xAxis2->setTicker(ticker_);
    xAxis2->setVisible(true);
    xAxis2->setTickLabels(true);
    xAxis2->setTickLength(0, 0);
    xAxis2->setBasePen(Qt::NoPen);
    xAxis2->setTickPen(Qt::NoPen);
    xAxis2->setSubTickPen(Qt::NoPen);
    xAxis2->setTickLabelPadding(6);
    yAxis->setRangeReversed(true);
    yAxis->grid()->setVisible(false);
    xAxis->grid()->setVisible(false);
    xAxis2->grid()->setVisible(true);

    bars_ = new TimelineBars(xAxis2, yAxis);
    rows_ = new TimelineRows(this, bars_);
    addLayer(QStringLiteral("pointer"), layer(QStringLiteral("overlay")), QCustomPlot::limAbove);
    layer(QStringLiteral("pointer"))->setMode(QCPLayer::lmBuffered);
    overlay_ = new TimelineOverlay(this, QStringLiteral("pointer"), bars_);
    restyle();
}

TimelinePlot::~TimelinePlot()
{
    bars_->setIndex(nullptr);
    overlay_->setIndex(nullptr);
}

void TimelinePlot::setPlan(std::shared_ptr<const SolvedPlan> plan)
{
    // A plan that follows the pointer while something is dragged keeps the place that the user looks at.
    const bool sameShape = plan && plan_ && plan->timeline.map == plan_->timeline.map
                           && plan->timeline.ops.size() == plan_->timeline.ops.size();
    const TimelineElement kept = sameShape ? selected() : TimelineElement{};
    bars_->setIndex(nullptr);
    overlay_->setIndex(nullptr);
    plan_ = std::move(plan);
    index_ = plan_ ? std::make_unique<TimelineIndex>(plan_->timeline) : nullptr;
    bars_->setIndex(index_.get());
    overlay_->setIndex(index_.get());
    rows_->setPlan(plan_.get());
    if (!sameShape)
        rowOffset_ = 0;
    relayout();
    if (showsAll_ || !sameShape)
        fitAll();
    else
        setScale(scale());
    if (kept.valid())
        select(kept);
    else
        emit selectionChanged({});
    emit rowsChanged();
}

void TimelinePlot::setCriticalPathShown(bool shown)
{
    if (criticalShown_ == shown)
        return;
    criticalShown_ = shown;
    bars_->setCriticalPathShown(shown);
    replot(QCustomPlot::rpQueuedReplot);
    emit criticalPathToggled(shown);
}

TimeScale TimelinePlot::scale() const
{
    return bars_->scale();
}

void TimelinePlot::setScale(const TimeScale& wanted)
{
    const TimeScale s = bounded(wanted, plan_ ? plan_->timeline.makespan_s : 1);
    xAxis2->setRange(s.startS, s.endS());
    showsAll_ = plan_ && s.startS <= 0 && s.endS() >= plan_->timeline.makespan_s;
    updateTicks();
    replot(QCustomPlot::rpQueuedReplot);
}

void TimelinePlot::fitAll()
{
    setScale(fitted(scale(), 0, plan_ ? plan_->timeline.makespan_s : 1, 0.006));
}

void TimelinePlot::fitSelection()
{
    const TimelineElement element = selected();
    if (!plan_ || !element.valid())
        return fitAll();
    double from = 0;
    double to = 0;
    if (element.transfer) {
        const TimelineTransfer& t = plan_->timeline.transfers[static_cast<std::size_t>(element.index)];
        from = t.start_s;
        to = t.arrive_s;
    } else {
        const TimelineOp& op = plan_->timeline.ops[static_cast<std::size_t>(element.index)];
        from = op.start_s;
        to = op.end_s;
    }
    const TimeScale focused = bounded(fitted(scale(), from, to, 0.42), plan_->timeline.makespan_s);
    if (std::abs(focused.spanS - scale().spanS) < 1e-6 * focused.spanS)
        fitAll();
    else
        setScale(focused);
}

QPixmap TimelinePlot::picture(double factor)
{
    clearHover();
    return toPixmap(width(), height(), factor);
}

double TimelinePlot::hiddenRows() const
{
    return bars_->rows().hidden();
}

void TimelinePlot::setRowOffset(double pixels)
{
    const double bound = qBound(0.0, pixels, hiddenRows());
    if (bound == rowOffset_)
        return;
    rowOffset_ = bound;
    bars_->setRowOffset(bound);
    replot(QCustomPlot::rpQueuedReplot);
    emit rowsChanged();
}

TimelineElement TimelinePlot::selected() const
{
    return overlay_->selected();
}

TimelineElement TimelinePlot::hovered() const
{
    return overlay_->hovered();
}

QRectF TimelinePlot::rectOf(TimelineElement element) const
{
    return bars_->rectOf(element);
}

void TimelinePlot::select(TimelineElement element)
{
    overlay_->setSelected(element);
    layer(QStringLiteral("pointer"))->replot();
    emit selectionChanged(index_ ? describeElement(*index_, element, locale()) : QStringList());
}

void TimelinePlot::restyle()
{
    const QPalette p = palette();
    bars_->setColors(p);
    setBackground(QBrush(roleColor(ColorRole::card, p)));
    xAxis2->setTickLabelColor(roleColor(ColorRole::mutedText, p));
    xAxis2->setTickLabelFont(font());
    xAxis2->grid()->setPen(QPen(roleColor(ColorRole::grid, p), 1));
    xAxis2->grid()->setZeroLinePen(QPen(roleColor(ColorRole::grid, p), 1));
    replot(QCustomPlot::rpQueuedReplot);
}

void TimelinePlot::relayout()
{
    const int top = qMax(axisHeight, fontMetrics().height() + 10);
    axisRect()->setMargins(QMargins(plan_ ? rows_->widthHint() : 12, top, 16, 6));
    axisRect()->setOuterRect(viewport());
    axisRect()->update(QCPLayoutElement::upLayout);
    axisRect()->update(QCPLayoutElement::upMargins);
    rowOffset_ = qBound(0.0, rowOffset_, hiddenRows());
    bars_->setRowOffset(rowOffset_);
}

void TimelinePlot::updateTicks()
{
    const TimeScale s = scale();
    const TimeTicks ticks = timeTicks(s, tickSpacing);
    ticker_->clear();
    for (const double time : ticks.timesS)
        ticker_->addTick(time, timeTickLabel(time, ticks.stepS, s.endS(), locale()));
}

void TimelinePlot::resizeEvent(QResizeEvent* event)
{
    const bool all = showsAll_;
    QCustomPlot::resizeEvent(event);
    relayout();
    if (all)
        fitAll();
    else
        setScale(scale());
    emit rowsChanged();
}

void TimelinePlot::changeEvent(QEvent* event)
{
    QCustomPlot::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange
        || event->type() == QEvent::StyleChange) {
        restyle();
        relayout();
        updateTicks();
    } else if (event->type() == QEvent::LanguageChange) {
        rows_->retranslate();
        relayout();
        clearHover();
        if (index_ && selected().valid())
            emit selectionChanged(describeElement(*index_, selected(), locale()));
        replot(QCustomPlot::rpQueuedReplot);
    }
}

}  // namespace nnpiper
