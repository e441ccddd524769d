// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/results/comparison_panel.h"

#include "widgets/results/comparison_delegate.h"
#include "widgets/results/comparison_model.h"
#include "widgets/results/elided_label.h"
#include "widgets/results/empty_state.h"
#include "widgets/results/planner_title.h"
#include "widgets/theme/theme.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QListView>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QStackedWidget>
#include <QVBoxLayout>

namespace nnpiper {

ComparisonPanel::ComparisonPanel(QWidget* parent)
    : QWidget(parent)
    , model_(new ComparisonModel(this))
{
    title_ = new QLabel(this);
    setTextRole(title_, TextRole::title);
    unit_ = new ElidedLabel(this);
    setTextRole(unit_, TextRole::muted);
    unit_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);

    list_ = new QListView(this);
    list_->setModel(model_);
    list_->setItemDelegate(new ComparisonDelegate(list_));
    list_->setMouseTracking(true);
    list_->setSelectionMode(QAbstractItemView::NoSelection);
    list_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    list_->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    list_->setResizeMode(QListView::Adjust);
    list_->setMinimumHeight(60);
    empty_ = new EmptyState(QStringLiteral("arrange"), this);
    pages_ = new QStackedWidget(this);
    pages_->addWidget(empty_);
    pages_->addWidget(list_);

    runningRow_ = new QWidget(this);
    running_ = new ElidedLabel(runningRow_);
    setTextRole(running_, TextRole::muted);
    progress_ = new QProgressBar(runningRow_);
    progress_->setTextVisible(false);
    progress_->setFixedHeight(6);
    auto* runningLayout = new QHBoxLayout(runningRow_);
    runningLayout->setContentsMargins(10, 2, 10, 2);
    runningLayout->addWidget(running_, 1);
    runningLayout->addWidget(progress_, 1);

    line_ = new QFrame(this);
    line_->setFrameShape(QFrame::HLine);
    line_->setFrameShadow(QFrame::Plain);
    whyTitle_ = new QLabel(this);
    setTextRole(whyTitle_, TextRole::title);
    why_ = new QLabel;
    why_->setWordWrap(true);
    why_->setTextFormat(Qt::RichText);
    why_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    why_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    why_->setProperty("plain", true);
    whyArea_ = new QScrollArea(this);
    whyArea_->setWidget(why_);
    whyArea_->setWidgetResizable(true);
    whyArea_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    whyArea_->setFocusPolicy(Qt::NoFocus);

    exportPlan_ = new QPushButton(this);
    exportTrace_ = new QPushButton(this);

    auto* head = new QHBoxLayout;
    head->addWidget(title_);
    head->addWidget(unit_, 1);
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(exportPlan_);
    buttons->addWidget(exportTrace_);
    buttons->addStretch(1);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(12, 8, 12, 10);
    column->setSpacing(6);
    column->addLayout(head);
    column->addWidget(pages_, 1);
    column->addWidget(runningRow_);
    column->addWidget(line_);
    column->addWidget(whyTitle_);
    column->addWidget(whyArea_);
    column->addLayout(buttons);

    connect(list_, &QListView::clicked, this, &ComparisonPanel::activate);
    connect(list_, &QListView::activated, this, &ComparisonPanel::activate);
    connect(exportPlan_, &QPushButton::clicked, this, &ComparisonPanel::exportPlanRequested);
    connect(exportTrace_, &QPushButton::clicked, this, &ComparisonPanel::exportTraceRequested);
    setIdle();
    retranslateUi();
    restyle();
}

void ComparisonPanel::setPlans(const std::vector<Plan>& plans)
{
    model_->setPlans(plans);
    updateState();
}

void ComparisonPanel::setRunning(const QString& planner, double fraction)
{
    runningPlanner_ = planner;
    running_->setText(tr("%1 is planning").arg(plannerTitle(planner.toStdString())));
    if (fraction < 0) {
        progress_->setRange(0, 0);
    } else {
        progress_->setRange(0, 1000);
        progress_->setValue(qBound(0, static_cast<int>(fraction * 1000), 1000));
    }
    runningRow_->show();
}

