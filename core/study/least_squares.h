// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <limits>
#include <span>
#include <vector>

namespace nnpiper {

/// A constant that is being fitted: `start` is its first guess, `scale` the step that matters (seconds for a cost, 1
/// for a factor), `most` the largest value allowed. A factor stays positive and is searched by its logarithm; a cost
/// stays at or above zero.
struct Unknown {
    double start = 1;
    bool factor = true;
    double scale = 1;
    double most = std::numeric_limits<double>::infinity();
};

/// The unknowns that make the sum of squared residuals least, by Levenberg's and Marquardt's damped Gauss-Newton steps
/// (Marquardt 1963) with numeric derivatives. `residuals` gives the same number of values for any unknowns; where it
/// gives NaN or infinity the step is refused. `pull` is the weight of a term that draws every unknown towards its
/// start: it decides only what the residuals leave open. Returns `start` when nothing improves on it.
std::vector<double> least_squares(const std::vector<Unknown>& unknowns,
                                  const std::function<std::vector<double>(std::span<const double>)>& residuals,
                                  double pull = 1e-4);

}  // namespace nnpiper
