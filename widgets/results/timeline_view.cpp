// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/results/timeline_view.h"

#include "widgets/results/device_label.h"
#include "widgets/results/elided_label.h"
#include "widgets/results/empty_state.h"
#include "widgets/results/figures.h"
#include "widgets/results/legend.h"
#include "widgets/results/timeline_plot.h"
#include "widgets/theme/theme.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QPainter>
#include <QPixmap>
#include <QScrollBar>
#include <QStackedLayout>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace nnpiper {

TimelineView::TimelineView(QWidget* parent)
    : QWidget(parent)
{
    pages_ = new QStackedLayout(this);
    empty_ = new EmptyState(QStringLiteral("live"), this);
    page_ = new QWidget(this);
    pages_->addWidget(empty_);
    pages_->addWidget(page_);

    legend_ = new Legend(page_);
    critical_ = new QToolButton(page_);
    critical_->setCheckable(true);
    critical_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    fit_ = new QToolButton(page_);
    for (QToolButton* button : {critical_, fit_}) {
        setButtonRole(button, ButtonRole::flat);
        button->setIconSize({16, 16});
        button->setFocusPolicy(Qt::TabFocus);
    }
    plot_ = new TimelinePlot(page_);
    rows_ = new QScrollBar(Qt::Vertical, page_);
    figures_ = new ElidedLabel(page_);
    selection_ = new ElidedLabel(page_);
    setTextRole(selection_, TextRole::muted);
    selection_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);

    auto* top = new QHBoxLayout;
    top->setContentsMargins(12, 4, 8, 0);
    top->addWidget(legend_, 1);
    top->addWidget(critical_);
    top->addWidget(fit_);
    auto* chart = new QHBoxLayout;
    chart->setSpacing(0);
    chart->addWidget(plot_, 1);
    chart->addWidget(rows_);
    auto* bottom = new QHBoxLayout;
    bottom->setContentsMargins(12, 2, 12, 6);
    bottom->setSpacing(16);
    // The figures take what they need; the hint gets the rest.
    selection_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    bottom->addWidget(figures_);
    bottom->addWidget(selection_, 1);
    auto* column = new QVBoxLayout(page_);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(top);
    column->addLayout(chart, 1);
    column->addLayout(bottom);

    connect(critical_, &QToolButton::toggled, plot_, &TimelinePlot::setCriticalPathShown);
    connect(plot_, &TimelinePlot::criticalPathToggled, critical_, &QToolButton::setChecked);
    connect(fit_, &QToolButton::clicked, plot_, &TimelinePlot::fitAll);
    connect(plot_, &TimelinePlot::rowsChanged, this, &TimelineView::updateScrollBar);
    connect(rows_, &QScrollBar::valueChanged, this, [this](int value) { plot_->setRowOffset(value); });
    connect(plot_, &TimelinePlot::selectionChanged, this, [this](const QStringList& lines) {
        selection_->setText(lines.isEmpty() ? tr("Wheel zooms, drag pans, F fits, click shows dependencies")
                                            : lines.join(QStringLiteral("  ·  ")));
    });
    retranslateUi();
    restyle();
    updateScrollBar();
}

void TimelineView::setPlan(std::shared_ptr<const SolvedPlan> plan)
{
    plan_ = plan && plan->timeline.rows() > 0 ? std::move(plan) : nullptr;
    if (plan_)
        pages_->setCurrentWidget(page_);
    plot_->setPlan(plan_);
    if (!plan_)
        pages_->setCurrentWidget(empty_);
    updateFigures();
    updateScrollBar();
}

bool TimelineView::exportPng(const QString& path, double scale)
{
    if (!plan_ || scale <= 0)
        return false;
    const QSize size(page_->width(), page_->height());
    QPixmap picture((QSizeF(size) * scale).toSize());
    picture.fill(roleColor(ColorRole::card, palette()));
    QPainter painter(&picture);
    painter.scale(scale, scale);
    legend_->render(&painter, legend_->mapTo(page_, QPoint()), QRegion(), QWidget::DrawChildren);
    // The figures get the whole line: what is selected on screen does not belong into the picture.
    const QRect line = QRect(figures_->mapTo(page_, QPoint()), QSize(size.width() - 24, figures_->height()));
    painter.setFont(figures_->font());
    painter.setPen(roleColor(ColorRole::text, palette()));
    painter.drawText(line, Qt::AlignVCenter | Qt::AlignLeft,
                     figures_->fontMetrics().elidedText(figures_->text(), Qt::ElideRight, line.width()));
    const QPixmap chart = plot_->picture(scale);
    painter.drawPixmap(QRectF(plot_->mapTo(page_, QPoint()), QSizeF(plot_->size())), chart, QRectF(chart.rect()));
    painter.end();
    return picture.save(path, "PNG");
}

void TimelineView::updateFigures()
{
    if (!plan_) {
        figures_->clear();
        return;
    }
    const Timeline& t = plan_->timeline;
    const auto slowest =
        std::max_element(t.metrics.begin(), t.metrics.end(),
                         [](const DeviceMetrics& a, const DeviceMetrics& b) { return a.busy_s < b.busy_s; });
    const int row = static_cast<int>(slowest - t.metrics.begin());
    std::size_t stage = 0;
    while (t.map.device(static_cast<int>(stage)) != row)
        ++stage;
    QString where = tr("stage %1").arg(stage);
    if (plan_->problem && stage < plan_->plan.stages.size())
        where += QStringLiteral(" (%1)").arg(stageDeviceLabel(*plan_->problem, plan_->plan.stages[stage]));
    const QLocale l = locale();
    figures_->setText(tr("makespan %1   ·   iteration %2   ·   bubble %3   ·   bottleneck %4")
                          .arg(formatSeconds(t.makespan_s, l), formatSeconds(t.iteration_s, l),
                               formatPercent(t.bubble_fraction, l), where));
}

void TimelineView::updateScrollBar()
{
    const int hidden = static_cast<int>(plot_->hiddenRows());
    const QSignalBlocker blocker(rows_);
    rows_->setVisible(plan_ && hidden > 0);
    rows_->setRange(0, hidden);
    rows_->setPageStep(qMax(1, plot_->height()));
    rows_->setSingleStep(26);
    rows_->setValue(static_cast<int>(plot_->rowOffset()));
}

void TimelineView::retranslateUi()
{
    setAccessibleName(tr("Timeline"));
    empty_->setText(tr("No timeline yet"),
                    tr("Press Solve: the chart shows when every stage works, sends and waits for each micro-batch."));
    legend_->setEntries({{ColorRole::forward, tr("forward"), false},
                         {ColorRole::backward, tr("backward"), false},
                         {ColorRole::backwardWeight, tr("weight gradient"), false},
                         {ColorRole::transfer, tr("send"), false},
                         {ColorRole::criticalPath, tr("critical path"), true}});
    critical_->setText(tr("Critical path"));
    critical_->setToolTip(tr("Mark the chain of work and messages that decides the makespan (C)"));
    fit_->setToolTip(tr("Show the whole iteration (F)"));
    fit_->setAccessibleName(tr("Fit"));
    updateFigures();
    if (!plot_->selected().valid())
        emit plot_->selectionChanged({});
}

void TimelineView::restyle()
{
    critical_->setIcon(themedIcon(QStringLiteral("critical"), palette()));
    fit_->setIcon(themedIcon(QStringLiteral("fit"), palette()));
}

void TimelineView::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::LanguageChange)
        retranslateUi();
    else if (event->type() == QEvent::PaletteChange)
        restyle();
}

}  // namespace nnpiper
