// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/nnpiper/torch_network.h"
#include "core/planners/order_network.h"

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace nnpiper {

/// One batch of lessons with N judged orders of each, ready to learn from. Tensors lie on the CPU.
struct Rollout {
    FeatureBatch features;
    OrderBatch orders;           ///< of each lesson the best known first, then worse ones evenly spaced by rank
    torch::Tensor ratio;         ///< [B][N] makespan over the best one's, 1 for orders as good as the first
    torch::Tensor load_bounds;   ///< [B][2][S] low and high of the best one's plan
    bool imitation = false;
    int instances = 0;
    int samples = 0;
    double greedy_gap = 0;       ///< mean log of the greedy order's makespan over the best known
    double best_gap = 0;         ///< the same of the best order that the network drew
};

/// How lessons become rollouts.
struct RolloutSettings {
    std::uint64_t seed = 1;
    TrainRequest::Reward reward = TrainRequest::Reward::split;
    bool search_anchor = true;   ///< improve the best order drawn by a short search
    int samples = 24;            ///< drawn a lesson, the greedy one among them
    int compared = 7;            ///< N
    int max_devices = 64;
    std::int64_t imitation_steps = 0;
};

/// Learns and draws side by side: threads make the rollouts of steps to come with weights that are one to two blocks of
/// steps old. Which weights a step's rollout is drawn with depends on its number alone, so that a run can be repeated
/// and resumed exactly.
class RolloutSource {
public:
    static constexpr std::int64_t block = 64;  ///< steps

    RolloutSource(const NetworkShape& shape, const RolloutSettings& settings, std::int64_t first_step, int threads);
    ~RolloutSource();

    /// The weights (flat) that rollouts of steps [number * block, (number + 1) * block) are drawn with.
    void publish(std::int64_t number, const torch::Tensor& weights);
    /// The rollout of the step; steps are asked for in order. Rethrows what went wrong in a thread.
    Rollout next(std::int64_t step);

private:
    void work(std::stop_token stop);
    Rollout make(std::int64_t step, const TorchNetwork& network, const Decoder& decoder) const;

    NetworkShape shape_;
    RolloutSettings settings_;
    std::mutex mutex_;
    std::condition_variable_any changed_;
    std::int64_t next_step_;
    std::map<std::int64_t, std::shared_ptr<const TorchNetwork>> published_;
    std::map<std::int64_t, Rollout> ready_;
    std::exception_ptr failure_;
    std::vector<std::jthread> threads_;
};

/// Given orders of every lesson (the same number each) as tensors; `lessons` agree in devices and stages.
OrderBatch pack_orders(const std::vector<const Features*>& lessons, const std::vector<std::vector<std::vector<int>>>& orders);

}  // namespace nnpiper
