// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/calibration/calibration_dialog.h"

#include "core/base/error.h"
#include "core/formats/files.h"
#include "core/formats/measured_csv.h"
#include "widgets/calibration/calibration_text.h"
#include "widgets/calibration/error_delegate.h"
#include "widgets/calibration/fit_summary.h"
#include "widgets/calibration/run_table_model.h"
#include "widgets/document/edits.h"
#include "widgets/results/empty_state.h"
#include "widgets/results/planner_title.h"
#include "widgets/solver/plan_board.h"

#include <QAction>
#include <QCheckBox>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QFrame>
#include <QHeaderView>
#include <QLabel>
#include <QMimeData>
#include <QProgressBar>
#include <QPushButton>
#include <QStackedWidget>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>
#include <limits>

namespace nnpiper {

CalibrationDialog::CalibrationDialog(ProjectDocument& document, PlanBoard& board, QWidget* parent)
    : QDialog(parent)
    , document_(document)
    , board_(board)
    , runs_(new RunTableModel(this))
    , table_(new QTableView)
    , empty_(new EmptyState(QStringLiteral("calibrate")))
    , stack_(new QStackedWidget)
    , progress_(new QProgressBar)
    , message_(new QLabel)
    , summary_(new FitSummary)
    , open_(new QPushButton)
    , add_(new QPushButton)
    , remove_(new QPushButton)
    , fit_(new QPushButton)
    , apply_(new QPushButton)
    , close_(new QPushButton)
    , fixed_cost_(new QCheckBox)
{
    setAcceptDrops(true);
    resize(1240, 700);
    makeLayout();
    connectParts();
    retranslateUi();
    restyle();
    updateButtons();
}

void CalibrationDialog::makeLayout()
{
    open_->setObjectName(QStringLiteral("open"));
    add_->setObjectName(QStringLiteral("addShownPlan"));
    remove_->setObjectName(QStringLiteral("remove"));
    fit_->setObjectName(QStringLiteral("fit"));
    apply_->setObjectName(QStringLiteral("apply"));
    fixed_cost_->setObjectName(QStringLiteral("fixedCost"));
    message_->setObjectName(QStringLiteral("message"));
    for (QPushButton* button : {open_, add_, remove_, fit_, apply_, close_})
        button->setAutoDefault(false);

    table_->setModel(runs_);
    table_->setItemDelegate(new ErrorDelegate(table_));
    table_->setFrameShape(QFrame::NoFrame);
    table_->setAlternatingRowColors(true);
    table_->setShowGrid(false);
    table_->setWordWrap(false);
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed
                            | QAbstractItemView::AnyKeyPressed);
    table_->verticalHeader()->setDefaultSectionSize(28);
    table_->verticalHeader()->setDefaultAlignment(Qt::AlignCenter);
    table_->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    QHeaderView* header = table_->horizontalHeader();
    header->setHighlightSections(false);
    header->setSectionResizeMode(QHeaderView::ResizeToContents);
    header->setSectionResizeMode(RunTableModel::nameColumn, QHeaderView::Stretch);
    header->setSectionResizeMode(RunTableModel::errorColumn, QHeaderView::Fixed);
    header->resizeSection(RunTableModel::errorColumn, 200);
    stack_->addWidget(empty_);
    stack_->addWidget(table_);

    auto* card = new QFrame;
    setCard(card);
    auto* card_layout = new QVBoxLayout(card);
    card_layout->setContentsMargins(1, 1, 1, 1);
    card_layout->setSpacing(0);
    card_layout->addWidget(stack_, 1);
    card_layout->addWidget(progress_);
    progress_->setTextVisible(false);
    progress_->setFixedHeight(4);
    progress_->hide();
    message_->setWordWrap(true);
    message_->setTextInteractionFlags(Qt::TextSelectableByMouse);

    auto* sources = new QHBoxLayout;
    sources->addWidget(open_);
    sources->addWidget(add_);
    sources->addWidget(remove_);
    sources->addStretch(1);
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(fixed_cost_);
    buttons->addStretch(1);
    buttons->addWidget(fit_);
    buttons->addWidget(apply_);
    buttons->addWidget(close_);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(16, 14, 16, 12);
    layout->setSpacing(10);
    layout->addLayout(sources);
    layout->addWidget(card, 1);
    layout->addWidget(message_);
    layout->addWidget(summary_);
    layout->addLayout(buttons);
    summary_->setMinimumHeight(150);
    summary_->hide();
    fixed_cost_->setChecked(true);
}

