// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan/op.h"
#include "core/plan/plan.h"

#include <string>
#include <vector>

namespace nnpiper {

/// Order of work on every stage. GPipe (Huang et al. 2019): all forwards, then all backwards in reverse. 1F1B
/// (Narayanan et al. 2019, flushed): min(M, S-s-1) forwards, then pairs, then the remaining backwards.
OpOrder op_order(ScheduleKind kind, int stages, int micro_batches);

/// Most micro-batches whose activations stage s holds at once, by walking the order: +1 at a forward, -1 at the end of
/// the backward (or of the weight part where it is split).
std::vector<int> peak_in_flight(const OpOrder& order);

/// Closed form of the above for 1F1B and GPipe.
int peak_in_flight(ScheduleKind kind, int stages, int micro_batches, int stage);

/// Checks a chain order: every op exactly once on its stage, no deadlock. Returns one sentence per fault.
std::vector<std::string> check(const OpOrder& order, int micro_batches);

struct ScheduleEntry {
    ScheduleKind kind;
    std::string name;
    std::string source;       ///< paper
    std::string description;
};
const std::vector<ScheduleEntry>& schedule_catalog();

}  // namespace nnpiper
