// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan/plan.h"
#include "core/problem/pipeline.h"

#include <span>
#include <vector>

namespace nnpiper {

/// Stage and boundary costs in one flat block of arrays, stage s at [s]; boundary s lies behind stage s.
/// Views only: the caller owns the memory.
struct StageCosts {
    int stages = 0;
    const double* forward_s = nullptr;
    const double* backward_s = nullptr;            ///< both parts
    const double* forward_occupancy_s = nullptr;   ///< stages - 1
    const double* forward_latency_s = nullptr;
    const double* backward_occupancy_s = nullptr;
    const double* backward_latency_s = nullptr;
    const double* backward_input_s = nullptr;      ///< only for orders that split the backward; null otherwise
    const double* backward_weight_s = nullptr;
};

struct RegisterWavefront;

/// The fast engine: makespan of a chain under a static schedule, without allocation after construction.
/// 1F1B runs in wavefront order: at step t the stages of one parity run forward m = (t-s)/2 and those of the other run
/// backward m = (t+s+1)/2 - S, so each step needs only the step before and vectorises over the stages; up to some dozens of them stay in registers.
class Evaluator {
public:
    explicit Evaluator(int max_stages);

    double makespan(ScheduleKind kind, const StageCosts& costs, int micro_batches);
    double one_f_one_b(const StageCosts& costs, int micro_batches);
    double gpipe(const StageCosts& costs, int micro_batches);

private:
    std::vector<double> scratch_;
    int max_stages_;
    const RegisterWavefront* in_registers_;   ///< null: none for this processor
};

/// 1F1B or GPipe over a laid-out plan without blocking transfers.
double makespan(ScheduleKind kind, const Pipeline& pipeline);

}  // namespace nnpiper
