// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/simulator/timeline.h"

#include <optional>
#include <vector>

namespace nnpiper {

/// What an element of the chart is: an op or a message, by its index in the timeline.
struct TimelineElement {
    bool transfer = false;
    int index = -1;

    bool valid() const { return index >= 0; }
    bool operator==(const TimelineElement&) const = default;
};

/// Answers "who feeds whom" and "what stands in this row" over a timeline that outlives it, in constant or logarithmic
/// time.
class TimelineIndex {
public:
    explicit TimelineIndex(const Timeline& timeline);

    const Timeline& timeline() const { return *timeline_; }

    /// -1 when absent.
    int op(OpKind kind, int stage, int microBatch) const;
    /// The message that this op needs before it can start, -1 for none.
    int transferInto(int op) const;
    /// The message that this op's end sets off, -1 for none.
    int transferOutOf(int op) const;
    /// The op that waits for this message, -1 for none.
    int consumerOf(int transfer) const;

    int rows() const { return timeline_->rows(); }
    int rowOf(const TimelineOp& op) const { return timeline_->map.device(op.stage); }
    int senderRow(const TimelineTransfer& transfer) const;
    int receiverRow(const TimelineTransfer& transfer) const;

    /// Messages that a row sends, by start.
    const std::vector<int>& sentBy(int row) const { return sent_[static_cast<std::size_t>(row)]; }

    /// The op of the row that runs at `timeS`, else the one within `toleranceS` of it, else -1.
    int opAt(int row, double timeS, double toleranceS) const;
    /// The same among the messages that the row sends, while they occupy their channel.
    int transferAt(int row, double timeS, double toleranceS) const;

private:
    std::size_t cell(int stage, int microBatch) const
    {
        return static_cast<std::size_t>(stage) * static_cast<std::size_t>(timeline_->micro_batches)
               + static_cast<std::size_t>(microBatch);
    }

    /// Behind the last stage lies the way back to the first, which decode takes.
    int stageBehind(int boundary) const { return boundary + 1 < timeline_->stages() ? boundary + 1 : 0; }

    const Timeline* timeline_;
    std::vector<int> ops_[4];             ///< by kind, [stage][micro-batch]
    std::vector<int> activations_;        ///< [boundary][micro-batch]
    std::vector<int> gradients_;          ///< [boundary][micro-batch]
    std::vector<std::vector<int>> sent_;  ///< [row]
};

}  // namespace nnpiper
