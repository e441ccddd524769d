// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/calibration/calibrator.h"

#include "core/base/error.h"

namespace nnpiper {

Calibrator::Calibrator(QObject* parent)
    : QObject(parent)
{
    // A cancelled fit may need a moment to see that; the next one does not wait for it.
    pool_.setMaxThreadCount(2);
}

Calibrator::~Calibrator()
{
    stop_.request_stop();
    pool_.waitForDone();
}

/// Runs `function` on this object's thread if `fit` is still the current one. The destructor waits for the workers, so
/// `this` is alive whenever they call.
template <class F>
void Calibrator::deliver(int fit, F function)
{
    QMetaObject::invokeMethod(
        this,
        [this, fit, function = std::move(function)] {
            if (running_ && fit == fit_)
                function();
        },
        Qt::QueuedConnection);
}

void Calibrator::setRunning(bool running)
{
    if (running == running_)
        return;
    running_ = running;
    emit runningChanged(running);
}

void Calibrator::start(std::vector<MeasuredStep> runs, CalibrationQuestion question)
{
    cancel();
    stop_ = std::stop_source();
    const int fit = ++fit_;
    setRunning(true);
    pool_.start([this, fit, runs = std::move(runs), question, stop = stop_.get_token()] {
        const auto report = [this, fit](double fraction, std::string_view) {
            deliver(fit, [this, fraction] { emit progress(fraction); });
        };
        std::shared_ptr<const Calibration> calibration;
        QString failure;
        try {
            calibration =
                std::make_shared<const Calibration>(calibrate(runs, question, {stop, Deadline::never(), report}));
        } catch (const std::exception& error) {
            failure = QString::fromUtf8(error.what());
        }
        deliver(fit, [this, calibration, failure] {
            setRunning(false);
            if (calibration)
                emit fitted(calibration);
            else
                emit failed(failure);
        });
    });
}

void Calibrator::cancel()
{
    stop_.request_stop();
    setRunning(false);
}

}  // namespace nnpiper
