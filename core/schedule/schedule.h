// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan/op.h"
#include "core/plan/plan.h"
#include "core/plan/stage_map.h"

#include <string>
#include <vector>

namespace nnpiper {

/// Everything that a static order depends on.
struct ScheduleShape {
    ScheduleKind kind = ScheduleKind::one_f_one_b;
    int devices = 1;                 ///< device groups, p
    int micro_batches = 1;           ///< m of one round; both directions together
    int chunks = 1;                  ///< a device
    std::vector<int> launch_counts;  ///< 1F1B and eager 1F1B: forwards of each stage before its first backward
    int rounds = 1;                  ///< batches of PipeDream-2BW, tokens of decode

    int all_micro_batches() const { return micro_batches * rounds; }
};

/// Throws Error when the schedule does not exist in that shape (interleaved needs a multiple of p micro-batches, ...).
void check(const ScheduleShape& shape);

/// Op lists of every schedule but zb-auto (which depends on times, see simulator/auto_order.h) and custom.
/// Throws what check(shape) throws.
OpOrder op_order(const ScheduleShape& shape);
OpOrder op_order(ScheduleKind kind, int stages, int micro_batches);

/// Micro-batches that go through a chain: the first half through the first one where there are two.
struct MicroBatchRange {
    int first = 0;
    int end = 0;
};
MicroBatchRange micro_batches_of_chain(const StageMap& map, int chain, int micro_batches);

/// Most micro-batches whose activations a device holds at once, by walking its list: +1 at a forward, -1 at the end of
/// the backward (or of the weight part where it is split). Every chunk counts as one.
std::vector<int> peak_in_flight(const OpOrder& order);

/// Closed form of the above for schedules with one chunk and one chain (`launch_counts` empty).
int peak_in_flight(ScheduleKind kind, int stages, int micro_batches, int stage);

/// Checks an order: every op exactly once and on its device, backward behind forward, no deadlock (with the cycle named).
/// One sentence per fault.
std::vector<std::string> check(const OpOrder& order, const StageMap& map, int micro_batches);
/// The same for stage k on device k.
std::vector<std::string> check(const OpOrder& order, int micro_batches);

struct ScheduleEntry {
    ScheduleKind kind;
    std::string name;
    std::string title;        ///< "Interleaved 1F1B"
    std::string source;       ///< paper
    std::string description;
};
const std::vector<ScheduleEntry>& schedule_catalog();

}  // namespace nnpiper
