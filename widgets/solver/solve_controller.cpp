// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/solver/solve_controller.h"

#include "widgets/document/project_document.h"
#include "widgets/results/figures.h"

#include <QLocale>

namespace nnpiper {

namespace {

constexpr int debounceMs = 150;
constexpr double quickBudgetMs = 40;
constexpr double fullBudgetMs = 1000;

}  // namespace

SolveController::SolveController(ProjectDocument& document, PlanBoard& board, QObject* parent)
    : QObject(parent)
    , document_(document)
    , board_(board)
{
    soon_.setSingleShot(true);
    soon_.setInterval(debounceMs);
    connect(&soon_, &QTimer::timeout, this, &SolveController::solveQuickly);
    connect(&document, &ProjectDocument::problemChanged, this, &SolveController::projectChanged);
    connect(&document, &ProjectDocument::reset, this, &SolveController::projectChanged);

    connect(&solver_, &Solver::started, this, [this] { emit runningChanged(true); });
    connect(&solver_, &Solver::progress, this,
            [this](int, const QString& planner, double fraction) { emit progress(planner, fraction); });
    connect(&solver_, &Solver::planReady, this, [this](int, const PlanBoard::Shared& plan) { board_.add(plan); });
    connect(&solver_, &Solver::finished, this,
            [this](int, bool cancelled, const QString& failure) { finish(cancelled, failure); });
}

void SolveController::start(SolveOptions options, bool in_place)
{
    soon_.stop();
    if (solver_.isRunning()) {
        quiet_cancel_ = true;
        solver_.cancel();
    }
    board_.beginRun(in_place);
    solver_.start(document_.project(), std::move(options));
}

void SolveController::solve(std::vector<std::string> planners)
{
    quick_ = false;
    start({std::move(planners), fullBudgetMs}, false);
}

void SolveController::solveQuickly()
{
    quick_ = true;
    start({{}, quickBudgetMs}, true);
}

void SolveController::cancel()
{
    soon_.stop();
    solver_.cancel();
}

void SolveController::setLive(bool live)
{
    if (live == live_)
        return;
    live_ = live;
    emit liveChanged(live);
    if (live && (!board_.shown() || board_.isOutdated()))
        soon_.start();
    if (!live)
        soon_.stop();
}

void SolveController::projectChanged()
{
    if (solver_.isRunning()) {
        quiet_cancel_ = true;
        solver_.cancel();
        if (!live_)
            emit message(tr("The project has changed, so planning was stopped."), false);
    }
    if (live_)
        soon_.start();
}

void SolveController::finish(bool cancelled, const QString& failure)
{
    const bool quiet = quiet_cancel_;
    quiet_cancel_ = false;
    if (!cancelled && failure.isEmpty())
        board_.endRun();
    emit runningChanged(false);
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
