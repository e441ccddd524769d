// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/schedule/list_scheduler.h"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <functional>
#include <limits>
#include <queue>

namespace nnpiper {

namespace {

std::size_t at(int index)
{
    return static_cast<std::size_t>(index);
}

constexpr double never = std::numeric_limits<double>::infinity();

/// A micro-batch that is, or will be, at a stage.
struct Arrival {
    double time_s = 0;
    int micro_batch = 0;
};

class Scheduler {
public:
    Scheduler(const StageMap& map, int micro_batches, const ListCosts& costs, const ListPolicy& policy)
        : map_(map), micro_batches_(micro_batches), costs_(costs), policy_(policy), split_(!costs.backward_weight_s.empty())
    {
        inputs_.resize(at(map.stages));
        gradients_.resize(at(map.stages));
        weights_.resize(at(map.devices));
        stages_on_.resize(at(map.devices));
        for (int s = map.stages - 1; s >= 0; --s)
            stages_on_[at(map.device(s))].push_back(s);
        held_.assign(at(map.devices), 0);
        launched_.assign(at(map.devices), 0);
        backward_seen_.assign(at(map.devices), false);
        free_s_.assign(at(map.devices), 0);
        order_.resize(at(map.devices));
    }

    OpOrder run()
    {
        for (int m = 0; m < micro_batches_; ++m)
            inputs_[0].push_back({0, m});
        for (int d = 0; d < map_.devices; ++d)
            wake(0, d);
        std::size_t left = at(map_.stages) * at(micro_batches_) * (split_ ? 3 : 2);
        while (!events_.empty()) {
            const auto [time, device] = events_.top();
            events_.pop();
            if (free_s_[at(device)] > time)
                continue;
            if (choose(time, device))
                --left;
        }
        return left == 0 ? std::move(order_) : OpOrder{};
    }

private:
    struct Event {
        double time_s;
        int device;
        bool operator>(const Event& other) const
        {
            return time_s != other.time_s ? time_s > other.time_s : device > other.device;
        }
    };

    void wake(double time, int device) { events_.push({time, device}); }

    /// The deepest stage of the device whose queue has something by `time`, or -1; `next` becomes the least later arrival.
    int ready_stage(const std::vector<std::deque<Arrival>>& queues, int device, double time, bool room_for_last,
                    bool room_for_others, double& next) const
    {
        const auto& stages = stages_on_[at(device)];
        for (std::size_t i = 0; i < stages.size(); ++i) {
            const auto& queue = queues[at(stages[i])];
            if (queue.empty() || !(i == 0 ? room_for_last : room_for_others))
                continue;
            if (queue.front().time_s <= time)
                return stages[i];
            next = std::min(next, queue.front().time_s);
        }
        return -1;
    }

    /// The stage of the oldest micro-batch whose gradient is there by `time`, or -1; among equals the deepest.
    int oldest_gradient(int device, double time, double& next) const
    {
        int best = -1;
        for (const int stage : stages_on_[at(device)]) {
            const auto& queue = gradients_[at(stage)];
            if (queue.empty())
                continue;
            if (queue.front().time_s > time)
                next = std::min(next, queue.front().time_s);
            else if (best < 0 || queue.front().micro_batch < gradients_[at(best)].front().micro_batch)
                best = stage;
        }
        return best;
    }

    bool choose(double time, int device)
    {
        double next = never;
        const int room = policy_.held[at(device)] - held_[at(device)];
        const bool warm = backward_seen_[at(device)] || launched_[at(device)] < policy_.warm_up[at(device)];
        // A stage that is not the device's deepest leaves room for the deeper ones, or they could never run.
        const int deeper = static_cast<int>(stages_on_[at(device)].size()) - 1;
        const int forward = ready_stage(inputs_, device, time, warm && room > 0, warm && room > deeper, next);
        const int backward = oldest_gradient(device, time, next);
        if (forward >= 0 && (backward < 0 || policy_.forward_first)) {
            run_forward(time, device, forward);
            return true;
        }
        if (backward >= 0) {
            run_backward(time, device, backward);
            return true;
        }
        if (!weights_[at(device)].empty()) {
            const double length = costs_.backward_weight_s[at(weights_[at(device)].front().stage)];
            if (next - time >= policy_.patience[at(device)] * length) {
                run_weight(time, device, length);
                return true;
            }
        }
        if (next < never)
            wake(next, device);
        return false;
    }

    void occupy(int device, double end)
    {
        free_s_[at(device)] = end;
        wake(end, device);
    }

    void deliver(std::vector<std::deque<Arrival>>& queues, int stage, double time, int micro_batch)
    {
        queues[at(stage)].push_back({time, micro_batch});
        wake(std::max(time, free_s_[at(map_.device(stage))]), map_.device(stage));
    }

    void run_forward(double time, int device, int stage)
    {
        const int m = inputs_[at(stage)].front().micro_batch;
        inputs_[at(stage)].pop_front();
        order_[at(device)].push_back({OpKind::forward, stage, m, false});
        ++held_[at(device)];
        ++launched_[at(device)];
        const double end = time + costs_.forward_s[at(stage)];
        occupy(device, end);
        if (map_.last(stage))
            deliver(gradients_, stage, end, m);
        else
            deliver(inputs_, stage + 1, end + delay(costs_.forward_delay_s, stage), m);
    }

    void run_backward(double time, int device, int stage)
    {
        const int m = gradients_[at(stage)].front().micro_batch;
        gradients_[at(stage)].pop_front();
        order_[at(device)].push_back({split_ ? OpKind::backward_input : OpKind::backward, stage, m, false});
        backward_seen_[at(device)] = true;
        if (split_)
            weights_[at(device)].push_back({OpKind::backward_weight, stage, m, false});
        else
            --held_[at(device)];
        const double end = time + costs_.backward_input_s[at(stage)];
        occupy(device, end);
        if (stage > 0)
            deliver(gradients_, stage - 1, end + delay(costs_.backward_delay_s, stage - 1), m);
    }

    void run_weight(double time, int device, double length)
    {
        order_[at(device)].push_back(weights_[at(device)].front());
        weights_[at(device)].pop_front();
        --held_[at(device)];
        occupy(device, time + length);
    }

    double delay(const std::vector<double>& delays, int boundary) const
    {
        return map_.crosses(boundary) ? delays[at(boundary)] : 0;
    }

    const StageMap& map_;
    const int micro_batches_;
    const ListCosts& costs_;
    const ListPolicy& policy_;
    const bool split_;
    std::vector<std::deque<Arrival>> inputs_, gradients_;  ///< [stage]
    std::vector<std::deque<Op>> weights_;                  ///< [device]
    std::vector<std::vector<int>> stages_on_;              ///< [device] deepest first
    std::vector<int> held_, launched_;                     ///< [device]
    std::vector<char> backward_seen_;
    std::vector<double> free_s_;
    std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
    OpOrder order_;
};

}  // namespace

OpOrder list_schedule(const StageMap& map, int micro_batches, const ListCosts& costs, const ListPolicy& policy)
{
    return Scheduler(map, micro_batches, costs, policy).run();
}

}  // namespace nnpiper
