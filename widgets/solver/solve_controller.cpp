// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/solver/solve_controller.h"

#include "widgets/document/project_document.h"
#include "widgets/results/figures.h"

#include <QLocale>

namespace nnpiper {

namespace {

constexpr int restMs = 400;
constexpr double quickBudgetMs = 10;
constexpr double fullBudgetMs = 1000;
const std::string neuralPlanner = "nn-piper";
const std::string classicPlanner = "local-search";

}  // namespace

SolveController::SolveController(ProjectDocument& document, PlanBoard& board, QObject* parent)
    : QObject(parent)
    , document_(document)
    , board_(board)
    , quick_planner_(neuralPlanner)
{
    soon_.setSingleShot(true);
    soon_.setInterval(0);
    rest_.setSingleShot(true);
    rest_.setInterval(restMs);
    connect(&soon_, &QTimer::timeout, this, &SolveController::solveQuickly);
    connect(&rest_, &QTimer::timeout, this, [this] {
        if (solver_.isRunning()) {
            rest_.start();
            return;
        }
        quick_ = false;
        start({{}, fullBudgetMs}, true);
    });
    // A plan of the project before may name what is no longer there.
    connect(&document, &ProjectDocument::elementRemoved, this, &SolveController::dropRun);
    connect(&document, &ProjectDocument::modelChanged, this, &SolveController::dropRun);
    connect(&document, &ProjectDocument::reset, this, &SolveController::dropRun);
    connect(&document, &ProjectDocument::problemChanged, this, &SolveController::projectChanged);
    connect(&document, &ProjectDocument::reset, this, &SolveController::projectChanged);

    connect(&solver_, &Solver::started, this, [this] { emit runningChanged(true); });
    connect(&solver_, &Solver::progress, this,
            [this](int, const QString& planner, double fraction) { emit progress(planner, fraction); });
    connect(&solver_, &Solver::planReady, this, [this](int, const PlanBoard::Shared& plan) { receive(plan); });
    connect(&solver_, &Solver::finished, this,
            [this](int, bool cancelled, const QString& failure) { finish(cancelled, failure); });
}

void SolveController::start(SolveOptions options, bool in_place)
{
    soon_.stop();
    rest_.stop();
    dropRun();
    overtaken_ = false;
    board_.beginRun(in_place);
    solver_.start(document_.project(), std::move(options));
}

void SolveController::dropRun()
{
    if (!solver_.isRunning() || (!quick_ && !live_))
        return;
    quiet_cancel_ = true;
    solver_.cancel();
}

void SolveController::solve(std::vector<std::string> planners)
{
    if (solver_.isRunning()) {
        quiet_cancel_ = true;
        solver_.cancel();
    }
    quick_ = false;
    start({std::move(planners), fullBudgetMs}, false);
}

void SolveController::solveQuickly()
{
    quick_ = true;
    start({{quick_planner_}, quickBudgetMs}, true);
    rest_.start();
}

void SolveController::cancel()
{
    soon_.stop();
    rest_.stop();
    solver_.cancel();
}

void SolveController::setLive(bool live)
{
    if (live == live_)
        return;
    live_ = live;
    emit liveChanged(live);
    soon_.stop();
    rest_.stop();
    if (!live)
        return;
    quick_planner_ = neuralPlanner;
    solver_.warmUp();
    if (!board_.shown() || board_.isOutdated())
        soon_.start();
}

void SolveController::projectChanged()
{
    if (live_) {
        if (solver_.isRunning() && quick_) {
            overtaken_ = true;
            return;
        }
        dropRun();
        soon_.start();
        return;
    }
    if (!solver_.isRunning())
        return;
    quiet_cancel_ = true;
    solver_.cancel();
    emit message(tr("The project has changed, so planning was stopped."), false);
}

void SolveController::receive(const PlanBoard::Shared& plan)
{
    if (quick_ && plan->plan.status == "skipped" && quick_planner_ == neuralPlanner) {
        quick_planner_ = classicPlanner;  // there is no network
        overtaken_ = true;
        return;
    }
    board_.add(plan, !overtaken_);
}

void SolveController::finish(bool cancelled, const QString& failure)
{
    const bool quiet = quiet_cancel_;
    quiet_cancel_ = false;
    const bool again = live_ && quick_ && overtaken_ && !cancelled;
    if (!cancelled && failure.isEmpty() && !again)
        board_.endRun();
    emit runningChanged(false);
    if (again) {
        solveQuickly();
        return;
    }
    if (cancelled) {
        if (!quiet)
            emit message(tr("Planning was cancelled."), false);
        return;
    }
    if (!failure.isEmpty()) {
        emit message(failure, true);
        return;
    }
    const PlanBoard::Shared& shown = board_.shown();
    if (!shown) {
        emit message(tr("No planner found a plan for this project."), true);
        return;
    }
    const Plan& plan = shown->plan;
    if (!plan.feasible) {
        emit message(QString::fromStdString(plan.reason), true);
        return;
    }
    const QLocale locale;
    emit message(tr("%1 samples/s in %2 stages, planned in %3.")
                     .arg(formatRate(plan.throughput_samples_per_s, locale))
                     .arg(plan.stages.size())
                     .arg(formatDuration(plan.planning_time_ms, locale)),
                 false);
}

}  // namespace nnpiper
