// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/calibration/calibrator.h"
#include "widgets/theme/theme.h"

#include <QDialog>

class QCheckBox;
class QLabel;
class QProgressBar;
class QPushButton;
class QStackedWidget;
class QTableView;

namespace nnpiper {

class EmptyState;
class FitSummary;
class PlanBoard;
class ProjectDocument;
class RunTableModel;

/// Fits the predictions to step times that a person measured: a table of runs, from a CSV file or of the plan that is
/// shown, a fit off the GUI thread, its result, and the way back into the open project as one undoable edit. It stays
/// beside the main window, and keeps its runs when it is closed.
class CalibrationDialog : public QDialog {
    Q_OBJECT
public:
    CalibrationDialog(ProjectDocument& document, PlanBoard& board, QWidget* parent = nullptr);

    RunTableModel& runs() const { return *runs_; }
    Calibrator& calibrator() { return calibrator_; }
    /// Adds the runs of a file in the format of `nnpiper calibrate`; on a bad one it tells one sentence and the table
    /// stays as it is. Returns that sentence, or an empty text.
    QString load(const QString& path);
    /// Adds the shown plan on the open project, whose measured time is to be typed.
    void addShownPlan();
    void fit();
    void applyToProject();

protected:
    void changeEvent(QEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void reject() override;

private:
    void makeLayout();
    void connectParts();
    void openWithDialog();
    void removeSelected();
    void showFit(std::shared_ptr<const Calibration> fit);
    void showObstacle();
    void say(const QString& text, TextRole role);
    void updateButtons();
    bool knowsTypes() const;
    bool changesProject() const;
    void retranslateUi();
    void restyle();

    ProjectDocument& document_;
    PlanBoard& board_;
    RunTableModel* runs_;
    Calibrator calibrator_;
    QTableView* table_;
    EmptyState* empty_;
    QStackedWidget* stack_;
    QProgressBar* progress_;
    QLabel* message_;
    FitSummary* summary_;
    QPushButton* open_;
    QPushButton* add_;
    QPushButton* remove_;
    QPushButton* fit_;
    QPushButton* apply_;
    QPushButton* close_;
    QCheckBox* fixed_cost_;
    bool applied_ = false;  ///< the message says so
};

}  // namespace nnpiper
