// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/solver/plan_board.h"
#include "widgets/solver/solver.h"

#include <QObject>
#include <QTimer>

namespace nnpiper {

/// Decides when to plan: on demand with all planners, or, while live, after every edit that matters, first quickly with
/// the neural planner and then with the others. An edit stops the run of the project before it, whose answers are
/// dropped; the shown plan stays and counts as outdated.
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
    void solveQuickly();
    void start(SolveOptions options, bool in_place);
    void finish(bool cancelled, const QString& failure);

    ProjectDocument& document_;
    PlanBoard& board_;
    Solver solver_;
    QTimer soon_;
    bool live_ = false;
    bool quick_ = false;
    bool quiet_cancel_ = false;
};

}  // namespace nnpiper
