// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/study/quality.h"
#include "core/study/statistics.h"

#include <string>
#include <vector>

namespace nnpiper {

/// For paired differences and capped means gaps end at 100 %, and that is what a plan that does not fit counts.
inline constexpr double largest_paired_gap = 1;
inline constexpr double paired_confidence = 0.9;

/// One method over one group of problems. Gaps are fractions above the best known makespan, over the problems where the
/// method's plan fits; NaN where there is none.
struct QualityFigures {
    std::string group;
    std::size_t method = 0;
    int problems = 0;  ///< tried, not skipped
    int skipped = 0;
    int unsolved = 0;    ///< of the problems: no plan that fits is known, so nothing is counted
    int infeasible = 0;  ///< although a plan that fits is known
    double mean_gap = 0;
    double median_gap = 0;
    double p95_gap = 0;
    double capped_mean_gap = 0;  ///< over all problems with a known plan, each gap as it counts in paired differences
    double mean_ms = 0;
    double p95_ms = 0;
    int improved = 0;     ///< better than the best known plan
    int pairs = 0;        ///< problems that the compared method did not skip either
    Interval difference;  ///< this method's gap less the compared one's, `paired_confidence`, Student over the pairs

    /// Of the problems where a plan that fits is known.
    double infeasible_rate() const { return infeasible / static_cast<double>(problems - unsolved); }
};

/// "better", "worse", "no clear difference" or, below two pairs, empty.
std::string verdict(const Interval& difference);

/// By group in the order of appearance and method; behind several groups one over all problems ("all").
std::vector<QualityFigures> quality_figures(const std::vector<QualityTrial>& trials,
                                            const std::vector<QualityMethod>& methods);

}  // namespace nnpiper
