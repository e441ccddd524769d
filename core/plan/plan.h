// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan/op.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nnpiper {

enum class ScheduleKind {
    gpipe,
    one_f_one_b,
    eager,
    interleaved,
    zb_h1,
    zb_h2,
    zb_v,
    zb_auto,
    chimera,
    dualpipe,
    dualpipe_v,
    hanayo,
    pipedream_2bw,
    prefill,
    decode,
    custom,
};
enum class Recompute { none, selective, full };
enum class Objective { throughput, cost, latency };

/// "gpipe", "1f1b", "eager-1f1b", "interleaved-1f1b", "zb-h1", ...; "none", "selective", "full"; "throughput", "cost", "latency".
std::string_view name_of(ScheduleKind kind);
std::string_view name_of(Recompute recompute);
std::string_view name_of(Objective objective);
/// The inverse; throws Error at `place` naming the allowed words.
ScheduleKind schedule_from_name(std::string_view name, const std::string& place = "schedule");
Recompute recompute_from_name(std::string_view name, const std::string& place = "recompute");
Objective objective_from_name(std::string_view name, const std::string& place = "objective");

/// Consecutive layers [first_layer, end_layer) on one group of devices. More than one device means data-parallel
/// replicas; `shares` are then the samples of every micro-batch that each takes (empty: as equal as integers allow).
struct Stage {
    std::vector<std::string> devices;
    int first_layer = 0;
    int end_layer = 0;
    int tensor_parallel = 1;
    std::vector<int> shares;
    Recompute recompute = Recompute::none;

    bool operator==(const Stage&) const = default;
};

/// What a planner answers. Pure data: devices are ids, nothing refers to a Problem.
/// The predicted figures are those of the simulator (never of a planner's own closed form) and are 0 until filled.
struct Plan {
    std::string planner;
    ScheduleKind schedule = ScheduleKind::one_f_one_b;
    int micro_batches = 1;
    std::vector<Stage> stages;      ///< in model order; empty when skipped
    int chunks_per_device = 1;      ///< V: `stages` has V entries for every device group
    std::vector<int> launch_counts; ///< forwards of each stage before its first backward; empty: the schedule's own
    OpOrder order;                  ///< of a custom schedule, else empty

    std::string status = "ok";      ///< "ok", "infeasible", "skipped", "stopped" (time or cancel cut the search short)
    std::string reason;             ///< why skipped or infeasible, one sentence with the figures; else empty
    bool feasible = false;          ///< valid and within every device's memory
    double makespan_s = 0;          ///< first op start to last op end
    double iteration_s = 0;         ///< with gradient all-reduce, optimizer and fixed step cost
    double throughput_samples_per_s = 0;
    double bubble_fraction = 0;     ///< idle share of makespan x devices
    double planning_time_ms = 0;
    std::optional<double> bound_s;  ///< proved lower bound of the makespan, where a planner has one
    std::optional<double> proved_gap; ///< by the objective at most this fraction worse than any plan could be; unknown: empty
    std::string detail;             ///< what the planner wants to tell, e.g. "cpu, 16 orders decoded"
};

/// A user's wish that a planner must keep. `stage` in model order.
struct Lock {
    std::vector<std::string> devices;
    std::optional<int> stage;
    std::optional<int> first_layer;
    std::optional<int> end_layer;
    bool idle = false;

    bool operator==(const Lock&) const = default;
};

}  // namespace nnpiper
