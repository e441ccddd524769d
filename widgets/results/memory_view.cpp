// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/results/memory_view.h"

#include "widgets/results/empty_state.h"
#include "widgets/results/legend.h"
#include "widgets/results/memory_bars.h"

#include <QEvent>
#include <QScrollArea>
#include <QStackedLayout>
#include <QVBoxLayout>

namespace nnpiper {

MemoryView::MemoryView(QWidget* parent)
    : QWidget(parent)
{
    pages_ = new QStackedLayout(this);
    empty_ = new EmptyState(QStringLiteral("device"), this);
    page_ = new QWidget(this);
    legend_ = new Legend(page_);
    bars_ = new MemoryBars;
    auto* holder = new QWidget;
    holder->setProperty("plain", true);
    auto* inner = new QVBoxLayout(holder);
    inner->setContentsMargins(0, 0, 0, 0);
    inner->addWidget(bars_);
    inner->addStretch(1);
    auto* scroll = new QScrollArea(page_);
    scroll->setWidget(holder);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* head = new QHBoxLayout;
    head->setContentsMargins(12, 8, 12, 2);
    head->addWidget(legend_);
    auto* column = new QVBoxLayout(page_);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(2);
    column->addLayout(head);
    column->addWidget(scroll, 1);
    pages_->addWidget(empty_);
    pages_->addWidget(page_);
    retranslateUi();
}

void MemoryView::setPlan(std::shared_ptr<const SolvedPlan> plan)
{
    const bool any = plan && !plan->timeline.memory.empty();
    bars_->setPlan(any ? std::move(plan) : nullptr);
    pages_->setCurrentWidget(any ? page_ : static_cast<QWidget*>(empty_));
}

void MemoryView::retranslateUi()
{
    setAccessibleName(tr("Memory"));
    empty_->setText(tr("No memory figures yet"), tr("Press Solve: every device shows what fills it and what is left."));
    legend_->setEntries({{ColorRole::memoryState, tr("state"), false},
                         {ColorRole::memoryActivations, tr("activations"), false},
                         {ColorRole::memoryTransient, tr("transient"), false},
                         {ColorRole::memoryBuffers, tr("buffers"), false},
                         {ColorRole::capacity, tr("capacity"), true}});
}

void MemoryView::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::LanguageChange)
        retranslateUi();
}

}  // namespace nnpiper
