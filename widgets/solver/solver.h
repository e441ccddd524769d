// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/solver/solve_run.h"

#include <QObject>
#include <QThreadPool>

#include <stop_token>

namespace nnpiper {

/// Runs planners off the GUI thread, one run at a time. A new run or `cancel` stops the one before; whatever that still
/// delivers is dropped by its number. All signals come on this object's thread; none of an older run comes after
/// `cancel`, which returns at once.
class Solver : public QObject {
    Q_OBJECT
public:
    explicit Solver(QObject* parent = nullptr);
    /// Stops and waits for the workers.
    ~Solver() override;

    /// Returns the number of the run.
    int start(Project snapshot, SolveOptions options);
    void cancel();
    /// Loads what the neural planner needs, so that the first run does not wait for it.
    void warmUp();
    bool isRunning() const { return running_; }
    int currentRun() const { return run_; }

signals:
    void started(int run);
    void progress(int run, const QString& planner, double fraction);
    void planReady(int run, std::shared_ptr<const nnpiper::SolvedPlan> plan);
    /// `failure` is empty, or says why nothing could be planned.
    void finished(int run, bool cancelled, const QString& failure);

private:
    template <class F>
    void deliver(int run, F function);

    QThreadPool pool_;
    std::stop_source stop_;
    int run_ = 0;
    bool running_ = false;
};

}  // namespace nnpiper
