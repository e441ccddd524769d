// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/canvas/canvas_view.h"
#include "widgets/document/edits.h"
#include "widgets/document/selection.h"
#include "widgets/i18n/language.h"
#include "widgets/mainwindow/action_registry.h"
#include "widgets/mainwindow/main_window.h"
#include "widgets/mainwindow/project_files.h"
#include "widgets/mainwindow/solve_bar.h"
#include "widgets/palette/palette_item.h"
#include "widgets/palette/palette_panel.h"
#include "widgets/theme/theme.h"
#include "widgets/whatif/what_if_view.h"

#include <QActionGroup>
#include <QApplication>
#include <QClipboard>
#include <QFileInfo>
#include <QMenu>
#include <QMenuBar>
#include <QTabWidget>
#include <QTableView>
#include <QToolBar>
#include <QToolButton>

#include <algorithm>

namespace nnpiper {

void MainWindow::makeActions()
{
    const auto add = [this](const char* id, const char* icon, const char* text, QList<QKeySequence> keys,
                            const std::function<void()>& run) {
        QAction* action = actions_->add(QString::fromLatin1(id), QString::fromLatin1(icon), text, keys);
        connect(action, &QAction::triggered, this, run);
        return action;
    };
    const auto addOnCanvas = [this](const char* id, const char* icon, const char* text, QList<QKeySequence> keys,
                                    const std::function<void()>& run) {
        QAction* action = actions_->addLocal(canvas_, QString::fromLatin1(id), QString::fromLatin1(icon), text, keys);
        connect(action, &QAction::triggered, this, run);
        return action;
    };

    add("file.new", "new", QT_TRANSLATE_NOOP("nnpiper::Actions", "&New"), {QKeySequence::New},
        [this] { files_->startNew(); });
    add("file.open", "open", QT_TRANSLATE_NOOP("nnpiper::Actions", "&Open..."), {QKeySequence::Open},
        [this] { files_->openWithDialog(); });
    add("file.save", "save", QT_TRANSLATE_NOOP("nnpiper::Actions", "&Save"), {QKeySequence::Save},
        [this] { files_->save(); });
    add("file.saveAs", "", QT_TRANSLATE_NOOP("nnpiper::Actions", "Save &as..."),
        {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_S)}, [this] { files_->saveAs(); });
    add("file.exportPlan", "export", QT_TRANSLATE_NOOP("nnpiper::Actions", "&Plan as JSON..."),
        {QKeySequence(Qt::CTRL | Qt::Key_E)}, [this] { exportPlan(); });
    add("file.exportTrace", "export", QT_TRANSLATE_NOOP("nnpiper::Actions", "Chrome &trace..."), {},
        [this] { exportTrace(); });
    add("file.exportTimeline", "image", QT_TRANSLATE_NOOP("nnpiper::Actions", "T&imeline as PNG..."), {},
        [this] { exportTimeline(); });
    add("file.exportCanvas", "image", QT_TRANSLATE_NOOP("nnpiper::Actions", "&Topology as PNG..."), {},
        [this] { exportCanvas(); });
    add("file.start", "", QT_TRANSLATE_NOOP("nnpiper::Actions", "Start pa&ge"), {}, [this] { showStartPage(); });
    add("file.quit", "", QT_TRANSLATE_NOOP("nnpiper::Actions", "&Quit"), {QKeySequence::Quit}, [this] { close(); });

