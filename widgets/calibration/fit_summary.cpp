// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/calibration/fit_summary.h"

#include "widgets/calibration/calibration_text.h"
#include "widgets/results/empty_state.h"
#include "widgets/results/figures.h"
#include "widgets/results/legend.h"
#include "widgets/theme/theme.h"

#include <QEvent>
#include <QFrame>
#include <QGridLayout>
#include <QLabel>
#include <QStackedLayout>
#include <QVBoxLayout>

#include <cmath>

namespace nnpiper {

namespace {

QLabel* label(const QString& text, TextRole role, Qt::Alignment alignment = Qt::AlignLeft)
{
    auto* made = new QLabel(text);
    made->setAlignment(alignment | Qt::AlignVCenter);
    setTextRole(made, role);
    return made;
}

void addFigure(QGridLayout& grid, int row, int column, const QString& text, TextRole role)
{
    grid.addWidget(label(text, role, Qt::AlignRight), row, column);
}

/// A card with a title and a grid under it.
QGridLayout* addCard(QBoxLayout& row, const QString& title, int stretch)
{
    auto* card = new QFrame;
    setCard(card);
    auto* column = new QVBoxLayout(card);
    column->setContentsMargins(14, 10, 14, 12);
    column->addWidget(label(title, TextRole::title));
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(18);
    grid->setVerticalSpacing(5);
    grid->setColumnStretch(0, 1);
    column->addLayout(grid);
    column->addStretch(1);
    row.addWidget(card, stretch);
    return grid;
}

}  // namespace

FitSummary::FitSummary(QWidget* parent)
    : QWidget(parent)
    , stack_(new QStackedLayout(this))
    , empty_(new EmptyState(QStringLiteral("calibrate")))
    , page_(new QWidget)
{
    auto* layout = new QVBoxLayout(page_);
    layout->setContentsMargins(0, 0, 0, 0);
    stack_->addWidget(empty_);
    stack_->addWidget(page_);
    rebuild();
}

void FitSummary::setFit(std::shared_ptr<const Calibration> fit, bool wanted_fixed_cost)
{
    fit_ = std::move(fit);
    wanted_fixed_cost_ = wanted_fixed_cost;
    rebuild();
}

void FitSummary::fillConstants(QGridLayout& grid) const
{
    const QLocale locale;
    int row = 0;
    addFigure(grid, row, 1, tr("before"), TextRole::muted);
    addFigure(grid, row++, 2, tr("after"), TextRole::muted);
    const auto add = [&](const QString& name, const QString& before, const QString& after) {
        grid.addWidget(label(name, TextRole::body), row, 0);
        addFigure(grid, row, 1, before, TextRole::muted);
        addFigure(grid, row++, 2, after, TextRole::title);
    };
    for (const auto& [type, value] : fit_->achieved_fractions)
        add(tr("Achieved fraction, %1").arg(QString::fromStdString(type)), formatPercent(value.before, locale),
            formatPercent(value.after, locale));
    for (const auto& [type, value] : fit_->time_scales)
        add(type.empty() ? tr("Scale of the given times") : tr("Scale of times, %1").arg(QString::fromStdString(type)),
            QStringLiteral("× ") + locale.toString(value.before, 'f', 3),
            QStringLiteral("× ") + locale.toString(value.after, 'f', 3));
    add(tr("Fixed cost of a step"), formatSeconds(fit_->fixed_step_s.before, locale),
        fit_->fixed_cost_fitted ? formatSeconds(fit_->fixed_step_s.after, locale) : tr("not fitted"));
}

void FitSummary::fillErrors(QGridLayout& grid) const
{
    const QLocale locale;
    int row = 0;
    addFigure(grid, row, 1, tr("mean"), TextRole::muted);
    addFigure(grid, row++, 2, tr("largest"), TextRole::muted);
    const auto add = [&](const QString& name, ColorRole color, const ErrorSummary& errors) {
        auto* swatch = new Legend;
        swatch->setEntries({{color, name}});
        swatch->setMinimumWidth(swatch->sizeHint().width());
        grid.addWidget(swatch, row, 0);
        const bool known = !std::isnan(errors.mean);
        addFigure(grid, row, 1, known ? formatPercent(errors.mean, locale) : QStringLiteral("–"), TextRole::title);
        addFigure(grid, row++, 2, known ? formatPercent(errors.largest, locale) : QStringLiteral("–"), TextRole::body);
    };
    add(tr("Before"), ColorRole::bar, fit_->before);
    add(tr("After, on the runs of the fit"), ColorRole::accent, fit_->after);
    add(tr("After, on runs left out of the fit"), ColorRole::warning, fit_->left_out);
}

void FitSummary::rebuild()
{
    empty_->setText(tr("No fit yet"), tr("A fit finds the share of its peak that each device type achieves, and what "
                                         "a step costs besides."));
    delete contents_;
    contents_ = nullptr;
    stack_->setCurrentWidget(fit_ ? page_ : empty_);
    if (!fit_)
        return;
    contents_ = new QWidget;
    auto* layout = new QVBoxLayout(contents_);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    auto* cards = new QHBoxLayout;
    cards->setSpacing(12);
    fillConstants(*addCard(*cards, tr("Constants"), 3));
    fillErrors(*addCard(*cards, tr("Error of the predictions"), 2));
    layout->addLayout(cards, 1);
    for (const QString& note : noteTexts(*fit_, wanted_fixed_cost_)) {
        QLabel* line = label(note, TextRole::warning);
        line->setObjectName(QStringLiteral("note"));
        line->setWordWrap(true);
        layout->addWidget(line);
    }
    page_->layout()->addWidget(contents_);
}

void FitSummary::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::LanguageChange)
        rebuild();
}

}  // namespace nnpiper
