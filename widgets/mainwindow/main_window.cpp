// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/mainwindow/main_window.h"

#include "core/base/error.h"
#include "core/study/explain.h"
#include "widgets/canvas/canvas_scene.h"
#include "widgets/canvas/canvas_view.h"
#include "widgets/canvas/find_bar.h"
#include "widgets/canvas/graphviz.h"
#include "widgets/document/selection.h"
#include "widgets/i18n/language.h"
#include "widgets/inspector/inspector_panel.h"
#include "widgets/mainwindow/action_registry.h"
#include "widgets/mainwindow/project_files.h"
#include "widgets/mainwindow/recovery_bar.h"
#include "widgets/model/model_config.h"
#include "widgets/palette/palette_item.h"
#include "widgets/palette/palette_panel.h"
#include "widgets/problems/finding_model.h"
#include "widgets/problems/problems_view.h"
#include "widgets/results/comparison_model.h"
#include "widgets/results/comparison_panel.h"
#include "widgets/results/explanation_text.h"
#include "widgets/results/limits_view.h"
#include "widgets/results/memory_view.h"
#include "widgets/results/plan_strip.h"
#include "widgets/results/timeline_view.h"
#include "widgets/start/start_page.h"
#include "widgets/tables/table_pages.h"
#include "widgets/theme/theme.h"
#include "widgets/whatif/what_if_view.h"

#include <QApplication>
#include <QCloseEvent>
#include <QLabel>
#include <QMenu>
#include <QMessageBox>
#include <QMimeData>
#include <QSettings>
#include <QSplitter>
#include <QStackedWidget>
#include <QStatusBar>
#include <QTabWidget>
#include <QToolBar>
#include <QVBoxLayout>

