// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan/plan.h"

#include <QWidget>

#include <vector>

class QFrame;
class QLabel;
class QListView;
class QProgressBar;
class QPushButton;
class QScrollArea;
class QStackedWidget;

namespace nnpiper {

class ComparisonModel;
class EmptyState;

/// All planners on the same problem: throughput, planning time and difference to the best, and why the best is best.
class ComparisonPanel : public QWidget {
    Q_OBJECT

public:
    explicit ComparisonPanel(QWidget* parent = nullptr);

    void setPlans(const std::vector<Plan>& plans);
    /// A planner is at work; `planner` by its registry name, `fraction` 0..1, negative when unknown.
    void setRunning(const QString& planner, double fraction);
    void setIdle();
    /// The plan that the other views show; an index into the vector given, -1 for none.
    void setCurrent(int index);
    /// Whole sentences; empty hides the part.
    void setExplanation(const QStringList& sentences);

    ComparisonModel* model() const { return model_; }
    QListView* list() const { return list_; }

signals:
    /// Click, Enter or Space on a row that has stages; an index into the vector given.
    void planActivated(int index);
    void exportPlanRequested();
    void exportTraceRequested();

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void retranslateUi();
    void restyle();
    void activate(const QModelIndex& index);
    void updateState();
    void shareHeight();

    ComparisonModel* model_;
    QLabel* title_;
    QLabel* unit_;
    QStackedWidget* pages_;
    EmptyState* empty_;
    QListView* list_;
    QWidget* runningRow_;
    QLabel* running_;
    QProgressBar* progress_;
    QFrame* line_;
    QLabel* whyTitle_;
    QScrollArea* whyArea_;
    QLabel* why_;
    QPushButton* exportPlan_;
    QPushButton* exportTrace_;
    QString runningPlanner_;
    QStringList sentences_;
};

}  // namespace nnpiper