void CalibrationDialog::connectParts()
{
    connect(open_, &QPushButton::clicked, this, &CalibrationDialog::openWithDialog);
    connect(add_, &QPushButton::clicked, this, &CalibrationDialog::addShownPlan);
    connect(remove_, &QPushButton::clicked, this, &CalibrationDialog::removeSelected);
    connect(apply_, &QPushButton::clicked, this, &CalibrationDialog::applyToProject);
    connect(close_, &QPushButton::clicked, this, &CalibrationDialog::reject);
    connect(fit_, &QPushButton::clicked, this, [this] {
        if (calibrator_.isRunning())
            calibrator_.cancel();
        else
            fit();
    });
    auto* delete_rows = new QAction(this);
    delete_rows->setShortcut(QKeySequence::Delete);
    delete_rows->setShortcutContext(Qt::WidgetShortcut);
    table_->addAction(delete_rows);
    connect(delete_rows, &QAction::triggered, this, &CalibrationDialog::removeSelected);

    connect(runs_, &RunTableModel::runsChanged, this, [this] {
        calibrator_.cancel();
        showFit(nullptr);
        showObstacle();
    });
    connect(runs_, &RunTableModel::rejected, this,
            [this](const QString& sentence) { say(sentence, TextRole::negative); });
    connect(fixed_cost_, &QCheckBox::toggled, this, [this] {
        calibrator_.cancel();
        runs_->setFit(nullptr);
        showFit(nullptr);
        showObstacle();
    });
    connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this, &CalibrationDialog::updateButtons);
    connect(&board_, &PlanBoard::shownChanged, this, &CalibrationDialog::updateButtons);
    connect(&document_, &ProjectDocument::edited, this, [this] {
        if (applied_ && changesProject())
            say({}, TextRole::muted);
        updateButtons();
    });
    connect(&document_, &ProjectDocument::reset, this, &CalibrationDialog::updateButtons);

    connect(&calibrator_, &Calibrator::runningChanged, this, [this](bool running) {
        // Until the first report nobody knows how far it is.
        progress_->setRange(0, running ? 0 : 100);
        progress_->setVisible(running);
        if (running)
            say(tr("Fitting..."), TextRole::muted);
        else
            say({}, TextRole::muted);
        retranslateUi();
        updateButtons();
    });
    connect(&calibrator_, &Calibrator::progress, this, [this](double fraction) {
        progress_->setRange(0, 100);
        progress_->setValue(qRound(fraction * 100));
    });
    connect(&calibrator_, &Calibrator::fitted, this, &CalibrationDialog::showFit);
    connect(&calibrator_, &Calibrator::failed, this,
            [this](const QString& sentence) { say(sentence, TextRole::negative); });
}

QString CalibrationDialog::load(const QString& path)
{
    try {
        const std::filesystem::path file = path.toStdString();
        auto steps = read_measured_csv(read_text(file), QFileInfo(path).fileName().toStdString(), file.parent_path());
        runs_->add(std::move(steps), QFileInfo(path).absoluteFilePath());
    } catch (const Error& error) {
        const QString sentence = QString::fromUtf8(error.what());
        say(sentence, TextRole::negative);
        return sentence;
    }
    return {};
}

void CalibrationDialog::addShownPlan()
{
    if (!board_.shown())
        return;
    PlannedRun run;
    try {
        run.project = document_.project();
        run.problem = *board_.presentProblem();
        run.plan = board_.shown()->plan;
        predict_run(run, {});
    } catch (const Error& error) {
        say(tr("The shown plan cannot run on the present project: %1").arg(QString::fromUtf8(error.what())),
            TextRole::negative);
        return;
    }
    const QString name = tr("%1, %2").arg(document_.title(), plannerTitle(run.plan.planner));
    std::vector<MeasuredStep> rows;
    rows.push_back({name.toStdString(), std::move(run), std::numeric_limits<double>::quiet_NaN()});
    runs_->add(std::move(rows));
    const QModelIndex time = runs_->index(runs_->rowCount() - 1, RunTableModel::measuredColumn);
    table_->setCurrentIndex(time);
    table_->scrollTo(time);
    table_->setFocus();
    if (isVisible())
        table_->edit(time);
}

void CalibrationDialog::openWithDialog()
{
    const QString path =
        QFileDialog::getOpenFileName(this, tr("Open measured runs"), {}, tr("Measured runs (*.csv);;All files (*)"));
    if (!path.isEmpty())
        load(path);
}

void CalibrationDialog::removeSelected()
{
    std::vector<int> rows;
    for (const QModelIndex& index : table_->selectionModel()->selectedRows())
        rows.push_back(index.row());
    runs_->remove(std::move(rows));
}

void CalibrationDialog::fit()
{
    const QString obstacle = obstacleText(runs_->runs());
    if (!runs_->runs().empty() && obstacle.isEmpty())
        calibrator_.start(runs_->runs(), {fixed_cost_->isChecked()});
}

