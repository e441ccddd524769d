// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan/op.h"
#include "core/plan/plan.h"
#include "core/problem/pipeline.h"
#include "core/simulator/timeline.h"

#include <optional>
#include <vector>

namespace nnpiper {

/// A pipeline as textbooks draw it: a schedule and times, no cluster.
///
/// Times are those of a full device share for interleaved, ZB-V and Hanayo (each of V chunks takes 1/V of it), of one
/// chunk for DualPipeV and of a stage for all others; with an entry for every chunk they are each chunk's own.
/// Delays are pure latency, one way.
struct TextbookPipeline {
    ScheduleKind kind = ScheduleKind::one_f_one_b;
    int devices = 1;
    int micro_batches = 1;                      ///< of one round; decode: groups of sequences
    std::optional<int> chunks;                  ///< empty: the schedule's usual number
    std::vector<double> forward_s{1};           ///< one for all, one a device share or stage, or one a chunk
    std::vector<double> backward_input_s{1};
    std::vector<double> backward_weight_s{1};
    std::optional<double> pair_s;               ///< of an overlapped forward and whole backward; empty: their sum
    std::vector<double> delay_s{0};             ///< one for all, or one a boundary; decode may have one more, the way back
    std::vector<double> occupancy_s{0};         ///< channel time of a message, one for all or one a boundary
    std::vector<int> launch_counts;
    OpOrder order;                              ///< custom
    int rounds = 1;                             ///< batches of PipeDream-2BW, tokens of decode
    std::optional<int> held;                    ///< zb-auto: activations a device may keep; empty: as many as devices
    bool blocking = false;
};

/// Costs of the drawing. Throws Error naming the argument when a list has the wrong length or a time is negative.
Pipeline lay_out(const TextbookPipeline& textbook);

/// Runs it. Peak activations are in the unit of the times. period_s is filled for PipeDream-2BW and decode.
/// Throws Error when the schedule does not exist in that shape or the order is not sound.
Timeline draw(const TextbookPipeline& textbook);

}  // namespace nnpiper
