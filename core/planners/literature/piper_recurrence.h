// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/control.h"
#include "core/planners/literature/ordered_costs.h"

#include <optional>
#include <utility>
#include <vector>

namespace nnpiper {

/// What Piper's recurrence asks of a stage. A stage's sum is that of the replica numbers of all stages from it to the
/// last: each replica of d then holds the activations of ceil(sum / d) micro-batches.
class PiperCosts {
public:
    virtual ~PiperCosts() = default;
    virtual int layers() const = 0;
    virtual int devices() const = 0;
    virtual int largest_sum() const = 0;
    /// (tensor-parallel degree, replicas) that a stage may have.
    virtual std::vector<std::pair<int, int>> shapes() const = 0;
    /// [position] the first position where a run of that shape costs the same in every stage; -1: no stage can stand
    /// there.
    virtual std::vector<int> alike(int tensor_parallel, int replicas) const = 0;
    /// At most the load whatever the memory, seconds a micro-batch; does not fall when layers are added.
    virtual double work_s(const StageRun& run) const = 0;
    /// Load with the fastest choice that fits memory; infinite when none does. Grows with the sum.
    virtual double load_s(const StageRun& run, int sum) const = 0;
    /// The largest sum whose load is at most `limit_s`, 0 for none.
    virtual int most_sum(const StageRun& run, double limit_s) const = 0;
};

struct PiperStage {
    StageRun run;
    int sum = 0;
};

struct PiperAnswer {
    double bottleneck_s = 0;
    std::vector<PiperStage> stages;  ///< in model order; empty: nothing fits
};

/// Least largest load over splits into stages, their degrees and replicas, on as many devices from the front of the
/// order as pay. A load limit is bisected to the relative `tolerance`; under a limit the least sum of replica numbers
/// from every layer and device on is found backwards, since a smaller sum never hurts what stands before: O(L^2 D K)
/// for K shapes, times S where the number of stages is fixed. The best so far when stopped.
PiperAnswer solve_piper(const PiperCosts& costs, std::optional<int> stages, double tolerance, const Control& control);

}  // namespace nnpiper
