// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/solver/solver.h"

#include "core/planners/nn_piper.h"

#include <chrono>

namespace nnpiper {

Solver::Solver(QObject* parent)
    : QObject(parent)
{
    // A cancelled worker may still be opening a library; the next run need not wait for it.
    pool_.setMaxThreadCount(3);
}

Solver::~Solver()
{
    stop_.request_stop();
    pool_.waitForDone();
}

/// Runs `function` on this object's thread if `run` is still the current one. The destructor waits for the workers, so
/// `this` is alive whenever they call.
template <class F>
void Solver::deliver(int run, F function)
{
    QMetaObject::invokeMethod(
        this,
        [this, run, function = std::move(function)] {
            if (running_ && run == run_)
                function();
        },
        Qt::QueuedConnection);
}

int Solver::start(Project snapshot, SolveOptions options)
{
    if (running_)
        cancel();
    stop_ = std::stop_source();
    running_ = true;
    const int run = ++run_;
    emit started(run);

    pool_.start([this, run, snapshot = std::move(snapshot), options = std::move(options), stop = stop_.get_token()] {
        auto reported = std::chrono::steady_clock::time_point();
        SolveReport report;
        report.progress = [this, run, &reported](const std::string& planner, double fraction) {
            const auto now = std::chrono::steady_clock::now();
            if (fraction > 0 && now - reported < std::chrono::milliseconds(40))
                return;
            reported = now;
            deliver(run, [this, run, name = QString::fromStdString(planner), fraction] {
                emit progress(run, name, fraction);
            });
        };
        report.plan = [this, run](std::shared_ptr<const SolvedPlan> plan) {
            deliver(run, [this, run, plan = std::move(plan)] { emit planReady(run, plan); });
        };
        const std::string failure = runPlanners(snapshot, options, stop, report);
        deliver(run, [this, run, failure] {
            running_ = false;
            emit finished(run, false, QString::fromStdString(failure));
        });
    });
    return run;
}

void Solver::warmUp()
{
    pool_.start([] { prepare_nn_piper({}); });
}

void Solver::cancel()
{
    if (!running_)
        return;
    stop_.request_stop();
    running_ = false;
    emit finished(run_, true, {});
}

}  // namespace nnpiper