void ComparisonPanel::setIdle()
{
    runningPlanner_.clear();
    runningRow_->hide();
}

void ComparisonPanel::setCurrent(int index)
{
    model_->setCurrent(index);
    updateState();
}

void ComparisonPanel::setExplanation(const QStringList& sentences)
{
    sentences_ = sentences;
    updateState();
}

void ComparisonPanel::activate(const QModelIndex& index)
{
    const int plan = index.data(ComparisonModel::PlanIndexRole).toInt();
    if (index.isValid() && !model_->plans()[static_cast<std::size_t>(plan)].stages.empty())
        emit planActivated(plan);
}

void ComparisonPanel::updateState()
{
    const bool any = model_->rowCount() > 0;
    const int best = model_->best();
    pages_->setCurrentWidget(any ? static_cast<QWidget*>(list_) : empty_);
    unit_->setVisible(any);
    unit_->setText(model_->showsThroughput() ? tr("samples/s · higher is better") : tr("makespan · lower is better"));
    const bool explained = any && !sentences_.isEmpty();
    line_->setVisible(explained);
    whyTitle_->setVisible(explained);
    whyArea_->setVisible(explained);
    if (explained) {
        const Plan* winner = best >= 0 ? &model_->plans()[static_cast<std::size_t>(best)] : nullptr;
        whyTitle_->setText(winner ? tr("Why %1 wins here").arg(plannerTitle(winner->planner)) : tr("Why no plan fits"));
        QString list;
        for (const QString& sentence : sentences_)
            list += QStringLiteral("<p style='margin:0 0 3px 10px; text-indent:-10px'>•&nbsp;%1</p>")
                        .arg(sentence.toHtmlEscaped());
        why_->setText(list);
    }
    const bool shown = model_->current() >= 0 || best >= 0;
    exportPlan_->setEnabled(shown);
    exportTrace_->setEnabled(shown);
    shareHeight();
}

/// The explanation takes what its text needs, but leaves the list at least half of what both have.
void ComparisonPanel::shareHeight()
{
    if (sentences_.isEmpty())
        return;
    const int width = this->width() - 2 * 12;
    const int text = why_->heightForWidth(width) + 2;
    const int rows = model_->rowCount() * (fontMetrics().height() + 12) + 4;
    const int both = height() - 120;
    whyArea_->setFixedHeight(qMax(fontMetrics().height() + 4, qMin(text, qMax(both / 2, both - rows))));
}

void ComparisonPanel::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    shareHeight();
}

void ComparisonPanel::retranslateUi()
{
    title_->setText(tr("Compare planners"));
    list_->setAccessibleName(tr("Planners by predicted throughput"));
    empty_->setText(tr("Nothing to compare yet"),
                    tr("Press Solve: NN-Piper and the classic planners work on the same cluster and model."));
    exportPlan_->setText(tr("Export plan…"));
    exportPlan_->setToolTip(tr("Save the shown plan as JSON"));
    exportTrace_->setText(tr("Export trace…"));
    exportTrace_->setToolTip(tr("Save the timeline for chrome://tracing or Perfetto"));
    model_->retranslate();
    if (!runningPlanner_.isEmpty())
        running_->setText(tr("%1 is planning").arg(plannerTitle(runningPlanner_.toStdString())));
    updateState();
}

void ComparisonPanel::restyle()
{
    QPalette lines = line_->palette();
    lines.setColor(QPalette::WindowText, roleColor(ColorRole::cardBorder, palette()));
    line_->setPalette(lines);
    exportPlan_->setIcon(themedIcon(QStringLiteral("export"), palette()));
    exportTrace_->setIcon(themedIcon(QStringLiteral("live"), palette()));
}

void ComparisonPanel::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::LanguageChange)
        retranslateUi();
    else if (event->type() == QEvent::PaletteChange)
        restyle();
}

}  // namespace nnpiper
