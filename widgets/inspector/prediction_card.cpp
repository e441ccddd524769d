// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/inspector/prediction_card.h"

#include "widgets/results/figures.h"
#include "widgets/solver/plan_board.h"
#include "widgets/theme/theme.h"

#include <QEvent>
#include <QLabel>
#include <QLocale>
#include <QVBoxLayout>

#include <cmath>

namespace nnpiper {

PredictionCard::PredictionCard(PlanBoard& board, QWidget* parent)
    : QFrame(parent)
    , board_(board)
    , title_(new QLabel)
    , figure_(new QLabel)
    , change_(new QLabel)
    , detail_(new QLabel)
{
    setCard(this);
    setTextRole(title_, TextRole::muted);
    setTextRole(figure_, TextRole::figure);
    setTextRole(detail_, TextRole::muted);
    detail_->setWordWrap(true);
    auto* figures = new QHBoxLayout;
    figures->addWidget(figure_, 1);
    figures->addWidget(change_);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(12, 9, 12, 9);
    layout->setSpacing(4);
    layout->addWidget(title_);
    layout->addLayout(figures);
    layout->addWidget(detail_);
    connect(&board, &PlanBoard::shownChanged, this, &PredictionCard::refresh);
    connect(&board, &PlanBoard::outdatedChanged, this, &PredictionCard::refresh);
    refresh();
}

void PredictionCard::setBaseline()
{
    baseline_ = board_.shown() ? board_.shown()->plan.throughput_samples_per_s : 0;
    refresh();
}

void PredictionCard::setWanted(bool wanted)
{
    wanted_ = wanted;
    refresh();
}

void PredictionCard::refresh()
{
    const PlanBoard::Shared& shown = board_.shown();
    setVisible(shown && wanted_);
    if (!shown)
        return;
    const Plan& plan = shown->plan;
    const QLocale locale;
    title_->setText(board_.isOutdated() ? tr("Predicted before the last edit") : tr("Predicted"));
    figure_->setText(tr("%1 samples/s").arg(formatRate(plan.throughput_samples_per_s, locale)));
    const double share = baseline_ > 0 ? plan.throughput_samples_per_s / baseline_ - 1 : 0;
    change_->setVisible(std::abs(share) >= 0.0005);
    change_->setText(formatDifference(share, locale));
    setTextRole(change_, share < 0 ? TextRole::negative : TextRole::positive);
    detail_->setText(
        plan.feasible ? tr("%1 per iteration, bubble %2")
                            .arg(formatSeconds(plan.iteration_s, locale), formatPercent(plan.bubble_fraction, locale))
                      : QString::fromStdString(plan.reason));
}

void PredictionCard::changeEvent(QEvent* event)
{
    QFrame::changeEvent(event);
    if (event->type() == QEvent::LanguageChange)
        refresh();
}

}  // namespace nnpiper
