// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan/plan.h"
#include "core/planners/groups/group_links.h"
#include "core/planners/groups/group_times.h"
#include "core/problem/problem.h"
#include "core/simulator/evaluator.h"

#include <limits>
#include <string>
#include <vector>

namespace nnpiper {

/// A stage as search over groups handles it: R replicas of t devices each.
struct GroupStage {
    std::vector<int> devices;  ///< R x t, indices into the problem; those of a replica one after the other
    std::vector<int> shares;   ///< [replica] samples of a micro-batch
    int tensor_parallel = 1;   ///< t
    Recompute recompute = Recompute::none;
    int end = 0;  ///< one behind its last layer

    int replicas() const { return static_cast<int>(shares.size()); }
    bool operator==(const GroupStage&) const = default;
};

struct GroupChain {
    std::vector<GroupStage> stages;

    int size() const { return static_cast<int>(stages.size()); }
    int first(int stage) const { return stage == 0 ? 0 : stages[static_cast<std::size_t>(stage - 1)].end; }
    bool operator==(const GroupChain&) const = default;
};

/// Number and size of micro-batches, and the schedule (1F1B or GPipe) under which a chain is priced.
struct GroupSetting {
    int micro_batch_samples = 1;
    int micro_batches = 1;
    ScheduleKind schedule = ScheduleKind::one_f_one_b;
};

/// What a chain costs; lower is better.
struct GroupPrice {
    double value = 0;   ///< by the problem's objective: seconds or dollars per sample, or seconds per iteration
    double excess = 0;  ///< memory beyond the devices' capacity in parts of it, summed, and 1 for every broken lock

    /// Every chain that fits comes before every one that does not.
    double score() const;
    bool fits() const { return !(excess > 0); }
    /// What a walk that may cross chains that exceed memory goes by: 100 % of a device's memory too much cost five
    /// times the value.
    double walk() const { return value * (1 + 5 * excess); }
};

/// Prices chains of groups by the fast engine: stages that have not changed since the last chain are not priced again,
/// and nothing is allocated once all shares have been seen. Equal to `predict_fast` where the parts of a message share
/// no link, else what the detailed engine says of the message alone.
class GroupEvaluator {
public:
    /// `problem` must live as long.
    GroupEvaluator(const Problem& problem, const GroupSetting& setting);

    const Problem& problem() const { return *problem_; }
    const GroupSetting& setting() const { return setting_; }
    GroupTimes& times() { return times_; }
    GroupLinks& links() { return links_; }

    /// A chain whose walk() is above `limit` for certain is not simulated: its price is then a lower bound.
    GroupPrice price(const GroupChain& chain, double limit = std::numeric_limits<double>::infinity());
    /// Of the last chain priced: seconds that a stage computes for a micro-batch.
    double stage_s(int stage) const { return priced_[at(stage)].forward + priced_[at(stage)].backward; }
    /// Of the last chain priced: seconds for all-reduce and update, once an iteration.
    double step_s(int stage) const { return priced_[at(stage)].step; }

    /// Shares by speed: one sample each, then always one more to the replica that is done with it first.
    void balance(GroupStage& stage, int first);

    /// Chains priced so far.
    long evaluations() const { return evaluations_; }

private:
    struct Priced {
        GroupStage stage;
        int first = -1;
        double forward = 0;
        double backward = 0;
        double step = 0;       ///< all-reduce and update, once an iteration
        double state = 0;      ///< bytes of each device
        double stored = 0;     ///< bytes of a whole micro-batch in flight
        double transient = 0;  ///< bytes of a whole micro-batch
        double dollars_per_s = 0;
        bool possible = true;       ///< priced degree and policy, devices that reach each other
        GroupLinks::Ranges ranges;  ///< [device] samples that it hands on
    };
    struct Place {
        int device;
        const Lock* lock;
    };

    static std::size_t at(int i) { return static_cast<std::size_t>(i); }
    void price_stage(Priced& priced);
    bool price_boundary(const Priced& before, const Priced& behind, int boundary);
    /// Prices the stages that have changed; false when one is not possible.
    bool update_stages(const GroupChain& chain);
    bool update_boundaries(int stages);
    /// No pass through the pipeline can be shorter: the last micro-batch leaves the busiest stage, and the first one
    /// has to get there and back.
    double least_makespan(int stages) const;
    double value_of(double makespan_s, int stages) const;
    double replica_s(const GroupStage& stage, int kind, int replica, int share, int first);
    double excess(const GroupChain& chain) const;
    double broken_locks(const GroupChain& chain) const;

    const Problem* problem_;
    GroupSetting setting_;
    GroupTimes times_;
    GroupLinks links_;
    Evaluator evaluator_;
    std::vector<Priced> priced_;  ///< at most as many as devices or layers
    int priced_stages_ = 0;
    std::vector<double> buffer_;
    StageCosts views_;
    std::vector<char> routed_;  ///< [boundary]
    std::vector<char> stale_;   ///< [boundary] a stage beside it has changed since it was priced
    std::vector<double> price_per_s_;
    std::vector<Place> places_;  ///< of locked devices; a null lock: idle
    long evaluations_ = 0;
};

/// The chain as a plan (figures not yet predicted).
Plan to_plan(const Problem& problem, const GroupSetting& setting, const GroupChain& chain, std::string planner);
/// The stages of a valid plan of one chunk a device; the plan's own shares.
GroupChain to_groups(const Problem& problem, const Plan& plan);
/// Micro-batches and schedule of a valid plan.
GroupSetting group_setting(const Problem& problem, const Plan& plan);

}  // namespace nnpiper