    add("edit.undo", "undo", QT_TRANSLATE_NOOP("nnpiper::Actions", "&Undo"), {QKeySequence::Undo},
        [this] { document_.undoStack().undo(); });
    add("edit.redo", "redo", QT_TRANSLATE_NOOP("nnpiper::Actions", "&Redo"),
        {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Z), QKeySequence(Qt::CTRL | Qt::Key_Y)},
        [this] { document_.undoStack().redo(); });
    add("edit.cut", "", QT_TRANSLATE_NOOP("nnpiper::Actions", "Cu&t"), {QKeySequence::Cut}, [this] {
        copySelection();
        edits::remove(document_, document_.selection().ids());
    });
    add("edit.copy", "copy", QT_TRANSLATE_NOOP("nnpiper::Actions", "&Copy"), {QKeySequence::Copy},
        [this] { copySelection(); });
    add("edit.paste", "paste", QT_TRANSLATE_NOOP("nnpiper::Actions", "&Paste"), {QKeySequence::Paste},
        [this] { paste(); });
    add("edit.duplicate", "copy", QT_TRANSLATE_NOOP("nnpiper::Actions", "&Duplicate"),
        {QKeySequence(Qt::CTRL | Qt::Key_D)}, [this] { duplicate(); });
    addOnCanvas("edit.delete", "delete", QT_TRANSLATE_NOOP("nnpiper::Actions", "De&lete"),
                {QKeySequence::Delete, Qt::Key_Backspace},
                [this] { edits::remove(document_, document_.selection().ids()); });
    add("edit.selectAll", "", QT_TRANSLATE_NOOP("nnpiper::Actions", "Select &all"), {QKeySequence::SelectAll},
        [this] { document_.selection().set(canvas_->allElements()); });

    const auto addMode = [&](const char* id, const char* icon, const char* text, Qt::Key key, CanvasView::Mode mode) {
        QAction* action = addOnCanvas(id, icon, text, {QKeySequence(key)}, [this, mode] { canvas_->setMode(mode); });
        action->setCheckable(true);
        return action;
    };
    auto* modes = new QActionGroup(this);
    modes->addAction(addMode("mode.select", "select", QT_TRANSLATE_NOOP("nnpiper::Actions", "&Select"), Qt::Key_V,
                             CanvasView::Mode::select));
    modes->addAction(addMode("mode.connect", "connect", QT_TRANSLATE_NOOP("nnpiper::Actions", "&Connect"), Qt::Key_C,
                             CanvasView::Mode::connect));
    modes->addAction(
        addMode("mode.pan", "pan", QT_TRANSLATE_NOOP("nnpiper::Actions", "&Pan"), Qt::Key_H, CanvasView::Mode::pan));
    actions_->action(QStringLiteral("mode.select"))->setChecked(true);
    connect(canvas_, &CanvasView::modeChanged, this,
            [modes](CanvasView::Mode mode) { modes->actions().at(static_cast<int>(mode))->setChecked(true); });

    add("view.topology", "", QT_TRANSLATE_NOOP("nnpiper::Actions", "&Topology"), {QKeySequence(Qt::CTRL | Qt::Key_1)},
        [this] { tabs_->setCurrentIndex(0); });
    add("view.layers", "", QT_TRANSLATE_NOOP("nnpiper::Actions", "Model &layers"), {QKeySequence(Qt::CTRL | Qt::Key_2)},
        [this] { tabs_->setCurrentIndex(1); });
    add("view.table", "", QT_TRANSLATE_NOOP("nnpiper::Actions", "Ta&ble"), {QKeySequence(Qt::CTRL | Qt::Key_3)},
        [this] { tabs_->setCurrentIndex(2); });
    add("view.zoomIn", "zoom-in", QT_TRANSLATE_NOOP("nnpiper::Actions", "Zoom &in"),
        {QKeySequence::ZoomIn, QKeySequence(Qt::CTRL | Qt::Key_Equal)}, [this] { canvas_->zoomBy(1.25); });
    add("view.zoomOut", "zoom-out", QT_TRANSLATE_NOOP("nnpiper::Actions", "Zoom &out"), {QKeySequence::ZoomOut},
        [this] { canvas_->zoomBy(0.8); });
    add("view.zoomReset", "", QT_TRANSLATE_NOOP("nnpiper::Actions", "&100 %"), {QKeySequence(Qt::CTRL | Qt::Key_0)},
        [this] { canvas_->resetZoom(); });
    addOnCanvas("view.fit", "fit", QT_TRANSLATE_NOOP("nnpiper::Actions", "&Fit"), {QKeySequence(Qt::Key_F)},
                [this] { canvas_->fit(); });

    const auto addItem = [&](const char* id, const char* icon, const char* text, PaletteItem item) {
        add(id, icon, text, {}, [this, item] { canvas_->addFromPalette(item.toMime()); });
    };
    addItem("cluster.addNode", "node", QT_TRANSLATE_NOOP("nnpiper::Actions", "Add &node"),
            {PaletteItem::Kind::node, QStringLiteral("empty")});
    addItem("cluster.addSwitch", "switch", QT_TRANSLATE_NOOP("nnpiper::Actions", "Add &switch"),
            {PaletteItem::Kind::network_switch, {}});
    add("cluster.newType", "", QT_TRANSLATE_NOOP("nnpiper::Actions", "New device &type..."), {},
        [this] { palette_panel_->makeType(); });
    add("cluster.arrange", "arrange", QT_TRANSLATE_NOOP("nnpiper::Actions", "&Arrange"),
        {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_A)}, [this] { arrangeAll(); });

    add("plan.solve", "solve", QT_TRANSLATE_NOOP("nnpiper::Actions", "&Solve"),
        {QKeySequence(Qt::Key_F5), QKeySequence(Qt::CTRL | Qt::Key_Return)}, [this] { solver_.solve(); });
    add("plan.cancel", "cancel", QT_TRANSLATE_NOOP("nnpiper::Actions", "&Cancel"),
        {QKeySequence(Qt::SHIFT | Qt::Key_F5)}, [this] { solver_.cancel(); });
    QAction* live = add("plan.live", "live", QT_TRANSLATE_NOOP("nnpiper::Actions", "&Live"),
                        {QKeySequence(Qt::CTRL | Qt::Key_L)}, [] {});
    live->setCheckable(true);
    connect(live, &QAction::toggled, &solver_, &SolveController::setLive);
    add("plan.model", "model", QT_TRANSLATE_NOOP("nnpiper::Actions", "Change &model..."),
        {QKeySequence(Qt::CTRL | Qt::Key_M)}, [this] { changeModel(); });
    add("plan.calibrate", "calibrate", QT_TRANSLATE_NOOP("nnpiper::Actions", "C&alibrate to measured runs..."),
        {QKeySequence(Qt::CTRL | Qt::Key_K)}, [this] { showCalibration(); });
    add("plan.whatIf", "add", QT_TRANSLATE_NOOP("nnpiper::Actions", "&What if: which upgrade pays?"),
        {QKeySequence(Qt::CTRL | Qt::Key_I)}, [this] {
            result_tabs_->setCurrentWidget(what_if_);
            what_if_->table().setFocus();
        });
    add("plan.idle", "", QT_TRANSLATE_NOOP("nnpiper::Actions", "Leave the selected devices &idle"), {},
        [this] { edits::lockIdle(document_, document_.selection().ids()); });
    add("plan.release", "", QT_TRANSLATE_NOOP("nnpiper::Actions", "&Release the selected devices"), {},
        [this] { edits::unlock(document_, document_.selection().ids()); });
    add("plan.unlock", "", QT_TRANSLATE_NOOP("nnpiper::Actions", "Release all l&ocks"), {},
        [this] { edits::unlockAll(document_); });
    add("plan.drop", "", QT_TRANSLATE_NOOP("nnpiper::Actions", "&Drop the plan edited by hand"), {},
        [this] { edits::dropKeptPlan(document_, PlanBoard::handPlanner()); });

    const auto addTheme = [&](const char* id, const char* text, ThemeMode mode) {
        add(id, "", text, {}, [this, mode] { setTheme(mode); })->setCheckable(true);
    };
    addTheme("theme.system", QT_TRANSLATE_NOOP("nnpiper::Actions", "As the &system"), ThemeMode::system);
    addTheme("theme.light", QT_TRANSLATE_NOOP("nnpiper::Actions", "&Light"), ThemeMode::light);
    addTheme("theme.dark", QT_TRANSLATE_NOOP("nnpiper::Actions", "&Dark"), ThemeMode::dark);
    auto* themes = new QActionGroup(this);
    for (const char* id : {"theme.system", "theme.light", "theme.dark"})
        themes->addAction(actions_->action(QString::fromLatin1(id)));
    add("help.about", "help", QT_TRANSLATE_NOOP("nnpiper::Actions", "&About NN-Piper Workbench"), {},
        [this] { showAbout(); });
}

