// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/control.h"
#include "core/problem/problem.h"
#include "core/study/quality_methods.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace nnpiper {

/// A problem with what its plans are measured by.
struct QualityInstance {
    std::string name;
    std::string group;
    Problem problem;
    std::optional<double> best_known_s;  ///< makespan; empty: the best of all methods and of a longer local search
    bool proved = false;                 ///< no plan is better than the best known
};

/// One method on one problem. Seconds are makespans.
struct QualityTrial {
    std::string problem;
    std::string group;
    std::size_t method = 0;
    std::string status;  ///< the plan's
    std::string reason;
    bool feasible = false;
    double makespan_s = 0;  ///< where feasible
    double best_s = 0;      ///< 0: no plan that fits is known
    bool known = false;     ///< `best_s` was known before
    bool proved = false;
    double planning_ms = 0;

    /// Fraction above the best; negative for a better plan than was known.
    double gap() const { return makespan_s / best_s - 1; }
    bool improved() const { return feasible && known && makespan_s < best_s * (1 - 1e-9); }
};

/// All methods on one problem; none when cut short by `control`. `reference_ms` is the time of the local search that
/// takes part where no best plan is known; 0: none.
std::vector<QualityTrial> measure_quality(const QualityInstance& instance, const std::vector<QualityMethod>& methods,
                                          double reference_ms, const Control& control);

/// Makes `count` instances one by one and measures them. Opens the network before the first. Stops early with what is
/// there when `control` says so; reports progress with the group.
std::vector<QualityTrial> measure_quality(std::size_t count,
                                          const std::function<QualityInstance(std::size_t)>& instance,
                                          const std::vector<QualityMethod>& methods, double reference_ms,
                                          const Control& control);

}  // namespace nnpiper
