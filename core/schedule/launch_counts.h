// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <vector>

namespace nnpiper {

/// Work of one stage for a micro-batch and, for all but the last, what lies between it and the next, seconds.
struct StageRound {
    double work_s = 0;         ///< forward and backward
    double round_trip_s = 0;   ///< activation there and gradient back over the boundary behind the stage
};

/// Steady period of 1F1B with launch counts L and transfers beside the computation:
/// max( max_s T_s , max_{i<j} [sum_{i..j} T + sum of round trips between] / (L_i - L_j + 1) ). Our finding; exact but for
/// rounding of the pattern (see the tests).
double launch_period_s(std::span<const StageRound> stages, std::span<const int> launch_counts);

/// Least launch counts that hide the delay of every boundary: L_last = 1,
/// L_i = max(L_{i+1} + 1, max_{j>i} ceil(L_j - 1 + (sum_{i..j} T + sum of round trips) / max T)).
/// The choice that heterogeneity-aware 1F1B makes (HAPT, HARP).
std::vector<int> least_launch_counts(std::span<const StageRound> stages);

}  // namespace nnpiper
