// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/problems/problems_view.h"

#include "widgets/document/selection.h"
#include "widgets/problems/finding_model.h"
#include "widgets/results/empty_state.h"
#include "widgets/solver/plan_board.h"
#include "widgets/theme/theme.h"

#include <QEvent>
#include <QListView>
#include <QStackedLayout>

namespace nnpiper {

namespace {

constexpr int quietMs = 150;  // after the last edit of a drag

}  // namespace

ProblemsView::ProblemsView(ProjectDocument& document, PlanBoard& board, QWidget* parent)
    : QWidget(parent)
    , document_(document)
    , board_(board)
    , model_(new FindingModel(this))
    , view_(new QListView)
    , empty_(new EmptyState(QStringLiteral("warning")))
    , pages_(new QStackedLayout(this))
{
    setObjectName(QStringLiteral("problems"));
    view_->setModel(model_);
    view_->setFrameShape(QFrame::NoFrame);
    view_->setUniformItemSizes(true);
    view_->setIconSize({16, 16});
    view_->setSpacing(2);
    pages_->addWidget(empty_);
    pages_->addWidget(view_);
    later_.setSingleShot(true);
    later_.setInterval(quietMs);
    connect(&later_, &QTimer::timeout, this, &ProblemsView::look);
    connect(&document_, &ProjectDocument::edited, &later_, qOverload<>(&QTimer::start));
    connect(&document_, &ProjectDocument::reset, this, &ProblemsView::look);
    connect(&board_, &PlanBoard::shownChanged, &later_, qOverload<>(&QTimer::start));
    connect(&board_, &PlanBoard::outdatedChanged, &later_, qOverload<>(&QTimer::start));
    connect(view_, &QListView::clicked, this, &ProblemsView::select);
    connect(view_, &QListView::activated, this, &ProblemsView::select);
    restyle();
    retranslateUi();
}

void ProblemsView::look()
{
    later_.stop();
    std::vector<Finding> found = findings(document_.project());
    if (board_.shown() && !board_.isOutdated())
        for (Finding& finding : memory_findings(board_.shown()->timeline))
            found.push_back(std::move(finding));
    model_->setFindings(document_.project(), std::move(found));
    pages_->setCurrentWidget(model_->rowCount() > 0 ? static_cast<QWidget*>(view_) : empty_);
    emit countChanged(model_->rowCount(), model_->errorCount());
}

void ProblemsView::select(const QModelIndex& index)
{
    QStringList there;
    for (const QString& id : index.data(FindingModel::elementsRole).toStringList())
        if (contains(document_.project().cluster, id.toStdString()))
            there.append(id);
    if (there.isEmpty())
        return;
    document_.selection().set(there);
    emit culpritsSelected();
}

void ProblemsView::retranslateUi()
{
    view_->setAccessibleName(tr("Problems"));
    empty_->setText(tr("No problems"), tr("Routes, bandwidths, memory and names are checked while you draw."));
    look();
}

void ProblemsView::restyle()
{
    model_->setIcons(themedIcon(QStringLiteral("warning"), palette(), ColorRole::negative),
                     themedIcon(QStringLiteral("warning"), palette(), ColorRole::warning));
}

void ProblemsView::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::LanguageChange)
        retranslateUi();
    else if (event->type() == QEvent::PaletteChange)
        restyle();
}

}  // namespace nnpiper
