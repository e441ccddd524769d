// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

namespace nnpiper {

namespace {

/// Probability of -t < T < t, where t = tan(angle) sqrt(freedom).
double student_within(double angle, int freedom)
{
    const double cosine = std::cos(angle);
    const bool odd = freedom % 2 == 1;
    double term = odd ? cosine : 1;
    double sum = freedom == 1 ? 0 : term;
    for (int k = odd ? 2 : 1; k <= freedom - 3; k += 2) {
        term *= cosine * cosine * k / (k + 1);
        sum += term;
    }
    return odd ? (angle + std::sin(angle) * sum) * 2 / std::numbers::pi : std::sin(angle) * sum;
}

}  // namespace

double mean_of(const std::vector<double>& values)
{
    if (values.empty())
        return std::numeric_limits<double>::quiet_NaN();
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double percentile(std::vector<double> values, double fraction)
{
    if (values.empty())
        return std::numeric_limits<double>::quiet_NaN();
    std::sort(values.begin(), values.end());
    const double rank = std::clamp(fraction, 0.0, 1.0) * static_cast<double>(values.size() - 1);
    const auto low = static_cast<std::size_t>(rank);
    const auto high = std::min(low + 1, values.size() - 1);
    return values[low] + (rank - static_cast<double>(low)) * (values[high] - values[low]);
}

double student_quantile(double confidence, int freedom)
{
    if (freedom < 1)
        return std::numeric_limits<double>::infinity();
    double low = 0, high = std::numbers::pi / 2;
    for (int i = 0; i < 60; ++i) {
        const double middle = (low + high) / 2;
        (student_within(middle, freedom) < confidence ? low : high) = middle;
    }
    return std::tan(low) * std::sqrt(static_cast<double>(freedom));
}

Interval student_interval(const std::vector<double>& values, double confidence)
{
    Interval interval{mean_of(values), std::numeric_limits<double>::infinity()};
    if (values.size() < 2)
        return interval;
    const double n = static_cast<double>(values.size());
    double squares = 0;
    for (const double value : values)
        squares += (value - interval.mean) * (value - interval.mean);
    interval.half_width =
        student_quantile(confidence, static_cast<int>(values.size()) - 1) * std::sqrt(squares / (n - 1) / n);
    return interval;
}

}  // namespace nnpiper
