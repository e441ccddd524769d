// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/nnpiper/decoder.h"
#include "core/planners/chains/local_search.h"

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>

namespace nnpiper {

/// One problem to learn from.
struct Lesson {
    std::unique_ptr<Problem> problem;
    ChainSetting setting;
    std::unique_ptr<ChainCosts> costs;
    Features features;
    std::optional<ScoredChain> label;   ///< a local search's plan, for imitation
};

/// Lessons of one size (devices and stages), so that they make one batch.
struct LessonBatch {
    std::vector<Lesson> lessons;
};

/// Batch `index` of a run, always the same for the same seed. Most problems ask for 1F1B, one in sixteen for GPipe.
LessonBatch make_batch(std::uint64_t run_seed, std::uint64_t index, bool with_labels);

/// A plan for `lesson` by heuristic orders, split, a fixed number of annealing moves a stage, and boundary shifts: about a
/// hundredth of a second at 16 devices.
ScoredChain improved_plan(const ChainCosts& costs, std::uint64_t seed, long moves_per_stage);

/// Splits each order (indices of the features) as the planner would, quickly; best first. Device indices of the chains are
/// those of the features as well (virtual problems have no locks).
std::vector<ScoredChain> judge(const Lesson& lesson, const std::vector<DecodedOrder>& orders);

/// Share of all work of every stage of a chain.
std::vector<float> work_shares(const Features& features, const Chain& chain);

/// Makes batches ahead in a thread of its own, in order.
class BatchSource {
public:
    BatchSource(std::uint64_t run_seed, std::uint64_t first_index, bool with_labels);
    ~BatchSource();
    LessonBatch next();

private:
    void work(std::stop_token stop);

    std::uint64_t run_seed_;
    std::uint64_t index_;
    bool with_labels_;
    std::mutex mutex_;
    std::condition_variable_any changed_;
    std::deque<LessonBatch> ready_;
    std::exception_ptr failure_;
    std::jthread thread_;
};

}  // namespace nnpiper
