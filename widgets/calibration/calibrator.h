// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/study/calibrate.h"

#include <QObject>
#include <QThreadPool>

#include <memory>
#include <stop_token>
#include <vector>

namespace nnpiper {

/// Fits constants to measured runs off the GUI thread, one fit at a time. A new fit or `cancel` stops the one before,
/// whose answer is dropped by its number. All signals come on this object's thread; `cancel` returns at once.
class Calibrator : public QObject {
    Q_OBJECT
public:
    explicit Calibrator(QObject* parent = nullptr);
    /// Stops and waits for the workers.
    ~Calibrator() override;

    void start(std::vector<MeasuredStep> runs, CalibrationQuestion question);
    void cancel();
    bool isRunning() const { return running_; }

signals:
    void runningChanged(bool running);
    void progress(double fraction);
    void fitted(std::shared_ptr<const nnpiper::Calibration> calibration);
    /// One sentence that says why there is no fit.
    void failed(const QString& sentence);

private:
    template <class F>
    void deliver(int fit, F function);
    void setRunning(bool running);

    QThreadPool pool_;
    std::stop_source stop_;
    int fit_ = 0;
    bool running_ = false;
};

}  // namespace nnpiper
