// SPDX-License-Identifier: GPL-3.0-or-later
// The detailed engine in time order, for messages that share links.
#include "core/simulator/engines.h"
#include "core/simulator/flow_network.h"
#include "core/simulator/recording.h"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <functional>
#include <queue>

namespace nnpiper {

namespace {

std::size_t at(int index)
{
    return static_cast<std::size_t>(index);
}

class FlowEngine {
public:
    FlowEngine(const Pipeline& pipeline, const OpOrder& order)
        : recording_(pipeline, order), flows_(*pipeline.flows), network_(pipeline.flows->capacity_bytes_per_s),
          channels_(at(recording_.channels())), running_op_(at(pipeline.devices()), none),
          free_s_(at(pipeline.devices()), 0.0), sender_(at(pipeline.devices()), none),
          sending_(at(pipeline.devices()), 0), blocking_(pipeline.blocking)
    {
    }

    Timeline run()
    {
        for (int d = 0; d < recording_.devices(); ++d)
            events_.push({0, Kind::wake, d});
        while (true) {
            const double flow_end = network_.next_end_s();
            if (events_.empty() && flow_end == std::numeric_limits<double>::infinity())
                break;
            if (events_.empty() || flow_end <= events_.top().time_s) {
                const int flow = network_.finish();
                sent(flow_transfer_[at(flow)], flow_end);
                continue;
            }
            const Event event = events_.top();
            events_.pop();
            switch (event.kind) {
            case Kind::wake: wake(event.index, event.time_s); break;
            case Kind::op_end: op_end(event.index, event.time_s); break;
            case Kind::sent: sent(event.index, event.time_s); break;
            }
        }
        recording_.timeline().links_shared = network_.throttled();
        return recording_.finish();
    }

private:
    static constexpr int none = Recording::none;
    enum class Kind : unsigned char { sent, op_end, wake };   ///< in the order in which simultaneous events run

    struct Event {
        double time_s;
        Kind kind;
        int index;   ///< transfer, device, device
        bool operator>(const Event& other) const
        {
            if (time_s != other.time_s)
                return time_s > other.time_s;
            return kind != other.kind ? kind > other.kind : index > other.index;
        }
    };

    /// Messages wait for their channel in the order in which they were produced.
    struct Channel {
        std::deque<int> waiting;
        bool taken = false;
    };

    bool arrived(const Op& op, double now) const
    {
        const int message = recording_.needed(op);
        if (message == none)
            return true;
        if (message == Recording::unsent)
            return false;
        const TimelineTransfer& transfer = timeline().transfers[at(message)];
        return done_[at(message)] && transfer.arrive_s <= now;
    }

    void wake(int device, double now)
    {
        if (running_op_[at(device)] != none || sending_[at(device)] > 0)
            return;
        const Op* op = recording_.next_op(device);
        if (!op || !arrived(op[0], now) || (op->paired && !arrived(op[1], now)))
            return;
        const int index = recording_.write(device, free_s_[at(device)], sender_[at(device)]);
        running_op_[at(device)] = index;
        events_.push({timeline().ops[at(index)].end_s, Kind::op_end, device});
    }

    void op_end(int device, double now)
    {
        const int index = running_op_[at(device)];
        running_op_[at(device)] = none;
        free_s_[at(device)] = now;
        sender_[at(device)] = none;
        const TimelineOp first = timeline().ops[at(index)];
        for (int i = 0; i < (first.overlapped ? 2 : 1); ++i) {
            const TimelineOp& op = timeline().ops[at(index + i)];
            send(device, {op.kind, op.stage, op.micro_batch, false}, index + i, now);
        }
        wake(device, now);
    }

    void send(int device, const Op& op, int producer, double now)
    {
        Recording::Message message;
        if (!recording_.message_of(op, message))
            return;
        Channel& channel = channels_[at(recording_.channel(message))];
        const int index = recording_.add_transfer(message, producer, now, channel.taken);
        messages_.push_back(message);
        done_.push_back(0);
        if (blocking_)
            ++sending_[at(device)];
        if (channel.taken)
            channel.waiting.push_back(index);
        else
            begin(index, now);
    }

    void begin(int transfer, double now)
    {
        const Recording::Message& message = messages_[at(transfer)];
        channels_[at(recording_.channel(message))].taken = true;
        timeline().transfers[at(transfer)].start_s = now;
        const double alone = recording_.occupancy(message);
        const BoundaryFlow* flow = nullptr;
        if (message.boundary + 1 < recording_.pipeline().stages())
            flow = &(message.backward ? flows_.backward : flows_.forward)[at(message.boundary)];
        if (!flow || flow->uses.empty() || flow->bytes <= 0 || alone <= 0) {
            events_.push({now + alone, Kind::sent, transfer});
            return;
        }
        const int id = network_.start(now, flow->bytes, flow->bytes / alone, flow->uses);
        if (at(id) >= flow_transfer_.size())
            flow_transfer_.resize(at(id) + 1);
        flow_transfer_[at(id)] = transfer;
    }

    void sent(int index, double now)
    {
        const Recording::Message& message = messages_[at(index)];
        TimelineTransfer& transfer = timeline().transfers[at(index)];
        transfer.sent_s = now;
        transfer.arrive_s = now + recording_.latency(message);
        done_[at(index)] = 1;
        const StageMap& map = recording_.pipeline().map;
        events_.push({transfer.arrive_s, Kind::wake, map.device(message.receiver_stage)});
        if (blocking_) {
            const int device = map.device(timeline().ops[at(transfer.producer)].stage);
            free_s_[at(device)] = now;
            sender_[at(device)] = index;
            if (--sending_[at(device)] == 0)
                events_.push({now, Kind::wake, device});
        }
        Channel& channel = channels_[at(recording_.channel(message))];
        channel.taken = false;
        if (!channel.waiting.empty()) {
            const int next = channel.waiting.front();
            channel.waiting.pop_front();
            begin(next, now);
        }
    }

    Timeline& timeline() { return recording_.timeline(); }
    const Timeline& timeline() const { return recording_.timeline(); }

    Recording recording_;
    const BoundaryFlows& flows_;
    FlowNetwork network_;
    std::vector<Channel> channels_;
    std::vector<int> running_op_;                    ///< [device] op index
    std::vector<double> free_s_;                     ///< [device]
    std::vector<int> sender_, sending_;              ///< [device]
    std::vector<Recording::Message> messages_;       ///< [transfer]
    std::vector<char> done_;                         ///< [transfer] sent
    std::vector<int> flow_transfer_;                 ///< [flow]
    std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
    const bool blocking_;
};

}  // namespace

Timeline run_with_flows(const Pipeline& pipeline, const OpOrder& order)
{
    return FlowEngine(pipeline, order).run();
}

}  // namespace nnpiper
