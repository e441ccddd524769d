// SPDX-License-Identifier: GPL-3.0-or-later
// The detailed engine: an op list per stage, run strictly in order, with every message kept.
#include "core/simulator/simulate.h"

#include "core/base/error.h"
#include "core/schedule/schedule.h"

#include <algorithm>
#include <cstddef>

namespace nnpiper {

namespace {

std::size_t at(int index)
{
    return static_cast<std::size_t>(index);
}

class Engine {
public:
    Engine(const Pipeline& pipeline, const OpOrder& order)
        : pipeline_(pipeline), order_(order), stages_(pipeline.stages()), micro_batches_(pipeline.micro_batches)
    {
        const std::size_t cells = at(stages_) * at(micro_batches_);
        input_.assign(cells, no_message);
        gradient_.assign(cells, no_message);
        forward_channel_.assign(at(std::max(0, stages_ - 1)), 0);
        backward_channel_ = forward_channel_;
    }

    Timeline run()
    {
        Timeline& t = timeline_;
        t.stages = stages_;
        t.micro_batches = micro_batches_;
        t.first_op.push_back(0);
        for (const auto& ops : order_)
            t.first_op.push_back(t.first_op.back() + static_cast<int>(ops.size()));
        t.ops.resize(at(t.first_op.back()));
        t.transfers.reserve(2 * at(micro_batches_) * forward_channel_.size());

        // A stage runs until it must wait; a message that arrives for a waiting stage puts it back on the list.
        next_.assign(at(stages_), 0);
        std::vector<int> ready;
        std::vector<char> listed(at(stages_), 1);
        for (int s = stages_ - 1; s >= 0; --s)
            ready.push_back(s);
        while (!ready.empty()) {
            const int s = ready.back();
            ready.pop_back();
            listed[at(s)] = 0;
            const auto& ops = order_[at(s)];
            while (next_[at(s)] < ops.size() && run_op(s, ops[next_[at(s)]])) {
                ++next_[at(s)];
            }
            for (const int neighbour : {s - 1, s + 1}) {
                if (neighbour >= 0 && neighbour < stages_ && !listed[at(neighbour)] && can_run(neighbour)) {
                    listed[at(neighbour)] = 1;
                    ready.push_back(neighbour);
                }
            }
        }
        finish();
        return std::move(timeline_);
    }

private:
    static constexpr int no_message = -1;

    std::size_t cell(int stage, int micro_batch) const { return at(stage) * at(micro_batches_) + at(micro_batch); }

    /// Index of the message that the op needs, no_message when it needs none, -2 when it has not been sent yet.
    int needed_message(int s, const Op& op) const
    {
        if (op.kind == OpKind::backward_weight)
            return no_message;
        const bool forward = op.kind == OpKind::forward;
        if (forward ? s == 0 : s == stages_ - 1)
            return no_message;
        const int message = (forward ? input_ : gradient_)[cell(s, op.micro_batch)];
        return message == no_message ? -2 : message;
    }

    bool can_run(int s) const
    {
        const auto& ops = order_[at(s)];
        return next_[at(s)] < ops.size() && needed_message(s, ops[next_[at(s)]]) != -2;
    }

    bool run_op(int s, const Op& op)
    {
        const int message = needed_message(s, op);
        if (message == -2)
            return false;
        const int index = timeline_.first_op[at(s)] + static_cast<int>(next_[at(s)]);
        TimelineOp& done = timeline_.ops[at(index)];
        done = {op.kind, s, op.micro_batch, 0, 0, TimelineOp::Waited::nothing, -1};
        if (next_[at(s)] > 0) {
            done.start_s = timeline_.ops[at(index - 1)].end_s;
            done.waited = TimelineOp::Waited::device;
            done.waited_for = index - 1;
        }
        if (message >= 0 && timeline_.transfers[at(message)].arrive_s > done.start_s) {
            done.start_s = timeline_.transfers[at(message)].arrive_s;
            done.waited = TimelineOp::Waited::transfer;
            done.waited_for = message;
        }
        done.end_s = done.start_s + duration(s, op.kind);
        if (op.kind == OpKind::forward && s + 1 < stages_)
            send(false, s, index);
        if ((op.kind == OpKind::backward || op.kind == OpKind::backward_input) && s > 0)
            send(true, s - 1, index);
        return true;
    }

    double duration(int s, OpKind kind) const
    {
        switch (kind) {
        case OpKind::forward: return pipeline_.forward_s[at(s)];
        case OpKind::backward: return pipeline_.backward_s(s);
        case OpKind::backward_input: return pipeline_.backward_input_s[at(s)];
        case OpKind::backward_weight: return pipeline_.backward_weight_s[at(s)];
        }
        return 0;
    }

