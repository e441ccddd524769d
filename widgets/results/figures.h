// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

class QLocale;

namespace nnpiper {

/// Numbers as people read them, three significant digits, in the locale's digits: "41.2 ms", "1.31 s", "12 µs".
QString formatSeconds(double seconds, const QLocale& locale);
/// "0.801 → 0.893 s (92 ms)": both ends in one unit, with as many digits as the length needs.
QString formatTimeSpan(double startS, double endS, const QLocale& locale);
/// Decimal units: "18.4 GB", "640 MB".
QString formatBytes(double bytes, const QLocale& locale);
/// `fraction` 0.218 gives "21.8 %".
QString formatPercent(double fraction, const QLocale& locale);
/// A difference: "+6.4 %", "−12.6 %" (a real minus sign), "0.0 %".
QString formatDifference(double fraction, const QLocale& locale);
/// "139.3", "0.412", "12 400".
QString formatRate(double perSecond, const QLocale& locale);
/// Planning times: "14 ms", "2.1 s", "38 s", "3 min".
QString formatDuration(double milliseconds, const QLocale& locale);

}  // namespace nnpiper
