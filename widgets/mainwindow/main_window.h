// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/document/project_document.h"
#include "widgets/solver/plan_board.h"
#include "widgets/solver/solve_controller.h"

#include <QMainWindow>

class QLabel;
class QMenu;
class QSplitter;
class QStackedWidget;
class QTabWidget;
class QToolBar;

namespace nnpiper {

class ActionRegistry;
class Arranger;
class CalibrationDialog;
class CanvasView;
class ComparisonPanel;
class FindBar;
class InspectorPanel;
class LanguageSwitcher;
class LayerPage;
class LimitsView;
class MemoryView;
class PalettePanel;
class PlanStrip;
class ProblemsView;
class ProjectFiles;
class Recovery;
class RecoveryBar;
class StartPage;
class TablePage;
class TimelineView;
class WhatIfView;
enum class ThemeMode;
struct Leftover;

/// The workbench: a start page, or the open project with palette, canvas, inspector, plan strip, timeline and
/// comparison. It owns document, plans and solver and joins the parts; each part listens to those and not to its
/// neighbours.
class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    explicit MainWindow(LanguageSwitcher& language, QWidget* parent = nullptr);
    ~MainWindow() override;

    ProjectDocument& document() { return document_; }
    PlanBoard& board() { return board_; }
    SolveController& solver() { return solver_; }
    ActionRegistry& actionRegistry() const { return *actions_; }
    ProjectFiles& files() const { return *files_; }
    CanvasView& canvas() const { return *canvas_; }
    InspectorPanel& inspector() const { return *inspector_; }
    PalettePanel& palettePanel() const { return *palette_panel_; }
    ComparisonPanel& comparison() const { return *comparison_; }
    PlanStrip& strip() const { return *strip_; }
    TablePage& tables() const { return *table_page_; }

    /// Offers unsaved work of sessions that did not end properly, where there is some.
    void offerRecovery();
    Recovery& recovery() const { return *recovery_; }
    void showStartPage();
    void showWorkbench();
    bool isStartPageShown() const;
    void setTheme(ThemeMode mode);

protected:
    void closeEvent(QCloseEvent* event) override;
    void changeEvent(QEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    void makeActions();
    void makeDrawingActions();
    void makeMenus();
    void makeToolBar();
    void makeLayout();
    void connectParts();
    void retranslateUi();
    void restyle();
    void updateTitle();
    void updateActions();
    void updateDrawingActions();
    void updateRecentMenu();
    void showPlan();
    void showComparison();
    void showProblemCount();
    void say(const QString& text, bool is_error = false);
    void showFailure(const QString& title, const QString& sentence);
    void restore(const Leftover& leftover);
    void changeModel();
    void showCalibration();
    void copySelection();
    void paste();
    void pasteAt(QPointF point);
    void renameSelected();
    void duplicate();
    void multiplySelection();
    void arrangeAll();
    void takeArranged(const Project& project, const std::map<std::string, Placement>& places);
    void exportPlan();
    void exportTrace();
    void exportTimeline();
    void exportCanvas();
    void editPlan(const std::function<void()>& edit);
    void showAbout();
    void fillAlignMenu(QMenu& menu) const;
    void showCanvasMenu(const QPoint& position, const QPointF& point, const QString& element);
    void showStageMenu(int stage, const QPoint& position);
    QString exportPath(const QString& title, const QString& suffix, const QString& filter);
    void saveLayout();
    void restoreLayout();

    ProjectDocument document_;
    PlanBoard board_;
    SolveController solver_;
    LanguageSwitcher& language_;
    ActionRegistry* actions_;
    ProjectFiles* files_;
    Recovery* recovery_;
    Arranger* arranger_;

    RecoveryBar* recovery_bar_ = nullptr;
    QStackedWidget* stack_ = nullptr;
    StartPage* start_page_ = nullptr;
    QWidget* workbench_ = nullptr;
    QToolBar* tool_bar_ = nullptr;
    QSplitter* rows_ = nullptr;
    QSplitter* columns_ = nullptr;
    QSplitter* centre_ = nullptr;
    QSplitter* bottom_ = nullptr;
    QTabWidget* tabs_ = nullptr;
    QTabWidget* result_tabs_ = nullptr;
    PalettePanel* palette_panel_ = nullptr;
    CanvasView* canvas_ = nullptr;
    FindBar* find_bar_ = nullptr;
    LayerPage* layer_page_ = nullptr;
    TablePage* table_page_ = nullptr;
    InspectorPanel* inspector_ = nullptr;
    PlanStrip* strip_ = nullptr;
    TimelineView* timeline_ = nullptr;
    MemoryView* memory_ = nullptr;
    LimitsView* limits_ = nullptr;
    ProblemsView* problems_ = nullptr;
    WhatIfView* what_if_ = nullptr;
    ComparisonPanel* comparison_ = nullptr;
    CalibrationDialog* calibration_ = nullptr;  ///< made when first shown
    QLabel* status_ = nullptr;
    QLabel* zoom_ = nullptr;
    QList<QMenu*> menus_;
    QMenu* recent_menu_ = nullptr;
    QMenu* export_menu_ = nullptr;
    QMenu* align_menu_ = nullptr;
    QMenu* theme_menu_ = nullptr;
    QMenu* language_menu_ = nullptr;
    QString strip_key_;
    std::string copied_;   ///< what the clipboard got from this project; empty after another was opened
    int pastes_ = 0;
};

}  // namespace nnpiper