    void send(bool backward, int boundary, int producer)
    {
        const TimelineOp& op = timeline_.ops[at(producer)];
        double& channel = (backward ? backward_channel_ : forward_channel_)[at(boundary)];
        TimelineTransfer transfer;
        transfer.backward = backward;
        transfer.boundary = boundary;
        transfer.micro_batch = op.micro_batch;
        transfer.producer = producer;
        transfer.waited_for_channel = channel > op.end_s;
        transfer.start_s = std::max(channel, op.end_s);
        transfer.sent_s = transfer.start_s
                          + (backward ? pipeline_.backward_occupancy_s : pipeline_.forward_occupancy_s)[at(boundary)];
        transfer.arrive_s =
            transfer.sent_s + (backward ? pipeline_.backward_latency_s : pipeline_.forward_latency_s)[at(boundary)];
        channel = transfer.sent_s;
        (backward ? gradient_ : input_)[cell(backward ? boundary : boundary + 1, op.micro_batch)] =
            static_cast<int>(timeline_.transfers.size());
        timeline_.transfers.push_back(transfer);
    }

    void finish()
    {
        Timeline& t = timeline_;
        double first = 0, last = 0, busy = 0, step = 0;
        const std::vector<int> peaks = peak_in_flight(order_);
        bool any = false;
        for (int s = 0; s < stages_; ++s) {
            const int begin = t.first_op[at(s)];
            const int end = t.first_op[at(s) + 1];
            StageMetrics metrics;
            metrics.peak_in_flight = peaks[at(s)];
            for (int i = begin; i < end; ++i)
                metrics.busy_s += t.ops[at(i)].end_s - t.ops[at(i)].start_s;
            if (end > begin) {
                metrics.span_s = t.ops[at(end - 1)].end_s - t.ops[at(begin)].start_s;
                first = any ? std::min(first, t.ops[at(begin)].start_s) : t.ops[at(begin)].start_s;
                last = std::max(last, t.ops[at(end - 1)].end_s);
                any = true;
            }
            busy += metrics.busy_s;
            t.max_span_s = std::max(t.max_span_s, metrics.span_s);
            if (at(s) < pipeline_.optimizer_s.size())
                step = std::max(step, pipeline_.optimizer_s[at(s)] + pipeline_.all_reduce_s[at(s)]);
            t.metrics.push_back(metrics);
        }
        t.makespan_s = last - first;
        for (StageMetrics& metrics : t.metrics)
            metrics.idle_s = t.makespan_s - metrics.busy_s;
        t.bubble_fraction = t.makespan_s > 0 ? 1 - busy / (t.makespan_s * stages_) : 0;
        t.iteration_s = t.makespan_s + step + pipeline_.fixed_step_s;
        t.throughput_samples_per_s = t.iteration_s > 0 ? pipeline_.samples / t.iteration_s : 0;
    }

    const Pipeline& pipeline_;
    const OpOrder& order_;
    const int stages_;
    const int micro_batches_;
    std::vector<int> input_;      ///< message index by [stage][micro-batch]
    std::vector<int> gradient_;
    std::vector<double> forward_channel_;
    std::vector<double> backward_channel_;
    std::vector<std::size_t> next_;
    Timeline timeline_;
};

}  // namespace

Timeline run(const Pipeline& pipeline, const OpOrder& order)
{
    if (static_cast<int>(order.size()) != pipeline.stages())
        throw Error("order", "it has " + std::to_string(order.size()) + " lists",
                    "one a stage, " + std::to_string(pipeline.stages()));
    if (const auto faults = check(order, pipeline.micro_batches); !faults.empty())
        throw Error("order", faults.front());
    return Engine(pipeline, order).run();
}

std::vector<CriticalStep> critical_path(const Timeline& timeline)
{
    int op = -1;
    for (int i = 0; i < static_cast<int>(timeline.ops.size()); ++i) {
        if (op < 0 || timeline.ops[at(i)].end_s > timeline.ops[at(op)].end_s)
            op = i;
    }
    std::vector<CriticalStep> path;
    while (op >= 0) {
        path.push_back({false, op});
        const TimelineOp& current = timeline.ops[at(op)];
        if (current.waited == TimelineOp::Waited::nothing)
            break;
        if (current.waited == TimelineOp::Waited::device) {
            op = current.waited_for;
            continue;
        }
        // A message held up by its channel waited for the one before it over the same boundary and direction.
        int message = current.waited_for;
        path.push_back({true, message});
        while (timeline.transfers[at(message)].waited_for_channel) {
            const TimelineTransfer& held = timeline.transfers[at(message)];
            int before = message - 1;
            while (timeline.transfers[at(before)].boundary != held.boundary
                   || timeline.transfers[at(before)].backward != held.backward)
                --before;
            message = before;
            path.push_back({true, message});
        }
        op = timeline.transfers[at(message)].producer;
    }
    std::reverse(path.begin(), path.end());
    return path;
}

}  // namespace nnpiper
