// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/results/solved_plan.h"

#include <QWidget>

#include <memory>

class QLabel;
class QScrollBar;
class QStackedLayout;
class QToolButton;

namespace nnpiper {

class EmptyState;
class Legend;
class TimelinePlot;

/// The Gantt chart of a plan with its legend above and its figures below. Reads a solved plan and computes nothing of
/// the domain.
class TimelineView : public QWidget {
    Q_OBJECT

public:
    explicit TimelineView(QWidget* parent = nullptr);

    /// Null shows the empty state.
    void setPlan(std::shared_ptr<const SolvedPlan> plan);
    std::shared_ptr<const SolvedPlan> plan() const { return plan_; }

    /// The legend, chart and figures as they are on screen, `scale` pixels for each of theirs. False, with nothing
    /// written, when there is no plan or the file cannot be written.
    bool exportPng(const QString& path, double scale);

    TimelinePlot* plot() const { return plot_; }

protected:
    void changeEvent(QEvent* event) override;

private:
    void retranslateUi();
    void restyle();
    void updateFigures();
    void updateScrollBar();

    std::shared_ptr<const SolvedPlan> plan_;
    QStackedLayout* pages_;
    EmptyState* empty_;
    QWidget* page_;
    Legend* legend_;
    QToolButton* critical_;
    QToolButton* fit_;
    TimelinePlot* plot_;
    QScrollBar* rows_;
    QLabel* figures_;
    QLabel* selection_;
};

}  // namespace nnpiper
