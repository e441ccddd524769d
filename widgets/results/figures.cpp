// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/results/figures.h"

#include <QLocale>

#include <algorithm>
#include <array>
#include <cmath>

namespace nnpiper {
namespace {

struct Scale {
    double factor;
    const char16_t* unit;
};

constexpr std::array<Scale, 4> timeScales{{{1, u"s"}, {1e-3, u"ms"}, {1e-6, u"µs"}, {1e-9, u"ns"}}};
constexpr std::array<Scale, 5> byteScales{{{1e12, u"TB"}, {1e9, u"GB"}, {1e6, u"MB"}, {1e3, u"kB"}, {1, u"B"}}};

template <std::size_t N>
const Scale& scaleFor(double value, const std::array<Scale, N>& scales)
{
    for (const Scale& scale : scales)
        if (std::abs(value) >= scale.factor * 0.9995)
            return scale;
    return scales.back();
}

int decimalsForThreeDigits(double value)
{
    const double magnitude = std::abs(value);
    return magnitude >= 99.95 ? 0 : magnitude >= 9.995 ? 1 : 2;
}

template <std::size_t N>
QString scaled(double value, const std::array<Scale, N>& scales, const QLocale& locale)
{
    if (!std::isfinite(value))
        return QStringLiteral("–");
    if (value == 0)
        return QStringLiteral("0 ") + QString::fromUtf16(scales[0].unit);
    const Scale& scale = scaleFor(value, scales);
    const double shown = value / scale.factor;
    QString digits = locale.toString(shown, 'f', decimalsForThreeDigits(shown));
    const QString point = locale.decimalPoint();
    if (digits.contains(point)) {
        while (digits.endsWith(locale.zeroDigit()))
            digits.chop(1);
        if (digits.endsWith(point))
            digits.chop(point.size());
    }
    return digits + QChar(0x00a0) + QString::fromUtf16(scale.unit);
}

}  // namespace

QString formatSeconds(double seconds, const QLocale& locale)
{
    if (std::abs(seconds) >= 999.5) {
        const double minutes = seconds / 60;
        return minutes < 120 ? locale.toString(minutes, 'f', 1) + QStringLiteral("\u00a0min")
                             : locale.toString(minutes / 60, 'f', 1) + QStringLiteral("\u00a0h");
    }
    return scaled(seconds, timeScales, locale);
}

QString formatTimeSpan(double startS, double endS, const QLocale& locale)
{
    const Scale& scale = scaleFor(endS, timeScales);
    const double length = std::max((endS - startS) / scale.factor, 1e-9);
    // Two digits of the length must show, within reason.
    const int decimals = std::clamp(1 - static_cast<int>(std::floor(std::log10(length))), 0, 6);
    return QStringLiteral("%1 → %2\u00a0%3 (%4)")
        .arg(locale.toString(startS / scale.factor, 'f', decimals), locale.toString(endS / scale.factor, 'f', decimals),
             QString::fromUtf16(scale.unit), formatSeconds(endS - startS, locale));
}

QString formatBytes(double bytes, const QLocale& locale)
{
    if (bytes == 0)
        return QStringLiteral("0\u00a0B");
    return scaled(bytes, byteScales, locale);
}

QString formatPercent(double fraction, const QLocale& locale)
{
    return locale.toString(fraction * 100, 'f', 1) + QStringLiteral("\u00a0%");
}

QString formatDifference(double fraction, const QLocale& locale)
{
    const double percent = std::round(fraction * 1000) / 10;
    const QString sign = percent > 0 ? QStringLiteral("+") : percent < 0 ? QStringLiteral("−") : QString();
    return sign + locale.toString(std::abs(percent), 'f', 1) + QStringLiteral("\u00a0%");
}

QString formatRate(double perSecond, const QLocale& locale)
{
    if (!std::isfinite(perSecond))
        return QStringLiteral("–");
    const double magnitude = std::abs(perSecond);
    const int decimals = magnitude >= 999.5 ? 0 : magnitude >= 9.995 ? 1 : magnitude >= 0.9995 ? 2 : 3;
    return locale.toString(perSecond, 'f', decimals);
}

QString formatDuration(double milliseconds, const QLocale& locale)
{
    if (milliseconds < 0.95)
        return milliseconds <= 0.05 ? QStringLiteral("0\u00a0ms")
                                    : locale.toString(milliseconds, 'f', 1) + QStringLiteral("\u00a0ms");
    if (milliseconds < 999.5)
        return locale.toString(milliseconds, 'f', 0) + QStringLiteral("\u00a0ms");
    const double seconds = milliseconds / 1000;
    if (seconds < 9.95)
        return locale.toString(seconds, 'f', 1) + QStringLiteral("\u00a0s");
    if (seconds < 120)
        return locale.toString(seconds, 'f', 0) + QStringLiteral("\u00a0s");
    return locale.toString(seconds / 60, 'f', 0) + QStringLiteral("\u00a0min");
}

}  // namespace nnpiper