void MainWindow::makeMenus()
{
    const auto fill = [this](QMenu* menu, std::initializer_list<const char*> ids) {
        for (const char* id : ids) {
            if (*id)
                menu->addAction(actions_->action(QString::fromLatin1(id)));
            else
                menu->addSeparator();
        }
    };
    const auto menu = [&](std::initializer_list<const char*> ids) {
        QMenu* made = menuBar()->addMenu(QString());
        fill(made, ids);
        menus_.append(made);
        return made;
    };
    QMenu* file = menu({"file.new", "file.open"});
    recent_menu_ = file->addMenu(QString());
    fill(file, {"", "file.save", "file.saveAs"});
    export_menu_ = file->addMenu(QString());
    fill(export_menu_, {"file.exportPlan", "file.exportTrace", "file.exportTimeline", "file.exportCanvas"});
    fill(file, {"", "file.start", "file.quit"});
    menu({"edit.undo", "edit.redo", "", "edit.cut", "edit.copy", "edit.paste", "edit.duplicate", "edit.multiply",
          "edit.rename", "edit.delete", "", "edit.selectAll", "edit.find", "edit.findNext"});
    QMenu* view = menu({"view.topology", "view.layers", "view.table", "", "view.zoomIn", "view.zoomOut",
                        "view.zoomReset", "view.fit", ""});
    theme_menu_ = view->addMenu(QString());
    fill(theme_menu_, {"theme.system", "theme.light", "theme.dark"});
    language_menu_ = view->addMenu(QString());
    auto* languages = new QActionGroup(this);
    for (const auto& entry : LanguageSwitcher::available()) {
        QAction* action = language_menu_->addAction(entry.nativeName);
        action->setCheckable(true);
        action->setChecked(entry.code == language_.language());
        languages->addAction(action);
        connect(action, &QAction::triggered, this, [this, code = entry.code] { language_.setLanguage(code); });
    }
    QMenu* drawing = menu(
        {"cluster.addNode", "cluster.addSwitch", "cluster.newType", "", "cluster.groupRack", "cluster.groupSite",
         "cluster.ungroup", "cluster.collapse", "", "mode.select", "mode.connect", "mode.pan", "", "cluster.arrange"});
    align_menu_ = drawing->addMenu(QString());
    fillAlignMenu(*align_menu_);
    menu({"plan.solve", "plan.cancel", "plan.live", "", "plan.model", "plan.calibrate", "plan.whatIf", "", "plan.idle",
          "plan.release", "plan.unlock", "", "plan.drop"});
    menu({"help.about"});
}

