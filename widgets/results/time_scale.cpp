// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/results/time_scale.h"

#include <QLocale>

#include <algorithm>
#include <array>
#include <cmath>

namespace nnpiper {

TimeScale zoomedAt(const TimeScale& scale, double pixel, double factor)
{
    TimeScale result = scale;
    const double fixedS = scale.toTime(pixel);
    result.spanS = scale.spanS / factor;
    result.startS = fixedS - (pixel - scale.left) / scale.width * result.spanS;
    return result;
}

TimeScale panned(const TimeScale& scale, double pixels)
{
    TimeScale result = scale;
    result.startS -= pixels * scale.pixelS();
    return result;
}

TimeScale fitted(const TimeScale& scale, double fromS, double toS, double margin)
{
    TimeScale result = scale;
    const double length = std::max(toS - fromS, 1e-12);
    result.spanS = length / (1 - 2 * std::clamp(margin, 0.0, 0.45));
    result.startS = fromS - (result.spanS - length) / 2;
    return result;
}

TimeScale bounded(const TimeScale& scale, double totalS)
{
    TimeScale result = scale;
    const double center = scale.startS + scale.spanS / 2;
    const double widest = std::max(totalS, 1e-12) * 1.1;
    result.spanS = std::clamp(scale.spanS, std::min(widest, 1e-9 * scale.width), widest);
    result.startS = result.spanS == scale.spanS ? scale.startS : center - result.spanS / 2;
    // A tenth of the view may lie beyond either end, so that the last bar is never glued to the edge.
    const double slack = result.spanS * 0.1;
    const double lowest = -slack;
    const double highest = totalS + slack - result.spanS;
    result.startS = highest < lowest ? (lowest + highest) / 2 : std::clamp(result.startS, lowest, highest);
    return result;
}

TimeTicks timeTicks(const TimeScale& scale, double minimumPixels)
{
    const double wanted = minimumPixels * scale.pixelS();
    const double magnitude = std::pow(10.0, std::floor(std::log10(wanted)));
    double step = 10 * magnitude;
    for (const double mantissa : {1.0, 2.0, 2.5, 5.0})
        if (mantissa * magnitude >= wanted * (1 - 1e-9)) {
            step = mantissa * magnitude;
            break;
        }
    TimeTicks ticks;
    ticks.stepS = step;
    const double first = std::ceil(scale.startS / step - 1e-9);
    for (double i = first; i * step <= scale.endS() + step * 1e-9; ++i)
        ticks.timesS.push_back(i * step);
    return ticks;
}

QString timeTickLabel(double timeS, double stepS, double largestS, const QLocale& locale)
{
    struct Unit {
        double factor;
        const char16_t* name;
    };
    static constexpr std::array<Unit, 4> units{{{1, u"s"}, {1e-3, u"ms"}, {1e-6, u"µs"}, {1e-9, u"ns"}}};
    const Unit* unit = &units.back();
    for (const Unit& candidate : units)
        if (largestS >= candidate.factor) {
            unit = &candidate;
            break;
        }
    const double step = stepS / unit->factor;
    int decimals = std::clamp(-static_cast<int>(std::floor(std::log10(step) + 1e-9)), 0, 9);
    // A step of 2.5 needs one digit more than a step of 2.
    const double scaledStep = step * std::pow(10.0, decimals);
    if (std::abs(scaledStep - std::round(scaledStep)) > 1e-6)
        ++decimals;
    const double shown = timeS / unit->factor;
    return locale.toString(std::abs(shown) < step * 1e-6 ? 0.0 : shown, 'f', decimals) + QChar(0x00a0)
           + QString::fromUtf16(unit->name);
}

}  // namespace nnpiper
