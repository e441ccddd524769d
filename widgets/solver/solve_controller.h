// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/solver/plan_board.h"
#include "widgets/solver/solver.h"

#include <QObject>
#include <QTimer>

namespace nnpiper {

/// Decides when to plan: on demand with all planners, or, while live, at every edit that matters: at once with the
/// neural planner and little time, and, when no edit has come for a while, with all planners and the full time. While
/// edits follow each other one quick run is on its way at most; its answer is shown as outdated and the next run, on
/// the newest project, begins. Elsewhere an edit stops the run before it, whose answers are dropped.
class SolveController : public QObject {
    Q_OBJECT
public:
    SolveController(ProjectDocument& document, PlanBoard& board, QObject* parent = nullptr);

    /// All planners, or those named.
    void solve(std::vector<std::string> planners = {});
    void cancel();
    bool isRunning() const { return solver_.isRunning(); }
    bool isLive() const { return live_; }
    void setLive(bool live);
    Solver& solver() { return solver_; }

signals:
    void runningChanged(bool running);
    void progress(const QString& planner, double fraction);
    /// One sentence on how the last run ended.
    void message(const QString& text, bool is_error);
    void liveChanged(bool live);

private:
    void projectChanged();
    void dropRun();
    void solveQuickly();
    void receive(const PlanBoard::Shared& plan);
    void start(SolveOptions options, bool in_place);
    void finish(bool cancelled, const QString& failure);

    ProjectDocument& document_;
    PlanBoard& board_;
    Solver solver_;
    QTimer soon_;  ///< joins the edits of one turn of the event loop
    QTimer rest_;  ///< the hand rests
    std::string quick_planner_;
    bool live_ = false;
    bool quick_ = false;
    bool overtaken_ = false;  ///< the project has changed since the quick run began
    bool quiet_cancel_ = false;
};

}  // namespace nnpiper
