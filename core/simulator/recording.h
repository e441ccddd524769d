// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan/op.h"
#include "core/problem/pipeline.h"
#include "core/simulator/timeline.h"

#include <vector>

namespace nnpiper {

/// The timeline as it is being written: which op comes next on a device, which message it needs, where the next message
/// of a channel goes. Both engines write through it and differ only in when things happen.
class Recording {
public:
    Recording(const Pipeline& pipeline, const OpOrder& order);

    static constexpr int none = -1;      ///< needs no message
    static constexpr int unsent = -2;    ///< needs one that has not been sent

    const Pipeline& pipeline() const { return pipeline_; }
    Timeline& timeline() { return timeline_; }
    const Timeline& timeline() const { return timeline_; }
    int devices() const { return pipeline_.devices(); }
    /// One behind the last for a device that is done.
    const Op* next_op(int device) const;
    bool next_is_pair(int device) const;
    /// Transfer that an op needs, `none` or `unsent`.
    int needed(const Op& op) const;
    double duration(const Op& op) const;
    double pair_duration(const Op& a, const Op& b) const;

    /// Writes the next op (or pair) of a device and moves on. `free_s` is when the device was free, `sender` the transfer
    /// that kept it busy until then or `none`. Returns the index of the first op written.
    int write(int device, double free_s, int sender);

    /// Boundary, direction and receiver of the message that an op sends; false when it sends none.
    struct Message {
        bool backward = false;
        int boundary = 0;
        int receiver_stage = 0;
        int micro_batch = 0;
    };
    bool message_of(const Op& op, Message& message) const;
    /// Adds a transfer that starts at `start_s`; its ends are the caller's to fill in.
    int add_transfer(const Message& message, int producer, double start_s, bool waited);
    double occupancy(const Message& message) const;
    double latency(const Message& message) const;
    int channel(const Message& message) const { return 2 * message.boundary + (message.backward ? 1 : 0); }
    int channels() const { return 2 * (pipeline_.stages() + 1); }

    Timeline finish();

private:
    std::size_t cell(bool backward, int stage, int micro_batch) const;
    void time(TimelineOp& op, int index, double free_s, int sender, bool first) const;

    const Pipeline& pipeline_;
    const OpOrder& order_;
    std::vector<std::size_t> next_;          ///< [device]
    std::vector<int> message_;               ///< transfer index by [stage][direction][micro-batch]
    std::vector<int> last_in_channel_;
    Timeline timeline_;
};

/// Fills the metrics of every device and the totals.
void measure(const Pipeline& pipeline, Timeline& timeline);

}  // namespace nnpiper
