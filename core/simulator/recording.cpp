// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/simulator/recording.h"

#include <algorithm>
#include <cstddef>

namespace nnpiper {

namespace {

std::size_t at(int index)
{
    return static_cast<std::size_t>(index);
}

}  // namespace

Recording::Recording(const Pipeline& pipeline, const OpOrder& order)
    : pipeline_(pipeline), order_(order), next_(order.size(), 0),
      message_(2 * at(pipeline.stages()) * at(pipeline.micro_batches), unsent), last_in_channel_(at(channels()), -1)
{
    timeline_.map = pipeline.map;
    timeline_.micro_batches = pipeline.micro_batches;
    timeline_.first_op.push_back(0);
    for (const auto& ops : order)
        timeline_.first_op.push_back(timeline_.first_op.back() + static_cast<int>(ops.size()));
    timeline_.ops.resize(at(timeline_.first_op.back()));
    int crossing = 0;
    for (int b = 0; b + 1 < pipeline.stages(); ++b)
        crossing += pipeline.map.crosses(b);
    timeline_.transfers.reserve(2 * at(pipeline.micro_batches) * at(crossing) / at(pipeline.map.chains));
}

const Op* Recording::next_op(int device) const
{
    const auto& ops = order_[at(device)];
    return next_[at(device)] < ops.size() ? &ops[next_[at(device)]] : nullptr;
}

bool Recording::next_is_pair(int device) const
{
    const Op* op = next_op(device);
    return op && op->paired;
}

std::size_t Recording::cell(bool backward, int stage, int micro_batch) const
{
    return (at(stage) * 2 + (backward ? 1 : 0)) * at(pipeline_.micro_batches) + at(micro_batch);
}

int Recording::needed(const Op& op) const
{
    const StageMap& map = pipeline_.map;
    if (op.kind == OpKind::backward_weight)
        return none;
    const bool forward = op.kind == OpKind::forward;
    if (forward && map.first(op.stage)) {
        const bool returns = pipeline_.decode_groups > 0 && op.micro_batch >= pipeline_.decode_groups;
        return returns ? message_[cell(false, op.stage, op.micro_batch)] : none;
    }
    if (!forward && map.last(op.stage))
        return none;
    if (!map.crosses(forward ? op.stage - 1 : op.stage))
        return none;
    return message_[cell(!forward, op.stage, op.micro_batch)];
}

double Recording::duration(const Op& op) const
{
    switch (op.kind) {
    case OpKind::forward: return pipeline_.forward_s[at(op.stage)];
    case OpKind::backward: return pipeline_.backward_s(op.stage);
    case OpKind::backward_input: return pipeline_.backward_input_s[at(op.stage)];
    case OpKind::backward_weight: return pipeline_.backward_weight_s[at(op.stage)];
    }
    return 0;
}

double Recording::pair_duration(const Op& a, const Op& b) const
{
    return pipeline_.pair_scale * (duration(a) + duration(b));
}

/// Start of an op and what held it.
void Recording::time(TimelineOp& op, int index, double free_s, int sender, bool first) const
{
    op.start_s = free_s;
    op.waited = first ? TimelineOp::Waited::nothing : TimelineOp::Waited::device;
    op.waited_for = first ? -1 : index - 1;
    if (sender >= 0) {
        op.waited = TimelineOp::Waited::sending;
        op.waited_for = sender;
    }
}

int Recording::write(int device, double free_s, int sender)
{
    const auto& ops = order_[at(device)];
    const std::size_t position = next_[at(device)];
    const bool pair = ops[position].paired;
    const int index = timeline_.first_op[at(device)] + static_cast<int>(position);
    TimelineOp timed;
    time(timed, index, free_s, sender, position == 0);
    for (std::size_t i = position; i <= position + (pair ? 1 : 0); ++i) {
        const int message = needed(ops[i]);
        if (message >= 0 && timeline_.transfers[at(message)].arrive_s > timed.start_s) {
            timed.start_s = timeline_.transfers[at(message)].arrive_s;
            timed.waited = TimelineOp::Waited::transfer;
            timed.waited_for = message;
        }
    }
    timed.end_s = timed.start_s + (pair ? pair_duration(ops[position], ops[position + 1]) : duration(ops[position]));
    timed.overlapped = pair;
    for (std::size_t i = position; i <= position + (pair ? 1 : 0); ++i) {
        TimelineOp& op = timeline_.ops[at(index) + i - position];
        op = timed;
        op.kind = ops[i].kind;
        op.stage = ops[i].stage;
        op.micro_batch = ops[i].micro_batch;
    }
    next_[at(device)] += pair ? 2 : 1;
    return index;
}

bool Recording::message_of(const Op& op, Message& message) const
{
    const StageMap& map = pipeline_.map;
    if (op.kind == OpKind::backward_weight)
        return false;
    if (op.kind == OpKind::forward) {
        if (map.last(op.stage)) {
            if (pipeline_.decode_groups == 0 || op.micro_batch + pipeline_.decode_groups >= pipeline_.micro_batches)
                return false;
            message = {false, op.stage, 0, op.micro_batch + pipeline_.decode_groups};
            return true;
        }
        message = {false, op.stage, op.stage + 1, op.micro_batch};
        return map.crosses(op.stage);
    }
    if (map.first(op.stage))
        return false;
    message = {true, op.stage - 1, op.stage - 1, op.micro_batch};
    return map.crosses(op.stage - 1);
}

int Recording::add_transfer(const Message& message, int producer, double start_s, bool waited)
{
    const int index = static_cast<int>(timeline_.transfers.size());
    TimelineTransfer transfer;
    transfer.backward = message.backward;
    transfer.boundary = message.boundary;
    transfer.micro_batch = message.micro_batch;
    transfer.producer = producer;
    transfer.start_s = start_s;
    transfer.waited_for_channel = waited;
    transfer.before = last_in_channel_[at(channel(message))];
    last_in_channel_[at(channel(message))] = index;
    message_[cell(message.backward, message.receiver_stage, message.micro_batch)] = index;
    timeline_.transfers.push_back(transfer);
    return index;
}

double Recording::occupancy(const Message& message) const
{
    if (message.boundary + 1 >= pipeline_.stages())
        return 0;  // the way back of decode
    return (message.backward ? pipeline_.backward_occupancy_s : pipeline_.forward_occupancy_s)[at(message.boundary)];
}

double Recording::latency(const Message& message) const
{
    if (message.boundary + 1 >= pipeline_.stages())
        return pipeline_.return_latency_s;
    return (message.backward ? pipeline_.backward_latency_s : pipeline_.forward_latency_s)[at(message.boundary)];
}

Timeline Recording::finish()
{
    measure(pipeline_, timeline_);
    return std::move(timeline_);
}

}  // namespace nnpiper
