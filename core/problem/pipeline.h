// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan/plan.h"
#include "core/plan/stage_map.h"
#include "core/problem/flows.h"
#include "core/problem/problem.h"
#include "core/problem/stage_group.h"

#include <optional>
#include <string>
#include <vector>

namespace nnpiper {

/// A plan's costs laid over its stages: all that a schedule and an engine need. Stages are those of `map`, both chains;
/// boundary b lies behind stage b and stands unused where a chain ends.
struct Pipeline {
    StageMap map;
    int micro_batches = 1;
    std::vector<double> forward_s;             ///< [stage] slowest replica
    std::vector<double> backward_input_s;      ///< [stage]
    std::vector<double> backward_weight_s;     ///< [stage]
    std::vector<double> forward_occupancy_s;   ///< [boundary] S/B of the activation
    std::vector<double> forward_latency_s;     ///< [boundary]
    std::vector<double> backward_occupancy_s;  ///< [boundary] S/B of the gradient
    std::vector<double> backward_latency_s;    ///< [boundary]
    std::vector<double> all_reduce_s;          ///< [stage] once an iteration, 0 without replicas
    std::vector<double> optimizer_s;           ///< [stage] once an iteration
    double fixed_step_s = 0;
    double pair_scale = 1;                     ///< overlapped forward and backward take this times their sum
    bool blocking = false;                     ///< a device waits until its message has been sent
    int decode_groups = 0;                     ///< > 0: micro-batch i starts when i - groups has come back from the last stage
    double return_latency_s = 0;               ///< of that way back
    double samples = 0;                        ///< of one iteration
    std::optional<BoundaryFlows> flows;        ///< over shared links; empty: every boundary has links of its own

    /// Of both chains.
    int stages() const { return static_cast<int>(forward_s.size()); }
    int devices() const { return map.devices; }
    double backward_s(int stage) const
    {
        const auto s = static_cast<std::size_t>(stage);
        return backward_input_s[s] + backward_weight_s[s];
    }
};

/// Memory terms of one device of a plan, bytes.
struct DeviceMemory {
    std::string device;
    int stage = 0;                             ///< first stage of its group
    double state_bytes = 0;                    ///< parameters, gradients, optimizer; all its chunks and weight versions
    double stored_bytes = 0;                   ///< activations at the peak of the order
    double in_flight = 0;                      ///< micro-batches of a full device share that they belong to
    double transient_bytes = 0;
    double buffer_bytes = 0;
    double capacity_bytes = 0;

    double needed_bytes() const { return state_bytes + stored_bytes + transient_bytes + buffer_bytes; }
    bool fits() const { return needed_bytes() <= capacity_bytes * (1 + 1e-12); }
};

/// The variant that a plan's stage (the first unless given) uses: the plan's number of micro-batches, the stage's
/// recompute and tensor-parallel degree. Throws Error when there is none.
const Variant& variant_of(const Problem& problem, const Plan& plan);
const Variant& variant_of(const Problem& problem, const Plan& plan, const Stage& stage);

/// Where every device group of the plan's map runs: as the first stage on it says.
std::vector<StageGroup> groups_of(const Problem& problem, const Plan& plan, const StageMap& map, int samples);

/// Devices that hold a stage's weights, by the slice they hold, of both chains; one device a ring without replicas.
std::vector<std::vector<int>> holders_of(const StageMap& map, const std::vector<StageGroup>& groups, int stage);

/// Where the plan's schedule puts its stages. Throws Error when it cannot have that many.
StageMap map_of(const Plan& plan);

/// Structural validation: stages cover all layers in order, no empty stage, every device known and in one group, chunks
/// where the schedule puts them, shares sum to the micro-batch, replicas allowed, every boundary has a route, locks kept.
/// Returns one sentence with a JSON pointer per fault, empty when valid.
std::vector<std::string> validate(const Problem& problem, const Plan& plan);

/// Lays the costs over the stages; the plan must be valid. Without flows.
Pipeline lay_out(const Problem& problem, const Plan& plan);

/// Bytes of one stage for a whole micro-batch, before replicas share it.
struct StageBytes {
    double state = 0;       ///< parameters, gradients, optimizer, every weight version
    double stored = 0;      ///< activations kept from the forward to the end of the backward
    double transient = 0;   ///< working space while one of its ops runs
    double buffers = 0;     ///< of messages
};
/// [stage of the plan's map] of a valid plan.
std::vector<StageBytes> stage_bytes(const Problem& problem, const Plan& plan);

/// Memory of every device of a valid plan at the peak of its order: an activation is kept from the forward to the end of
/// the backward, or of the weight gradient where that is split off. Transients work one layer at a time.
std::vector<DeviceMemory> memory_of(const Problem& problem, const Plan& plan, const OpOrder& order);

}  // namespace nnpiper
