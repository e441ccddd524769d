// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/whatif/what_if_runner.h"

namespace nnpiper {

WhatIfRunner::WhatIfRunner(QObject* parent)
    : QObject(parent)
{
    // A cancelled run may need a moment to see that; the next one does not wait for it.
    pool_.setMaxThreadCount(2);
}

WhatIfRunner::~WhatIfRunner()
{
    stop_.request_stop();
    pool_.waitForDone();
}

/// Runs `function` on this object's thread if `run` is still the current one. The destructor waits for the workers, so
/// `this` is alive whenever they call.
template <class F>
void WhatIfRunner::deliver(int run, F function)
{
    QMetaObject::invokeMethod(
        this,
        [this, run, function = std::move(function)] {
            if (running_ && run == run_)
                function();
        },
        Qt::QueuedConnection);
}

void WhatIfRunner::setRunning(bool running)
{
    if (running == running_)
        return;
    running_ = running;
    emit runningChanged(running);
}

void WhatIfRunner::start(Project project, double budget_ms)
{
    cancel();
    stop_ = std::stop_source();
    const int run = ++run_;
    setRunning(true);
    pool_.start([this, run, project = std::move(project), budget_ms, stop = stop_.get_token()] {
        PlanRequest request;
        request.budget_ms = budget_ms;
        const Control control{stop, Deadline::never(), {}};
        std::vector<WhatIf> changes = what_ifs(project);
        const auto before = std::make_shared<const PlannedProject>(plan_project(project, request, control));
        deliver(run, [this, before, count = static_cast<int>(changes.size())] { emit beforeReady(before, count); });
        for (WhatIf& change : changes) {
            if (stop.stop_requested())
                return;
            auto effect = std::make_shared<const WhatIfEffect>(effect_of(std::move(change), *before, request, control));
            deliver(run, [this, effect] { emit effectReady(effect); });
        }
        deliver(run, [this] {
            setRunning(false);
            emit finished();
        });
    });
}

void WhatIfRunner::cancel()
{
    stop_.request_stop();
    setRunning(false);
}

}  // namespace nnpiper
