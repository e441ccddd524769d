// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/whatif/what_if_view.h"

#include "widgets/document/edits.h"
#include "widgets/results/empty_state.h"
#include "widgets/results/figures.h"
#include "widgets/theme/theme.h"
#include "widgets/whatif/what_if_text.h"

#include <QAction>
#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLocale>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QStackedLayout>
#include <QTableView>
#include <QVBoxLayout>

namespace nnpiper {

namespace {

constexpr int restMs = 700;

QTableView* makeTable(QWidget* parent)
{
    auto* table = new QTableView(parent);
    table->setFrameShape(QFrame::NoFrame);
    table->setAlternatingRowColors(true);
    table->setShowGrid(false);
    table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->setSelectionMode(QAbstractItemView::SingleSelection);
    table->setContextMenuPolicy(Qt::ActionsContextMenu);
    table->setTabKeyNavigation(false);
    table->verticalHeader()->hide();
    table->verticalHeader()->setDefaultSectionSize(24);
    table->horizontalHeader()->setHighlightSections(false);
    return table;
}

}  // namespace

WhatIfView::WhatIfView(ProjectDocument& document, QWidget* parent)
    : QWidget(parent)
    , document_(document)
    , runner_(new WhatIfRunner(this))
    , model_(new WhatIfModel(this))
    , sorted_(new QSortFilterProxyModel(this))
    , pages_(new QStackedLayout(this))
    , empty_(new EmptyState(QStringLiteral("calibrate"), this))
    , page_(new QWidget(this))
    , title_(new QLabel(page_))
    , status_(new QLabel(page_))
    , button_(new QPushButton(page_))
    , table_(makeTable(page_))
    , apply_(new QAction(table_))
{
    setTextRole(title_, TextRole::title);
    setTextRole(status_, TextRole::muted);
    status_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    auto* top = new QHBoxLayout;
    top->setSpacing(12);
    top->addWidget(title_);
    top->addWidget(status_, 1);
    top->addWidget(button_);
    auto* column = new QVBoxLayout(page_);
    column->setContentsMargins(12, 8, 12, 8);
    column->setSpacing(6);
    column->addLayout(top);
    column->addWidget(table_, 1);
    pages_->addWidget(empty_);
    pages_->addWidget(page_);

    sorted_->setSourceModel(model_);
    sorted_->setSortRole(WhatIfModel::SortRole);
    table_->setModel(sorted_);
    table_->setSortingEnabled(true);
    // Unsorted, the rows stand as the model has them: what pays first.
    table_->sortByColumn(-1, Qt::DescendingOrder);
    table_->horizontalHeader()->setSortIndicatorClearable(true);
    table_->horizontalHeader()->setMinimumSectionSize(96);
    table_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    table_->horizontalHeader()->setSectionResizeMode(WhatIfModel::ChangeColumn, QHeaderView::Stretch);
    apply_->setShortcuts({QKeySequence(Qt::Key_Return), QKeySequence(Qt::Key_Enter)});
    apply_->setShortcutContext(Qt::WidgetShortcut);
    table_->addAction(apply_);
    rest_.setSingleShot(true);
    rest_.setInterval(restMs);

    connect(apply_, &QAction::triggered, this, &WhatIfView::applyCurrent);
    connect(table_, &QTableView::doubleClicked, this, &WhatIfView::apply);
    connect(button_, &QPushButton::clicked, this, [this] { runner_->isRunning() ? cancel() : start(); });
    connect(&rest_, &QTimer::timeout, this, [this] {
        if (isVisible())
            start();
    });
    connect(&document, &ProjectDocument::problemChanged, this, &WhatIfView::projectChanged);
    connect(&document, &ProjectDocument::reset, this, &WhatIfView::projectChanged);
    connect(runner_, &WhatIfRunner::runningChanged, this, &WhatIfView::showStatus);
    connect(runner_, &WhatIfRunner::beforeReady, this,
            [this](const std::shared_ptr<const PlannedProject>& before, int changes) {
                before_ = before;
                changes_ = changes;
                showStatus();
            });
    connect(runner_, &WhatIfRunner::effectReady, this, [this](const WhatIfModel::Shared& effect) {
        model_->add(effect);
        showStatus();
    });
    retranslateUi();
}

void WhatIfView::start()
{
    rest_.stop();
    model_->clear();
    before_.reset();
    changes_ = 0;
    current_ = true;
    if (!document_.project().cluster.devices.empty())
        runner_->start(document_.project(), budget_ms_);
    showStatus();
}

void WhatIfView::cancel()
{
    rest_.stop();
    runner_->cancel();
    showStatus();
}

void WhatIfView::projectChanged()
{
    runner_->cancel();
    current_ = false;
    model_->clear();
    before_.reset();
    changes_ = 0;
    if (isVisible())
        rest_.start();
    showStatus();
}

void WhatIfView::applyCurrent()
{
    apply(table_->currentIndex());
}

void WhatIfView::apply(const QModelIndex& index)
{
    if (!index.isValid() || !current_)
        return;
    const WhatIfModel::Shared effect = model_->effect(sorted_->mapToSource(index).row());
    edits::applyProject(document_, effect->change.after, whatIfText(effect->change));
}

void WhatIfView::showStatus()
{
    const bool empty = document_.project().cluster.devices.empty();
    pages_->setCurrentWidget(empty ? static_cast<QWidget*>(empty_) : page_);
    button_->setText(runner_->isRunning() ? tr("Cancel") : tr("Plan again"));
    button_->setToolTip(runner_->isRunning() ? tr("Stop planning changes; the rows so far stay")
                                             : tr("Plan every change of the project anew"));
    const int done = model_->rowCount();
    if (runner_->isRunning())
        status_->setText(changes_ == 0 ? tr("Planning the project as it is…")
                                       : tr("%1 of %2 changes planned…").arg(done).arg(changes_));
    else if (before_ && !before_->failure.empty())
        status_->setText(QString::fromStdString(before_->failure));
    else if (before_)
        status_->setText(tr("As it is: %1 samples/s. Double-click a change to apply it.")
                             .arg(formatRate(before_->plan.throughput_samples_per_s, locale())));
    else
        status_->setText(rest_.isActive() ? tr("The project has changed…") : QString());
    status_->setToolTip(status_->text());
}

void WhatIfView::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    if (!current_)
        start();
}

void WhatIfView::retranslateUi()
{
    setAccessibleName(tr("What if"));
    table_->setAccessibleName(tr("Changes of the project, what pays first"));
    title_->setText(tr("Which upgrade pays?"));
    apply_->setText(tr("Apply to the project"));
    empty_->setText(tr("Nothing to change yet"),
                    tr("Add devices: then each upgrade is planned here, and what pays comes first."));
    model_->retranslate();
    showStatus();
}

void WhatIfView::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::LanguageChange)
        retranslateUi();
}

}  // namespace nnpiper
