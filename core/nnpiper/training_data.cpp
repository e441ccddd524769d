// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nnpiper/training_data.h"

#include "core/problem/virtual_problem.h"

#include <algorithm>
#include <cmath>

namespace nnpiper {

namespace {
constexpr std::size_t batches_ahead = 4;
constexpr long label_moves_per_stage = 250;
}  // namespace

LessonBatch make_batch(std::uint64_t run_seed, std::uint64_t index, bool with_labels)
{
    Random random(training_seed(run_seed, index));
    VirtualSize size = random_virtual_size(random);
    const int count = std::clamp(2000 / (size.devices * size.stages), 1, 16);
    LessonBatch batch;
    for (int i = 0; i < count; ++i) {
        const auto seed = random.next() & ~std::uint64_t{1};
        if (i > 0)  // other depths on the same number of devices and stages
            size.layers = std::clamp(static_cast<int>(size.stages * random.log_uniform(1.3, 6)), size.stages,
                                     std::max(128, size.stages));
        Lesson lesson;
        lesson.problem = std::make_unique<Problem>(virtual_problem(seed, size));
        lesson.setting = {0, size.stages, lesson.problem->variants.front().micro_batches,
                          random.below(16) == 0 ? ScheduleKind::gpipe : ScheduleKind::one_f_one_b};
        lesson.problem->schedule = lesson.setting.schedule;
        lesson.costs = std::make_unique<ChainCosts>(*lesson.problem, lesson.setting);
        lesson.features = features_of({lesson.problem.get(), 0, lesson.setting.schedule, size.stages, 1, 0});
        if (with_labels)
            lesson.label = improved_plan(*lesson.costs, seed, label_moves_per_stage);
        batch.lessons.push_back(std::move(lesson));
    }
    return batch;
}

ScoredChain improved_plan(const ChainCosts& costs, std::uint64_t seed, long moves_per_stage)
{
    const Control unlimited;
    Random random(seed);
    auto starts = split_orders(costs, heuristic_orders(costs), unlimited, 2);
    ScoredChain best = starts.front();
    const long moves = moves_per_stage * costs.stages();
    for (std::size_t i = 0; i < std::min<std::size_t>(2, starts.size()); ++i) {
        auto found = anneal(costs, starts[i], random, moves, 1e-2, unlimited);
        if (found.score < best.score)
            best = std::move(found);
    }
    best = anneal(costs, best, random, moves, 2e-3, unlimited);
    best.score = shift_boundaries(costs, best.chain, best.score, unlimited);
    return best;
}

std::vector<ScoredChain> judge(const Lesson& lesson, const std::vector<DecodedOrder>& orders)
{
    std::vector<std::vector<int>> distinct;
    for (const auto& order : orders)
        if (std::find(distinct.begin(), distinct.end(), order.devices) == distinct.end())
            distinct.push_back(order.devices);
    return split_orders(*lesson.costs, distinct, Control{}, 1);
}

std::vector<float> work_shares(const Features& features, const Chain& chain)
{
    std::vector<float> shares;
    for (int s = 0; s < chain.stages(); ++s) {
        double work = 0;
        for (int l = chain.first(s); l < chain.end[static_cast<std::size_t>(s)]; ++l)
            work += features.layer_work[static_cast<std::size_t>(l)];
        shares.push_back(static_cast<float>(work));
    }
    return shares;
}

BatchSource::BatchSource(std::uint64_t run_seed, std::uint64_t first_index, bool with_labels)
    : run_seed_(run_seed)
    , index_(first_index)
    , with_labels_(with_labels)
    , thread_([this](std::stop_token stop) { work(stop); })
{
}

BatchSource::~BatchSource()
{
    thread_.request_stop();
    changed_.notify_all();
}

void BatchSource::work(std::stop_token stop)
{
    try {
        while (!stop.stop_requested()) {
            auto batch = make_batch(run_seed_, index_++, with_labels_);
            std::unique_lock lock(mutex_);
            changed_.wait(lock, stop, [&] { return ready_.size() < batches_ahead; });
            ready_.push_back(std::move(batch));
            changed_.notify_all();
        }
    } catch (...) {
        const std::lock_guard lock(mutex_);
        failure_ = std::current_exception();
        changed_.notify_all();
    }
}

LessonBatch BatchSource::next()
{
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !ready_.empty() || failure_; });
    if (ready_.empty())
        std::rethrow_exception(failure_);
    auto batch = std::move(ready_.front());
    ready_.pop_front();
    changed_.notify_all();
    return batch;
}

}  // namespace nnpiper
