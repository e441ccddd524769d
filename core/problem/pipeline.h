// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan/plan.h"
#include "core/problem/problem.h"

#include <string>
#include <vector>

namespace nnpiper {

/// A plan's costs laid over its stages: all that a schedule and an engine need. S stages, S-1 boundaries.
struct Pipeline {
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
    double samples = 0;                        ///< of one iteration

    int stages() const { return static_cast<int>(forward_s.size()); }
    double backward_s(int stage) const
    {
        const auto s = static_cast<std::size_t>(stage);
        return backward_input_s[s] + backward_weight_s[s];
    }
};

/// Memory terms of one device of a plan, bytes.
struct DeviceMemory {
    std::string device;
    int stage = 0;
    double state_bytes = 0;
    double stored_bytes_per_micro_batch = 0;
    int micro_batches_in_flight = 0;           ///< at the peak
    double transient_bytes = 0;
    double buffer_bytes = 0;
    double capacity_bytes = 0;

    double needed_bytes() const
    {
        return state_bytes + stored_bytes_per_micro_batch * micro_batches_in_flight + transient_bytes + buffer_bytes;
    }
    bool fits() const { return needed_bytes() <= capacity_bytes * (1 + 1e-12); }
};

/// The variant that a plan uses: its number of micro-batches and its recompute. Throws Error when there is none.
const Variant& variant_of(const Problem& problem, const Plan& plan);

/// Structural validation: stages cover all layers in order, no empty stage, every device known and used once, shares
/// sum to the micro-batch, replicas allowed, every boundary has a route, locks kept. Returns one sentence with a JSON
/// pointer per fault, empty when valid.
std::vector<std::string> validate(const Problem& problem, const Plan& plan);

/// Lays the costs over the stages; the plan must be valid.
Pipeline lay_out(const Problem& problem, const Plan& plan);

/// Memory of every device of a valid plan, given the largest number of micro-batches each stage holds at once.
std::vector<DeviceMemory> memory_of(const Problem& problem, const Plan& plan, const std::vector<int>& in_flight);

}  // namespace nnpiper