namespace nnpiper {

namespace {

QFrame* cardWith(QWidget* content, QMargins margins = {})
{
    auto* card = new QFrame;
    setCard(card);
    auto* layout = new QVBoxLayout(card);
    layout->setContentsMargins(margins + QMargins(1, 1, 1, 1));
    layout->addWidget(content);
    return card;
}

QSplitter* splitter(Qt::Orientation orientation, std::initializer_list<QWidget*> parts)
{
    auto* made = new QSplitter(orientation);
    made->setHandleWidth(8);
    made->setChildrenCollapsible(false);
    for (QWidget* part : parts)
        made->addWidget(part);
    return made;
}

}  // namespace

MainWindow::MainWindow(LanguageSwitcher& language, QWidget* parent)
    : QMainWindow(parent)
    , board_(document_)
    , solver_(document_, board_)
    , language_(language)
    , actions_(new ActionRegistry(this))
    , files_(new ProjectFiles(document_, this))
    , recovery_(new Recovery(document_, Recovery::defaultFolder(), this))
    , arranger_(new Arranger(this))
{
    setObjectName(QStringLiteral("mainWindow"));
    setAcceptDrops(true);
    makeLayout();
    makeActions();
    makeDrawingActions();
    makeMenus();
    makeToolBar();
    connectParts();
    restyle();
    retranslateUi();
    restoreLayout();
    document_.replace(ProjectFiles::freshProject());
    showStartPage();
}

MainWindow::~MainWindow()
{
    // The parts listen to document and plans, which go before the widgets do; and the history tells of its own end.
    document_.undoStack().disconnect(this);
    delete takeCentralWidget();
    delete tool_bar_;
    delete recovery_;
}

void MainWindow::makeLayout()
{
    palette_panel_ = new PalettePanel(document_);
    canvas_ = new CanvasView(document_, board_);
    find_bar_ = new FindBar(document_, *canvas_);
    layer_page_ = new LayerPage(document_, board_);
    table_page_ = new TablePage(document_);
    inspector_ = new InspectorPanel(document_, board_);
    strip_ = new PlanStrip;
    timeline_ = new TimelineView;
    memory_ = new MemoryView;
    limits_ = new LimitsView;
    problems_ = new ProblemsView(document_, board_);
    what_if_ = new WhatIfView(document_);
    comparison_ = new ComparisonPanel;
    start_page_ = new StartPage;

    tabs_ = new QTabWidget;
    tabs_->setDocumentMode(true);
    for (QWidget* page : std::initializer_list<QWidget*>{canvas_, layer_page_, table_page_})
        tabs_->addTab(page, QString());
    result_tabs_ = new QTabWidget;
    result_tabs_->setDocumentMode(true);
    result_tabs_->addTab(timeline_, QString());
    result_tabs_->addTab(memory_, QString());
    result_tabs_->addTab(limits_, QString());
    result_tabs_->addTab(problems_, QString());
    result_tabs_->addTab(what_if_, QString());

    centre_ = splitter(Qt::Vertical, {cardWith(tabs_), cardWith(strip_)});
    columns_ = splitter(Qt::Horizontal, {palette_panel_, centre_, inspector_});
    bottom_ = splitter(Qt::Horizontal, {cardWith(result_tabs_), cardWith(comparison_)});
    rows_ = splitter(Qt::Vertical, {columns_, bottom_});
    centre_->setStretchFactor(0, 1);
    columns_->setStretchFactor(1, 1);
    bottom_->setStretchFactor(0, 1);
    rows_->setStretchFactor(0, 3);
    rows_->setStretchFactor(1, 2);
    palette_panel_->setMinimumWidth(190);
    inspector_->setMinimumWidth(270);
    centre_->setMinimumWidth(380);
    tabs_->setMinimumHeight(200);
    columns_->setSizes({208, 1150, 318});
    bottom_->setSizes({1070, 600});
    centre_->setSizes({500, 100});
    rows_->setSizes({580, 390});

    workbench_ = new QWidget;
    auto* layout = new QVBoxLayout(workbench_);
    layout->setContentsMargins(8, 8, 8, 6);
    layout->addWidget(rows_);
    stack_ = new QStackedWidget;
    stack_->addWidget(start_page_);
    stack_->addWidget(workbench_);
    recovery_bar_ = new RecoveryBar(*recovery_);
    auto* page = new QWidget;
    auto* page_layout = new QVBoxLayout(page);
    page_layout->setContentsMargins(0, 0, 0, 0);
    page_layout->setSpacing(0);
    page_layout->addWidget(recovery_bar_);
    page_layout->addWidget(stack_, 1);
    setCentralWidget(page);

    status_ = new QLabel;
    status_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    status_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    zoom_ = new QLabel;
    status_->setContentsMargins(10, 0, 0, 0);
    zoom_->setContentsMargins(0, 0, 10, 0);
    statusBar()->addWidget(status_, 1);
    statusBar()->addPermanentWidget(zoom_);
    statusBar()->setSizeGripEnabled(false);
}

void MainWindow::connectParts()
{
    connect(&document_, &ProjectDocument::reset, this, [this] {
        copied_.clear();
        updateTitle();
        updateActions();
    });
    connect(&document_, &ProjectDocument::pathChanged, this, &MainWindow::updateTitle);
    connect(&document_, &ProjectDocument::detailsChanged, this, &MainWindow::updateTitle);
    connect(&document_, &ProjectDocument::modifiedChanged, this, &MainWindow::updateTitle);
    connect(&document_, &ProjectDocument::edited, this, &MainWindow::updateActions);
    connect(&document_.undoStack(), &QUndoStack::indexChanged, this, &MainWindow::updateActions);
    connect(&document_.selection(), &Selection::changed, this, &MainWindow::updateActions);

    connect(files_, &ProjectFiles::recentFilesChanged, this, [this] {
        updateRecentMenu();
        start_page_->setRecentFiles(files_->recentFiles());
    });
    connect(files_, &ProjectFiles::opened, this, [this](const QString& path) {
        showWorkbench();
        if (!path.isEmpty())
            say(QString::fromStdString(document_.project().description));
    });
    connect(files_, &ProjectFiles::message, this, [this](const QString& text) { say(text); });
    connect(files_, &ProjectFiles::failed, this, &MainWindow::showFailure);
    connect(recovery_bar_, &RecoveryBar::restoreRequested, this, &MainWindow::restore);
    connect(start_page_, &StartPage::newRequested, files_, &ProjectFiles::startNew);
    connect(start_page_, &StartPage::openRequested, files_, &ProjectFiles::openWithDialog);
    connect(start_page_, &StartPage::fileRequested, files_, &ProjectFiles::open);

    connect(palette_panel_, &PalettePanel::itemActivated, this, [this](const QByteArray& mime) {
        tabs_->setCurrentIndex(0);
        const auto item = PaletteItem::fromMime(mime);
        if (item && item->kind == PaletteItem::Kind::link) {
            if (const LinkEntry* entry = find_link_entry(item->name.toStdString())) {
                canvas_->setNewLink(linkOf(*entry));
                canvas_->setMode(CanvasView::Mode::connect);
                say(tr("New links are now %1: drag from one element to another.").arg(item->name));
            }
            return;
        }
        canvas_->addFromPalette(mime);
    });
    connect(canvas_, &CanvasView::zoomChanged, this,
            [this](double zoom) { zoom_->setText(QStringLiteral("%1 %").arg(qRound(zoom * 100))); });
    connect(arranger_, &Arranger::arranged, this, &MainWindow::takeArranged);
    connect(canvas_, &CanvasView::contextMenuRequested, this, &MainWindow::showCanvasMenu);
    connect(table_page_, &TablePage::message, this, [this](const QString& text) { say(text, true); });
    table_page_->addAction(actions_->action(QStringLiteral("edit.delete")));
    connect(inspector_, &InspectorPanel::changeModelRequested, this, &MainWindow::changeModel);

    connect(problems_, &ProblemsView::countChanged, this, &MainWindow::showProblemCount);
    connect(problems_, &ProblemsView::culpritsSelected, this, [this] {
        tabs_->setCurrentIndex(0);
        canvas_->showSelection();
    });
    connect(&board_, &PlanBoard::shownChanged, this, &MainWindow::showPlan);
    connect(&board_, &PlanBoard::plansChanged, this, &MainWindow::showComparison);
    connect(comparison_, &ComparisonPanel::planActivated, &board_, [this](int index) { board_.show(index); });
    connect(comparison_, &ComparisonPanel::exportPlanRequested, this, &MainWindow::exportPlan);
    connect(comparison_, &ComparisonPanel::exportTraceRequested, this, &MainWindow::exportTrace);
    const auto move_boundary = [this](int boundary, int end_layer) {
        if (strip_key_.isEmpty())
            strip_key_ = document_.newMergeKey();
        editPlan([&] { board_.moveBoundary(boundary, end_layer, strip_key_); });
    };
    connect(strip_, &PlanStrip::boundaryDragged, this, move_boundary);
    connect(strip_, &PlanStrip::boundaryMoved, this, [this, move_boundary](int boundary, int end_layer) {
        move_boundary(boundary, end_layer);
        strip_key_.clear();
    });
    connect(strip_, &PlanStrip::menuRequested, this, &MainWindow::showStageMenu);
    const auto show_locks = [this] { strip_->setLocks(document_.project().job.locks); };
    connect(&document_, &ProjectDocument::jobChanged, this, show_locks);
    connect(&document_, &ProjectDocument::reset, this, show_locks);
    connect(strip_, &PlanStrip::deviceDropped, this,
            [this](int stage, const QString& id) { editPlan([&] { board_.putDevice(stage, id); }); });

    connect(&solver_, &SolveController::runningChanged, this, [this](bool running) {
        if (!running)
            comparison_->setIdle();
        updateActions();
    });
    connect(&solver_, &SolveController::progress, comparison_, &ComparisonPanel::setRunning);
    connect(&solver_, &SolveController::message, this, &MainWindow::say);
}

void MainWindow::showPlan()
{
    timeline_->setPlan(board_.shown());
    memory_->setPlan(board_.shown());
    limits_->setPlan(board_.shown());
    showComparison();
    updateActions();
}

void MainWindow::showComparison()
{
    strip_->setPlan(board_.shown(), board_.solverPlan());
    const std::vector<Plan> plans = board_.planList();
    const int shown = board_.shownIndex();
    comparison_->setPlans(plans);
    comparison_->setCurrent(shown);
    // The panel says why the best plan wins, whichever is shown.
    QStringList reasons;
    try {
        if (const int best = comparison_->model()->best(); best >= 0) {
            const SolvedPlan& plan = *board_.plans()[static_cast<std::size_t>(best)];
            reasons = explanationText(*plan.problem, explain(*plan.problem, plans, best, plan.timeline), locale());
        }
    } catch (const Error&) {
        reasons.clear();  // plans of two versions of the project, while a run replaces them one by one
    }
    comparison_->setExplanation(reasons);
}

void MainWindow::showProblemCount()
{
    const int tab = result_tabs_->indexOf(problems_);
    const int count = problems_->model().rowCount();
    result_tabs_->setTabText(tab, count > 0 ? tr("Problems (%1)").arg(locale().toString(count)) : tr("Problems"));
    result_tabs_->setTabIcon(
        tab, count > 0 ? themedIcon(QStringLiteral("warning"), palette(),
                                    problems_->model().errorCount() > 0 ? ColorRole::negative : ColorRole::warning)
                       : QIcon());
}

void MainWindow::editPlan(const std::function<void()>& edit)
{
    try {
        edit();
    } catch (const Error& error) {
        say(QString::fromStdString(error.what()), true);
    }
}

void MainWindow::say(const QString& text, bool is_error)
{
    setTextRole(status_, is_error ? TextRole::negative : TextRole::muted);
    status_->setText(text);
    status_->setToolTip(text);
}

void MainWindow::showFailure(const QString& title, const QString& sentence)
{
    say(sentence, true);
    QMessageBox box(QMessageBox::Warning, title, title, QMessageBox::Ok, this);
    box.setInformativeText(sentence);
    box.setObjectName(QStringLiteral("failure"));
    box.exec();
}

void MainWindow::showStartPage()
{
    start_page_->setRecentFiles(files_->recentFiles());
    stack_->setCurrentWidget(start_page_);
    tool_bar_->hide();
    statusBar()->hide();
    updateTitle();
    updateActions();
}

void MainWindow::showWorkbench()
{
    stack_->setCurrentWidget(workbench_);
    tool_bar_->show();
    statusBar()->show();
    tabs_->setCurrentIndex(0);
    canvas_->setFocus();
    updateTitle();
    updateActions();
}

bool MainWindow::isStartPageShown() const
{
    return stack_->currentWidget() == start_page_;
}

void MainWindow::setTheme(ThemeMode mode)
{
    applyTheme(*qApp, mode);
    QSettings().setValue(QStringLiteral("theme"), static_cast<int>(mode));
    static const char* const ids[] = {"theme.system", "theme.light", "theme.dark"};
    actions_->action(QString::fromLatin1(ids[static_cast<int>(mode)]))->setChecked(true);
}

void MainWindow::updateTitle()
{
    if (isStartPageShown() && document_.path().isEmpty() && !document_.isModified())
        setWindowTitle(tr("NN-Piper Workbench"));
    else
        setWindowTitle(tr("%1[*] — NN-Piper Workbench").arg(document_.title()));
    setWindowModified(document_.isModified());
}

void MainWindow::restyle()
{
    actions_->restyle();
    showProblemCount();
    setWindowIcon(QIcon(QStringLiteral(":/icons/app.svg")));
}

void MainWindow::retranslateUi()
{
    actions_->retranslate();
    const QStringList titles{tr("&File"), tr("&Edit"), tr("&View"), tr("&Cluster"), tr("&Plan"), tr("&Help")};
    for (qsizetype i = 0; i < menus_.size(); ++i)
        menus_[i]->setTitle(titles[i]);
    recent_menu_->setTitle(tr("Open &recent"));
    export_menu_->setTitle(tr("&Export"));
    align_menu_->setTitle(tr("A&lign"));
    theme_menu_->setTitle(tr("T&heme"));
    language_menu_->setTitle(tr("&Language"));
    tool_bar_->setWindowTitle(tr("Tool bar"));
    tabs_->setTabText(0, tr("Topology"));
    tabs_->setTabText(1, tr("Model layers"));
    tabs_->setTabText(2, tr("Table"));
    result_tabs_->setTabText(0, tr("Timeline"));
    result_tabs_->setTabText(1, tr("Memory"));
    result_tabs_->setTabText(2, tr("Limits"));
    showProblemCount();
    result_tabs_->setTabText(result_tabs_->indexOf(what_if_), tr("What if"));
    updateRecentMenu();
    updateTitle();
}

void MainWindow::changeEvent(QEvent* event)
{
    QMainWindow::changeEvent(event);
    if (event->type() == QEvent::LanguageChange)
        retranslateUi();
    else if (event->type() == QEvent::PaletteChange || event->type() == QEvent::ThemeChange)
        restyle();
}

void MainWindow::closeEvent(QCloseEvent* event)
{
    if (!files_->mayDiscard()) {
        event->ignore();
        return;
    }
    solver_.cancel();
    saveLayout();
    event->accept();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event)
{
    const QList<QUrl> urls = event->mimeData()->urls();
    if (urls.size() == 1 && urls.front().isLocalFile() && urls.front().fileName().endsWith(QStringLiteral(".json")))
        event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event)
{
    event->acceptProposedAction();
    const QString path = event->mimeData()->urls().front().toLocalFile();
    if (isModelConfig(path))
        files_->readModel(path, isStartPageShown());
    else
        files_->open(path);
}

void MainWindow::saveLayout()
{
    QSettings settings;
    settings.setValue(QStringLiteral("geometry"), saveGeometry());
    settings.setValue(QStringLiteral("rows"), rows_->saveState());
    settings.setValue(QStringLiteral("columns"), columns_->saveState());
    settings.setValue(QStringLiteral("centre"), centre_->saveState());
    settings.setValue(QStringLiteral("bottom"), bottom_->saveState());
}

void MainWindow::restoreLayout()
{
    const QSettings settings;
    if (!restoreGeometry(settings.value(QStringLiteral("geometry")).toByteArray()))
        resize(1680, 1050);
    rows_->restoreState(settings.value(QStringLiteral("rows")).toByteArray());
    columns_->restoreState(settings.value(QStringLiteral("columns")).toByteArray());
    centre_->restoreState(settings.value(QStringLiteral("centre")).toByteArray());
    bottom_->restoreState(settings.value(QStringLiteral("bottom")).toByteArray());
}

}  // namespace nnpiper
