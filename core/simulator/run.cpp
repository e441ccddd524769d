// SPDX-License-Identifier: GPL-3.0-or-later
// The detailed engine. Where no link is shared, ops run in the order of their dependencies, which needs no clock; where
// links are shared, events run in the order of time (see flow_engine.cpp).
#include "core/simulator/engines.h"
#include "core/simulator/recording.h"
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

class DirectEngine {
public:
    DirectEngine(const Pipeline& pipeline, const OpOrder& order)
        : recording_(pipeline, order), channel_free_s_(at(recording_.channels()), 0.0),
          free_s_(at(pipeline.devices()), 0.0), sender_(at(pipeline.devices()), Recording::none),
          blocking_(pipeline.blocking)
    {
    }

    Timeline run()
    {
        // A device runs until it must wait; a message for a waiting device puts it back on the list.
        std::vector<int> list;
        std::vector<char> listed(at(recording_.devices()), 1);
        for (int d = recording_.devices(); d-- > 0;)
            list.push_back(d);
        while (!list.empty()) {
            const int device = list.back();
            list.pop_back();
            listed[at(device)] = 0;
            while (ready(device)) {
                const bool pair = recording_.next_is_pair(device);
                const Op* op = recording_.next_op(device);
                const int index = recording_.write(device, free_s_[at(device)], sender_[at(device)]);
                free_s_[at(device)] = recording_.timeline().ops[at(index)].end_s;
                sender_[at(device)] = Recording::none;
                for (int i = 0; i < (pair ? 2 : 1); ++i) {
                    const int receiver = send(device, op[i], index + i);
                    if (receiver >= 0 && !listed[at(receiver)]) {
                        listed[at(receiver)] = 1;
                        list.push_back(receiver);
                    }
                }
            }
        }
        return recording_.finish();
    }

private:
    bool ready(int device) const
    {
        const Op* op = recording_.next_op(device);
        return op && recording_.needed(op[0]) != Recording::unsent
               && (!op->paired || recording_.needed(op[1]) != Recording::unsent);
    }

    /// Returns the device that the message goes to, or -1.
    int send(int device, const Op& op, int producer)
    {
        Recording::Message message;
        if (!recording_.message_of(op, message))
            return -1;
        double& channel = channel_free_s_[at(recording_.channel(message))];
        const double ready = recording_.timeline().ops[at(producer)].end_s;
        const int index = recording_.add_transfer(message, producer, std::max(channel, ready), channel > ready);
        TimelineTransfer& transfer = recording_.timeline().transfers[at(index)];
        transfer.sent_s = transfer.start_s + recording_.occupancy(message);
        transfer.arrive_s = transfer.sent_s + recording_.latency(message);
        channel = transfer.sent_s;
        if (blocking_ && transfer.sent_s > free_s_[at(device)]) {
            free_s_[at(device)] = transfer.sent_s;
            sender_[at(device)] = index;
        }
        return recording_.pipeline().map.device(message.receiver_stage);
    }

    Recording recording_;
    std::vector<double> channel_free_s_;
    std::vector<double> free_s_;
    std::vector<int> sender_;   ///< transfer that keeps the device busy
    const bool blocking_;
};

}  // namespace

Timeline run(const Pipeline& pipeline, const OpOrder& order)
{
    if (const auto faults = check(order, pipeline.map, pipeline.micro_batches); !faults.empty())
        throw Error("order", faults.front());
    return pipeline.flows ? run_with_flows(pipeline, order) : DirectEngine(pipeline, order).run();
}

}  // namespace nnpiper
