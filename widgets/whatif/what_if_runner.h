// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/study/what_if_effect.h"

#include <QObject>
#include <QThreadPool>

#include <memory>
#include <stop_token>
#include <vector>

namespace nnpiper {

/// Plans the changes of a project off the GUI thread, one after the other. A new run or `cancel` stops the one before,
/// whose rows are dropped by its number. All signals come on this object's thread; `cancel` returns at once.
class WhatIfRunner : public QObject {
    Q_OBJECT
public:
    explicit WhatIfRunner(QObject* parent = nullptr);
    /// Stops and waits for the worker.
    ~WhatIfRunner() override;

    /// `budget_ms` for each plan.
    void start(Project project, double budget_ms);
    void cancel();
    bool isRunning() const { return running_; }

signals:
    void runningChanged(bool running);
    /// The project as it is, and how many changes follow.
    void beforeReady(std::shared_ptr<const nnpiper::PlannedProject> before, int changes);
    void effectReady(std::shared_ptr<const nnpiper::WhatIfEffect> effect);
    void finished();

private:
    template <class F>
    void deliver(int run, F function);
    void setRunning(bool running);

    QThreadPool pool_;
    std::stop_source stop_;
    int run_ = 0;
    bool running_ = false;
};

}  // namespace nnpiper
