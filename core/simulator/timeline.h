// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan/op.h"
#include "core/problem/pipeline.h"

#include <string>
#include <vector>

namespace nnpiper {

/// One op that ran. `waited_for` is what held its start: an index into Timeline::transfers, or the op before it on the
/// same stage, or nothing (the very first).
struct TimelineOp {
    OpKind kind = OpKind::forward;
    int stage = 0;
    int micro_batch = 0;
    double start_s = 0;
    double end_s = 0;
    enum class Waited : unsigned char { nothing, device, transfer } waited = Waited::nothing;
    int waited_for = -1;       ///< op index (device) or transfer index (transfer)
};

/// One message over one boundary.
struct TimelineTransfer {
    bool backward = false;     ///< gradient from stage boundary+1 to stage boundary
    int boundary = 0;          ///< between stage boundary and boundary + 1
    int micro_batch = 0;
    int producer = -1;         ///< op index
    double start_s = 0;        ///< channel taken
    double sent_s = 0;         ///< channel free again
    double arrive_s = 0;       ///< latency later
    bool waited_for_channel = false;
};

struct StageMetrics {
    double busy_s = 0;
    double idle_s = 0;         ///< makespan - busy
    double span_s = 0;         ///< own first start to own last end
    int peak_in_flight = 0;
};

/// What the detailed engine returns: every op and message with start and end, and figures over them.
struct Timeline {
    int stages = 0;
    int micro_batches = 0;
    std::vector<TimelineOp> ops;                     ///< grouped by stage, in the order they ran
    std::vector<int> first_op;                       ///< [stage] + 1 end mark, into ops
    std::vector<TimelineTransfer> transfers;
    std::vector<StageMetrics> metrics;               ///< [stage]
    std::vector<std::vector<std::string>> devices;   ///< [stage] ids; empty for a textbook pipeline
    std::vector<DeviceMemory> memory;                ///< every used device
    double makespan_s = 0;                           ///< first start to last end
    double max_span_s = 0;                           ///< longest own span of a stage
    double iteration_s = 0;                          ///< + slowest (all-reduce + optimizer) + fixed step cost
    double throughput_samples_per_s = 0;
    double bubble_fraction = 0;                      ///< idle share of makespan x stages
    bool fits = true;                                ///< every device's memory
    std::string shortfall;                           ///< where it does not fit and by how much, one sentence
};

/// Indices into ops and transfers that decide the makespan, from the first to the last.
struct CriticalStep {
    bool transfer = false;
    int index = 0;
};
std::vector<CriticalStep> critical_path(const Timeline& timeline);

}  // namespace nnpiper