void MainWindow::makeToolBar()
{
    tool_bar_ = addToolBar(QString());
    tool_bar_->setObjectName(QStringLiteral("toolBar"));
    tool_bar_->setMovable(false);
    tool_bar_->setFloatable(false);
    tool_bar_->setContextMenuPolicy(Qt::PreventContextMenu);
    tool_bar_->setIconSize({18, 18});
    for (const char* id : {"file.new", "file.open", "file.save", "", "edit.undo", "edit.redo", "", "mode.select",
                           "mode.connect", "mode.pan", "", "cluster.arrange", "view.fit", ""}) {
        if (*id)
            tool_bar_->addAction(actions_->action(QString::fromLatin1(id)));
        else
            tool_bar_->addSeparator();
    }
    for (QToolButton* button : tool_bar_->findChildren<QToolButton*>())
        setButtonRole(button, ButtonRole::flat);
    auto* bar =
        new SolveBar(document_, solver_, actions_->action(QStringLiteral("plan.solve")),
                     actions_->action(QStringLiteral("plan.cancel")), actions_->action(QStringLiteral("plan.live")));
    connect(bar, &SolveBar::message, this, [this](const QString& text) { say(text, true); });
    tool_bar_->addWidget(bar);
}

void MainWindow::updateActions()
{
    const auto enable = [this](const char* id, bool enabled) {
        actions_->action(QString::fromLatin1(id))->setEnabled(enabled);
    };
    const bool project = !isStartPageShown();
    const bool selected = project && !document_.selection().isEmpty();
    const Cluster& cluster = document_.project().cluster;
    for (const char* id : {"file.save",      "file.saveAs",  "file.start",      "edit.paste",        "edit.selectAll",
                           "view.topology",  "view.layers",  "view.table",      "view.zoomIn",       "view.zoomOut",
                           "view.zoomReset", "view.fit",     "cluster.addNode", "cluster.addSwitch", "cluster.arrange",
                           "mode.select",    "mode.connect", "mode.pan",        "plan.model",        "plan.live",
                           "plan.calibrate", "plan.whatIf", "cluster.newType"})
        enable(id, project);
    for (const char* id : {"edit.cut", "edit.copy", "edit.duplicate", "edit.delete"})
        enable(id, selected);
    updateDrawingActions();
    enable("edit.undo", project && document_.undoStack().canUndo());
    enable("edit.redo", project && document_.undoStack().canRedo());
    enable("plan.solve", project && !cluster.devices.empty());
    enable("plan.cancel", solver_.isRunning());
    const bool has_plan = project && board_.shown();
    for (const char* id : {"file.exportPlan", "file.exportTrace", "file.exportTimeline"})
        enable(id, has_plan);
    enable("file.exportCanvas", project && !cluster.devices.empty());
    const QStringList ids = document_.selection().ids();
    const bool device = project && std::any_of(ids.begin(), ids.end(), [&](const QString& id) {
        return find_device(cluster, id.toStdString()) != nullptr;
    });
    enable("plan.idle", device);
    const bool locked = !document_.project().job.locks.empty();
    enable("plan.release", device && locked);
    enable("plan.unlock", project && locked);
    enable("plan.drop", project && !document_.project().plans.empty());
}

void MainWindow::updateRecentMenu()
{
    recent_menu_->clear();
    const QStringList files = files_->recentFiles();
    for (const QString& path : files) {
        QAction* action =
            recent_menu_->addAction(QFileInfo(path).fileName(), this, [this, path] { files_->open(path); });
        action->setToolTip(path);
    }
    recent_menu_->setToolTipsVisible(true);
    recent_menu_->setEnabled(!files.isEmpty());
    if (!files.isEmpty()) {
        recent_menu_->addSeparator();
        recent_menu_->addAction(tr("Clear list"), files_, &ProjectFiles::clearRecentFiles);
    }
}

}  // namespace nnpiper
