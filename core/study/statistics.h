// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

namespace nnpiper {

/// NaN for no values.
double mean_of(const std::vector<double>& values);

/// The value that `fraction` of all lie below, on a line between neighbours: rank 1 + fraction (n - 1), the seventh
/// definition of Hyndman and Fan (1996). NaN for no values.
double percentile(std::vector<double> values, double fraction);

/// t such that a Student variable of so many degrees of freedom lies within -t and t with probability `confidence`
/// (0 < confidence < 1). By the finite sums for whole degrees of freedom (Abramowitz and Stegun 26.7.3 and 26.7.4).
/// Infinite without freedom.
double student_quantile(double confidence, int freedom);

/// Mean and half the width of its confidence interval.
struct Interval {
    double mean = 0;        ///< NaN without values
    double half_width = 0;  ///< infinite below two values

    bool below_zero() const { return mean + half_width < 0; }
    bool above_zero() const { return mean - half_width > 0; }
};

/// Student's interval: half width t s / sqrt(n).
Interval student_interval(const std::vector<double>& values, double confidence);

}  // namespace nnpiper
