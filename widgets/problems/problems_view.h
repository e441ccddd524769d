// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/document/project_document.h"

#include <QTimer>
#include <QWidget>

class QListView;
class QStackedLayout;

namespace nnpiper {

class EmptyState;
class FindingModel;
class PlanBoard;

/// What is wrong with the open project and with the shown plan, kept up to date while it is edited. A click on a row
/// selects the culprits.
class ProblemsView : public QWidget {
    Q_OBJECT
public:
    ProblemsView(ProjectDocument& document, PlanBoard& board, QWidget* parent = nullptr);

    const FindingModel& model() const { return *model_; }
    QListView& view() const { return *view_; }
    /// At once, instead of a moment after the last edit.
    void look();

signals:
    /// How many there are, and how many of them are errors.
    void countChanged(int all, int errors);
    /// The culprits have been selected and should be seen.
    void culpritsSelected();

protected:
    void changeEvent(QEvent* event) override;

private:
    void select(const QModelIndex& index);
    void retranslateUi();
    void restyle();

    ProjectDocument& document_;
    PlanBoard& board_;
    FindingModel* model_;
    QListView* view_;
    EmptyState* empty_;
    QStackedLayout* pages_;
    QTimer later_;
};

}  // namespace nnpiper
