// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <functional>
#include <limits>
#include <stop_token>
#include <string_view>

namespace nnpiper {

/// A moment on the steady clock after which work returns its best result so far.
class Deadline {
public:
    using Clock = std::chrono::steady_clock;

    static Deadline never() { return Deadline(Clock::time_point::max()); }
    /// `milliseconds` from now; infinity never passes.
    static Deadline after_ms(double milliseconds)
    {
        if (milliseconds > 1e12)
            return never();
        return Deadline(Clock::now()
                        + std::chrono::duration_cast<Clock::duration>(
                            std::chrono::duration<double, std::milli>(milliseconds)));
    }

    bool passed() const { return at_ != Clock::time_point::max() && Clock::now() >= at_; }
    double remaining_ms() const
    {
        if (at_ == Clock::time_point::max())
            return std::numeric_limits<double>::infinity();
        return std::chrono::duration<double, std::milli>(at_ - Clock::now()).count();
    }

private:
    explicit Deadline(Clock::time_point at) : at_(at) {}
    Clock::time_point at_;
};

/// How long work is steered from outside: cancel, time limit and progress (fraction 0..1 and what is being done).
/// The callback runs on the worker's thread.
struct Control {
    std::stop_token stop;
    Deadline deadline = Deadline::never();
    std::function<void(double fraction, std::string_view what)> progress;

    bool should_stop() const { return stop.stop_requested() || deadline.passed(); }
    void report(double fraction, std::string_view what) const
    {
        if (progress)
            progress(fraction, what);
    }
};

}  // namespace nnpiper
