// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/whatif/what_if_model.h"
#include "widgets/whatif/what_if_runner.h"

#include <QTimer>
#include <QWidget>

class QAction;
class QLabel;
class QPushButton;
class QSortFilterProxyModel;
class QStackedLayout;
class QTableView;

namespace nnpiper {

class EmptyState;
class ProjectDocument;

/// "Which upgrade pays?": a row for each change of the open project, planned in the background. While the table is
/// visible it is kept up to date: an edit drops the rows and, when the hand rests, they are planned anew. Double-click
/// or Enter applies a change as one undoable edit.
class WhatIfView : public QWidget {
    Q_OBJECT
public:
    explicit WhatIfView(ProjectDocument& document, QWidget* parent = nullptr);

    /// Milliseconds for each plan.
    void setBudget(double budget_ms) { budget_ms_ = budget_ms; }
    void start();
    void cancel();
    WhatIfRunner& runner() { return *runner_; }
    WhatIfModel& model() const { return *model_; }
    QTableView& table() const { return *table_; }
    const QLabel* status() const { return status_; }

protected:
    void showEvent(QShowEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void projectChanged();
    void applyCurrent();
    void apply(const QModelIndex& index);
    void showStatus();
    void retranslateUi();

    ProjectDocument& document_;
    WhatIfRunner* runner_;
    WhatIfModel* model_;
    QSortFilterProxyModel* sorted_;
    QTimer rest_;
    QStackedLayout* pages_;
    EmptyState* empty_;
    QWidget* page_;
    QLabel* title_;
    QLabel* status_;
    QPushButton* button_;
    QTableView* table_;
    QAction* apply_;
    std::shared_ptr<const PlannedProject> before_;
    int changes_ = 0;
    bool current_ = false;  ///< the rows are those of the present project, or on their way
    double budget_ms_ = 300;
};

}  // namespace nnpiper
