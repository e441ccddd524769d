// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan/plan.h"
#include "core/planners/chains/chain_locks.h"
#include "core/problem/problem.h"
#include "core/simulator/evaluator.h"

#include <string>
#include <vector>

namespace nnpiper {

/// A pipeline of single-device stages as search handles it: stage s runs on device[s] and ends before layer end[s].
struct Chain {
    std::vector<int> device;   ///< S, indices into the problem
    std::vector<int> end;      ///< S, ascending, the last is L

    int stages() const { return static_cast<int>(device.size()); }
    int first(int stage) const { return stage == 0 ? 0 : end[static_cast<std::size_t>(stage - 1)]; }
    bool operator==(const Chain&) const = default;
};

/// One question for search: which variant, how many stages, under which schedule.
struct ChainSetting {
    int variant = 0;
    int stages = 1;
    int micro_batches = 1;
    ScheduleKind schedule = ScheduleKind::one_f_one_b;
};

/// A setting's costs as prefix sums, so that every stage and boundary is priced in O(1). Seconds and bytes.
class ChainCosts {
public:
    ChainCosts(const Problem& problem, const ChainSetting& setting);

    const Problem& problem() const { return *problem_; }
    const ChainSetting& setting() const { return setting_; }
    int layers() const { return layers_; }
    int devices() const { return devices_; }
    int stages() const { return setting_.stages; }
    int micro_batches() const { return setting_.micro_batches; }
    /// Devices that no lock keeps idle, in the problem's order.
    const std::vector<int>& usable() const { return usable_; }

    double forward(int device, int first, int end) const { return range(forward_, device, first, end); }
    double backward(int device, int first, int end) const { return range(backward_, device, first, end); }
    double optimizer(int device, int first, int end) const
    {
        return optimizer_.empty() ? 0 : range(optimizer_, device, first, end);
    }
    /// S/B of what layer `end - 1` hands on; infinite where there is no route.
    double occupancy(int end, int from, int to) const
    {
        const std::size_t size = size_class_.empty() ? 0 : size_class_[index(end - 1)];
        return output_bytes_[index(end - 1)] * inverse_bandwidth_[size + pair(from, to)];
    }
    /// Bytes that layer `end - 1` hands on.
    double output_bytes(int end) const { return output_bytes_[index(end - 1)]; }
    double latency(int from, int to) const { return latency_[pair(from, to)]; }
    /// Micro-batches that stage s of S holds at its peak.
    int in_flight(int stage) const { return in_flight_[index(stage)]; }
    /// Bytes that stage `stage` with layers [first, end) needs.
    double memory(int stage, int first, int end) const;
    double capacity(int device) const { return capacity_[index(device)]; }
    double price_per_s(int device) const { return price_per_s_[index(device)]; }
    double samples() const { return samples_; }
    const ChainLocks& locks() const { return locks_; }

    static std::size_t index(int i) { return static_cast<std::size_t>(i); }

private:
    std::size_t pair(int from, int to) const { return index(from * devices_ + to); }
    double range(const std::vector<double>& sums, int device, int first, int end) const
    {
        const std::size_t row = index(device * (layers_ + 1));
        return sums[row + index(end)] - sums[row + index(first)];
    }

    const Problem* problem_;
    ChainSetting setting_;
    int layers_;
    int devices_;
    double samples_ = 0;
    std::vector<double> forward_, backward_, optimizer_;   ///< prefix sums [device][0..L]
    std::vector<double> output_bytes_, buffer_bytes_, carried_bytes_;
    std::vector<double> inverse_bandwidth_;                ///< [from][to], for every size of message where links have a curve
    std::vector<std::size_t> size_class_;                  ///< [layer] where its size begins there; empty: one for all
    std::vector<double> latency_;                          ///< [from][to]
    std::vector<double> state_, stored_;                   ///< prefix sums [0..L]
    std::vector<double> transient_;                        ///< maximum of [first][end-1]; empty when all zero
    std::vector<double> capacity_, price_per_s_;
    std::vector<int> in_flight_;
    ChainLocks locks_;
    std::vector<int> usable_;
};

/// Prices whole chains without allocation after construction.
class ChainEvaluator {
public:
    explicit ChainEvaluator(const ChainCosts& costs);

    /// Simulated makespan, infinite where a boundary has no route.
    double makespan(const Chain& chain);
    /// Sum over the stages of (needed / capacity - 1) where positive, and 1 for every broken lock; 0 means that everything
    /// fits.
    double excess(const Chain& chain) const;
    /// What search minimises, by the problem's objective: seconds or dollars per sample, or seconds per iteration.
    /// Memory is not looked at.
    double value(const Chain& chain);
    /// The value, with every chain that exceeds memory behind every one that fits, less excess first.
    double score(const Chain& chain) { return score_of(value(chain), excess(chain)); }
    static double score_of(double value, double excess) { return excess > 0 ? infeasible * (1 + excess) + value : value; }
    static bool fits(double score) { return score < infeasible; }
    const ChainCosts& costs() const { return costs_; }
    /// Chains priced so far.
    long evaluations() const { return evaluations_; }

private:
    static constexpr double infeasible = 1e12;
    void fill(const Chain& chain);

    const ChainCosts& costs_;
    Evaluator evaluator_;
    std::vector<double> buffer_;
    StageCosts views_;
    bool routed_ = true;
    long evaluations_ = 0;
};

/// The chain as a plan (figures not yet predicted).
Plan to_plan(const ChainCosts& costs, const Chain& chain, std::string planner);

/// Settings that the problem leaves open: its stages and variants, or every possible one. S runs up to the number of
/// usable devices and layers.
std::vector<ChainSetting> open_settings(const Problem& problem);

}  // namespace nnpiper
