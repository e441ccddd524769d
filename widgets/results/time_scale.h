// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <vector>

class QLocale;

namespace nnpiper {

/// The visible stretch of time over a stretch of pixels. A value; every change of view is a pure function of it.
struct TimeScale {
    double startS = 0;  ///< time at the left edge
    double spanS = 1;   ///< seconds over the whole width, positive
    double left = 0;    ///< pixel of the left edge
    double width = 1;   ///< pixels, positive

    double toPixel(double timeS) const { return left + (timeS - startS) / spanS * width; }
    double toTime(double pixel) const { return startS + (pixel - left) / width * spanS; }
    double pixelS() const { return spanS / width; }
    double endS() const { return startS + spanS; }

    bool operator==(const TimeScale&) const = default;
};

/// Magnified by `factor` (> 1 shows less time) with the time under `pixel` kept in place.
TimeScale zoomedAt(const TimeScale& scale, double pixel, double factor);
/// Content moved by `pixels` to the right.
TimeScale panned(const TimeScale& scale, double pixels);
/// Times [fromS, toS] with a margin of `margin` of the width on both sides.
TimeScale fitted(const TimeScale& scale, double fromS, double toS, double margin = 0);
/// Never shows more than [0, totalS] plus a tenth, less than a nanosecond a pixel, or nothing of it.
TimeScale bounded(const TimeScale& scale, double totalS);

/// Round tick times within the scale, at least `minimumPixels` apart.
struct TimeTicks {
    double stepS = 1;
    std::vector<double> timesS;
};
TimeTicks timeTicks(const TimeScale& scale, double minimumPixels);
/// All ticks of an axis in one unit: "0.25 s", "250 ms", "1.2 µs", by the largest time shown.
QString timeTickLabel(double timeS, double stepS, double largestS, const QLocale& locale);

}  // namespace nnpiper
