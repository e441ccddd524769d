// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan/op.h"
#include "core/problem/pipeline.h"
#include "core/simulator/evaluator.h"

#include <span>
#include <vector>

namespace nnpiper {

/// One op of an evaluation sequence, or an overlapped pair of two: indices into the evaluator's arrays.
struct OrderStep {
    int device;
    int duration[2];   ///< kind x stages + stage
    int wait[2];       ///< arrival slot
    int channel[2];
    int out[2];        ///< arrival slot
    bool pair;
};

/// The fast engine for any static order: the order is brought into one sequence in which every op stands behind those it
/// needs, once; pricing it is then a single pass without allocation or branches on the order.
/// Follows the transfer contract (see simulate.h); links are never shared.
class OrderEvaluator {
public:
    /// The order must be free of faults (see check()). `blocking`: a device waits until its message has been sent.
    OrderEvaluator(const OpOrder& order, const StageMap& map, int micro_batches, bool blocking = false,
                   double pair_scale = 1);

    /// Stage arrays have map.all_stages() entries, boundary arrays one less. Split orders read backward_input_s and
    /// backward_weight_s, others backward_s.
    double makespan(const StageCosts& costs);
    /// Many at once: `lanes` cost sets run side by side through the vector unit.
    void makespans(std::span<const StageCosts> costs, std::span<double> result);

    long ops() const { return ops_; }
    static constexpr int lanes = 8;

private:
    template <int Lanes> void load(const StageCosts* const* costs);

    void run(int lane_count);

    StageMap map_;
    bool blocking_;
    double pair_scale_;
    long ops_ = 0;
    std::vector<OrderStep> steps_;
    int slots_ = 2;        ///< slot 0 is always 0, slot 1 is never read
    std::vector<double> durations_, occupancy_, latency_, free_, channel_free_, arrived_;
};

/// Makespan of an order over a laid-out plan.
double makespan(const Pipeline& pipeline, const OpOrder& order);

}  // namespace nnpiper
