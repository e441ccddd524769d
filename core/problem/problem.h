// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan/plan.h"
#include "core/problem/flows.h"
#include "core/problem/matrix.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nnpiper {

/// What the devices of a tensor-parallel group exchange for one layer, pass and micro-batch. A ring pass is a
/// reduce-scatter or an all-gather; an all-reduce is two of them.
struct GroupTraffic {
    double ring_bytes = 0;                   ///< whole buffer of one pass
    int ring_passes = 0;
    double exchange_bytes = 0;               ///< sent by each device in one all-to-all
    int exchanges = 0;

    bool operator==(const GroupTraffic&) const = default;
};

/// Costs of every layer for one size of micro-batch, tensor-parallel degree and recompute policy, for each device of a
/// tensor-parallel group without what the group exchanges. Seconds and bytes are per micro-batch.
struct Variant {
    int micro_batch_samples = 1;
    int micro_batches = 1;
    int tensor_parallel = 1;
    Recompute recompute = Recompute::none;
    Matrix forward_s;                        ///< [layer][device]
    Matrix backward_input_s;                 ///< [layer][device]
    Matrix backward_weight_s;                ///< [layer][device]
    bool backward_split_assumed = false;     ///< the file had backward_s only: half and half
    std::vector<double> stored_bytes;        ///< [layer] kept from forward to backward
    std::vector<double> transient_bytes;     ///< [layer]
    std::vector<double> output_bytes;        ///< [layer] handed on by the whole group; the same comes back as gradient
    std::vector<double> buffer_bytes;        ///< [layer] send and receive buffer that each of the two stages keeps at a boundary behind it; 0 in a raw file
    std::vector<double> carried_bytes;       ///< [layer] kept for later layers, once, by a stage that begins behind it; empty: none
    std::vector<GroupTraffic> forward_traffic;   ///< [layer]; empty without tensor parallelism
    std::vector<GroupTraffic> backward_traffic;  ///< [layer]
};

/// What a prediction rests on. `given`: a problem file's own times.
enum class CostBasis { analytic, calibrated, measured, given };

/// "analytic", "calibrated", "measured", "given".
std::string_view name_of(CostBasis basis);

/// Everything a planner may look at: immutable arrays, compiled from a project or read from a problem file.
struct Problem {
    std::string name;
    std::vector<std::string> layer_names;    ///< L
    std::vector<std::string> device_ids;     ///< D
    std::vector<std::string> device_types;   ///< D; empty strings in a raw file
    std::vector<std::string> device_nodes;   ///< D; empty strings in a raw file
    std::vector<double> device_memory_bytes; ///< D
    std::vector<double> device_price_per_h;  ///< D; NaN unknown
    std::vector<double> state_bytes;         ///< L: parameters, gradients and optimizer
    std::vector<double> gradient_bytes;      ///< L: what replicas all-reduce; empty when unknown
    std::vector<double> weight_bytes;        ///< L: what a pass reads, of state_bytes; empty when unknown
    std::vector<double> sharded_bytes;       ///< L: part of state_bytes that replicas share out; empty: none
    std::vector<double> whole_fraction;      ///< L: part of the parameters that a tensor-parallel group does not split; empty: none
    Matrix optimizer_s;                      ///< [layer][device] once an iteration; empty means zero
    Matrix bandwidth_bytes_per_s;            ///< [from][to], effective; off-diagonal 0: no route
    Matrix latency_s;                        ///< [from][to]
    RouteTable routes;                       ///< over named links, for contention
    double fixed_step_s = 0;
    bool blocking_transfers = false;         ///< a device waits until its message has been sent
    std::vector<Variant> variants;           ///< at least one; by tensor-parallel degree, micro-batch size, recompute
    int default_variant = 0;                 ///< what the job or file asks for
    bool micro_batch_free = false;           ///< the planner may choose among the variants' sizes
    bool recompute_free = false;
    bool tensor_parallel_free = false;
    CostBasis basis = CostBasis::analytic;
    int measured_cells = 0;                  ///< of the L x D layer times of the default variant, those from a profile
    bool raw = false;                        ///< read from a problem file
    bool samples_known = true;               ///< a raw file without micro_batch_samples has false
    std::optional<int> stages;
    std::optional<ScheduleKind> schedule;
    Objective objective = Objective::throughput;
    std::vector<Lock> locks;
    std::optional<Plan> best_known;

    int layers() const { return static_cast<int>(layer_names.size()); }
    int devices() const { return static_cast<int>(device_ids.size()); }
    /// -1 when absent.
    int device_index(std::string_view id) const;
    /// Of a layer's state, gradients and optimizer time, what each of t tensor-parallel devices has.
    double held_share(int layer, int tensor_parallel) const;
    /// Data-parallel replicas need to know gradients and samples.
    bool replicas_allowed() const { return !gradient_bytes.empty() && samples_known; }
};

}  // namespace nnpiper