void CalibrationDialog::showFit(std::shared_ptr<const Calibration> fit)
{
    if (fit)
        runs_->setFit(fit);
    summary_->setFit(fit, fixed_cost_->isChecked());
    const bool has_runs = runs_->rowCount() > 0;
    stack_->setCurrentWidget(has_runs ? static_cast<QWidget*>(table_) : empty_);
    summary_->setVisible(has_runs);
    if (fit && !knowsTypes())
        say(tr("None of the fitted device types is in the open project, so there is nothing to apply."),
            TextRole::muted);
    updateButtons();
}

/// Why the runs cannot be fitted yet, or nothing.
void CalibrationDialog::showObstacle()
{
    say(runs_->runs().empty() ? QString() : obstacleText(runs_->runs()), TextRole::warning);
}

/// Whether the open project has a device of a fitted type.
bool CalibrationDialog::knowsTypes() const
{
    const auto& devices = document_.project().cluster.devices;
    return runs_->fit() && std::any_of(devices.begin(), devices.end(), [&](const Device& device) {
               return runs_->fit()->achieved_fractions.count(device.spec.type) > 0;
           });
}

/// Whether there is a fit, and one that the open project does not have already.
bool CalibrationDialog::changesProject() const
{
    if (!knowsTypes())
        return false;
    Project calibrated = document_.project();
    apply(*runs_->fit(), calibrated);
    return !(calibrated == document_.project());
}

void CalibrationDialog::applyToProject()
{
    if (!changesProject())
        return;
    const QStringList types = edits::applyCalibration(document_, *runs_->fit());
    say(tr("Applied to %1 (%2). Undo takes it back.").arg(document_.title(), types.join(QStringLiteral(", "))),
        TextRole::positive);
    applied_ = true;
}

void CalibrationDialog::say(const QString& text, TextRole role)
{
    applied_ = false;
    setTextRole(message_, role);
    message_->setText(text);
    message_->setVisible(!text.isEmpty());
}

void CalibrationDialog::updateButtons()
{
    const bool running = calibrator_.isRunning();
    const bool applicable = changesProject() && !running;
    add_->setEnabled(board_.shown() != nullptr);
    add_->setToolTip(board_.shown() ? tr("The plan that is shown, on the open project; type the time that you measured")
                                    : tr("No plan is shown: solve the project first"));
    remove_->setEnabled(table_->selectionModel()->hasSelection());
    fit_->setEnabled(running || (!runs_->runs().empty() && obstacleText(runs_->runs()).isEmpty()));
    apply_->setEnabled(applicable);
    setButtonRole(fit_, runs_->fit() && !running ? ButtonRole::normal : ButtonRole::primary);
    setButtonRole(apply_, applicable ? ButtonRole::primary : ButtonRole::normal);
}

void CalibrationDialog::retranslateUi()
{
    setWindowTitle(tr("Calibrate to measured runs"));
    open_->setText(tr("&Open CSV..."));
    open_->setToolTip(tr("A table of measured runs, as `nnpiper calibrate` reads it; or drop it here"));
    add_->setText(tr("&Add current plan"));
    remove_->setText(tr("&Remove"));
    remove_->setToolTip(tr("Takes the selected runs out of the table"));
    fit_->setText(calibrator_.isRunning() ? tr("&Cancel") : tr("&Fit"));
    apply_->setText(tr("A&pply to project"));
    apply_->setToolTip(tr("Sets the achieved fractions and the fixed cost of a step in the open project"));
    close_->setText(tr("Close"));
    fixed_cost_->setText(tr("Fit a fixed cost per step too"));
    fixed_cost_->setToolTip(tr("Time that every step takes besides the pipeline, for example to load data"));
    empty_->setText(tr("No measured runs yet"),
                    tr("Open a CSV file of measured runs, drop it here, or add the current plan and type the step time "
                       "that you measured."));
}

void CalibrationDialog::restyle()
{
    open_->setIcon(themedIcon(QStringLiteral("open"), palette()));
    add_->setIcon(themedIcon(QStringLiteral("add"), palette()));
    remove_->setIcon(themedIcon(QStringLiteral("delete"), palette()));
}

void CalibrationDialog::changeEvent(QEvent* event)
{
    QDialog::changeEvent(event);
    if (event->type() == QEvent::LanguageChange) {
        retranslateUi();
        runs_->retranslate();
        updateButtons();
        showObstacle();
    } else if (event->type() == QEvent::PaletteChange) {
        restyle();
    }
}

void CalibrationDialog::dragEnterEvent(QDragEnterEvent* event)
{
    const QList<QUrl> urls = event->mimeData()->urls();
    if (urls.size() == 1 && urls.front().isLocalFile())
        event->acceptProposedAction();
}

void CalibrationDialog::dropEvent(QDropEvent* event)
{
    event->acceptProposedAction();
    load(event->mimeData()->urls().front().toLocalFile());
}

void CalibrationDialog::reject()
{
    calibrator_.cancel();
    QDialog::reject();
}

}  // namespace nnpiper
