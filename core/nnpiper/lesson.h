// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/nnpiper/decoder.h"
#include "core/planners/chains/local_search.h"

#include <memory>

namespace nnpiper {

/// One problem to learn from.
struct Lesson {
    std::unique_ptr<Problem> problem;
    ChainSetting setting;
    std::unique_ptr<ChainCosts> costs;
    Features features;
};

/// Lessons of one size (devices and stages), so that they make one batch. Batch `index` of a run, always the same for the
/// same seed; the smaller the problems the more of them. Most ask for 1F1B, one in sixteen for GPipe.
std::vector<Lesson> make_lessons(std::uint64_t run_seed, std::uint64_t index, int max_devices);

/// A plan by heuristic orders, split, a number of annealing moves a stage, and boundary shifts.
ScoredChain improved_plan(const ChainCosts& costs, std::uint64_t seed, long moves_per_stage);

/// How orders are judged: by the throttle-aware split and the simulator, or by OrderProbe's estimate.
enum class Reward { split, probe };

/// Judges each order (indices of the features), best first; orders that say the same are judged once. Device indices of
/// the chains are those of the features (virtual problems have no locks). OrderProbe leaves the cuts empty.
std::vector<ScoredChain> judge(const Lesson& lesson, const std::vector<std::vector<int>>& orders, Reward reward);

/// Between which loads (SplitSearch::load) the stages of a good plan lie, as logarithms of the share of its highest load: at
/// least those that they have, and below those with one layer more, which it did not give them. [S]
struct LoadBounds {
    std::vector<float> low, high;
};
LoadBounds load_bounds(const ChainCosts& costs, const Chain& chain);

}  // namespace nnpiper
