// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan/op.h"
#include "core/problem/pipeline.h"

#include <string>
#include <vector>

namespace nnpiper {

/// One op that ran. `waited_for` is what held its start: the op before it on the same device, the message that it needed
/// or, with blocking transfers, the message that its device was sending; nothing for the very first.
struct TimelineOp {
    OpKind kind = OpKind::forward;
    int stage = 0;             ///< of the pipeline's map, both chains
    int micro_batch = 0;
    double start_s = 0;
    double end_s = 0;
    enum class Waited : unsigned char { nothing, device, transfer, sending } waited = Waited::nothing;
    int waited_for = -1;       ///< op index (device) or transfer index (transfer, sending)
    bool overlapped = false;   ///< one of a pair that runs at the same time
};

/// One message over one boundary.
struct TimelineTransfer {
    bool backward = false;     ///< gradient from stage boundary+1 to stage boundary
    int boundary = 0;          ///< behind this stage; decode's way back has the last stage's number
    int micro_batch = 0;
    int producer = -1;         ///< op index
    double start_s = 0;        ///< channel taken
    double sent_s = 0;         ///< channel free again
    double arrive_s = 0;       ///< latency later
    bool waited_for_channel = false;
    int before = -1;           ///< transfer index of the one before it in its channel
};

/// Idle time of one device, by cause; the parts sum to idle_s.
struct Bubble {
    double warm_up_s = 0;      ///< before its first op
    double drain_s = 0;        ///< behind its last op
    double dependency_s = 0;   ///< an op that it needed was still running elsewhere
    double link_s = 0;         ///< a message was on its way, or its own blocked it
    double imbalance_s = 0;    ///< part of the waiting for others that comes of having less work than the busiest device

    double sum_s() const { return warm_up_s + drain_s + dependency_s + link_s + imbalance_s; }
};

struct DeviceMetrics {
    double busy_s = 0;
    double idle_s = 0;         ///< makespan - busy
    double span_s = 0;         ///< own first start to own last end
    double peak_in_flight = 0; ///< activations held at once, in micro-batches of a full device share
    Bubble bubble;
};

/// What the detailed engine returns: every op and message with start and end, and figures over them.
struct Timeline {
    StageMap map;
    int micro_batches = 0;
    std::vector<TimelineOp> ops;                     ///< grouped by device group, in the order they ran
    std::vector<int> first_op;                       ///< [device group] + 1 end mark, into ops
    std::vector<TimelineTransfer> transfers;
    std::vector<DeviceMetrics> metrics;              ///< [device group]
    std::vector<std::vector<std::string>> devices;   ///< [device group] ids; empty for a textbook pipeline
    std::vector<DeviceMemory> memory;                ///< every used device
    double makespan_s = 0;                           ///< first start to last end
    double max_span_s = 0;                           ///< longest own span of a device
    double period_s = 0;                             ///< time a round takes in the long run where rounds follow without a flush, else 0
    double iteration_s = 0;                          ///< + slowest (all-reduce + optimizer) + fixed step cost
    double throughput_samples_per_s = 0;
    double bubble_fraction = 0;                      ///< idle share of makespan x devices
    double bubble_rate = 0;                          ///< share of the makespan that the busiest device idles, as papers count it
    bool links_shared = false;                       ///< some messages had to share a link
    bool fits = true;                                ///< every device's memory
    std::string shortfall;                           ///< where it does not fit and by how much, one sentence

    int rows() const { return map.devices; }         ///< device groups
    int stages() const { return map.all_stages(); }
};

/// Indices into ops and transfers that decide the makespan, from the first to the last.
struct CriticalStep {
    bool transfer = false;
    int index = 0;
};
std::vector<CriticalStep> critical_path(const Timeline& timeline);
/// The chain of ops and messages that decides when an op starts, from the first to the op itself; the critical path is that
/// of the op that ends last. Time O(steps).
std::vector<CriticalStep> causes_of(const Timeline& timeline, int op);

}  // namespace nnpiper
