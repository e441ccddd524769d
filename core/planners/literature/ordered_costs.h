// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/planners/literature/ordered_links.h"
#include "core/problem/problem.h"

#include <vector>

namespace nnpiper {

/// What a planner of the literature settles outside its recurrence.
struct OrderedSetting {
    int micro_batch_samples = 1;
    int micro_batches = 1;
    Recompute recompute = Recompute::none;
    std::vector<int> degrees;  ///< tensor-parallel degrees that the problem leaves open and prices, ascending
};

/// The micro-batch sizes and recompute policies that the problem leaves open. A planner that knows no tensor
/// parallelism uses degree 1 alone and leaves out settings without it.
std::vector<OrderedSetting> ordered_settings(const Problem& problem);

/// Layers [first, end) on the devices that stand at positions [from, to) of the order, as replicas of t devices each.
struct StageRun {
    int first = 0;
    int end = 0;
    int from = 0;
    int to = 0;
    int tensor_parallel = 1;

    int devices() const { return to - from; }
    int replicas() const { return (to - from) / tensor_parallel; }
};

/// A problem as the dynamic programmes of the literature see it: one setting, devices in a fixed order, stages on runs
/// of neighbours. `as_published`: every device is the mean device (with the least memory), all links the mean link,
/// shares are equal. `true_costs`: every device and link as it is, shares by speed; equal to what `lay_out` says of the
/// same stage, but for messages between unlike runs and for links whose speed depends on the message's size (the mean
/// output's and the mean stage's gradient are taken). Prefix sums: a stage of one kind of device is priced in O(1),
/// else in O(samples x kinds). Seconds and bytes are per micro-batch where nothing else is said.
class OrderedCosts {
public:
    /// `links` must live as long.
    OrderedCosts(const Problem& problem, const OrderedSetting& setting, const OrderedLinks& links);

    const Problem& problem() const { return *problem_; }
    const OrderedSetting& setting() const { return setting_; }
    const OrderedLinks& links() const { return *links_; }
    int layers() const { return layers_; }
    int devices() const { return static_cast<int>(links_->order().size()); }
    int samples() const { return setting_.micro_batch_samples; }
    int micro_batches() const { return setting_.micro_batches; }
    /// Most replicas of a stage: one a sample, one alone where the problem does not allow more.
    int most_replicas() const { return most_replicas_; }

    /// Groups of one type inside one node, at most a replica a sample, all devices connected.
    bool possible(int from, int to, int tensor_parallel) const;
    /// Runs [from, to) and the one as long at `other` cost the same in every stage, with the messages to and from the
    /// devices next to them.
    bool same_run(int from, int other, int to, int tensor_parallel) const;
    /// The slowest replica's; the run must be possible.
    double forward_s(const StageRun& run) const;
    double backward_s(const StageRun& run) const;
    double stage_s(const StageRun& run) const;
    /// Once an iteration, among the replicas.
    double sync_s(const StageRun& run) const;
    /// Bytes that one device holds of a stage, on the replica with the largest share.
    double state_bytes(const StageRun& run) const;
    double stored_bytes(const StageRun& run) const;     ///< of each micro-batch in flight
    double transient_bytes(const StageRun& run) const;  ///< working space and boundary buffers
    /// Every device has the memory for `in_flight` micro-batches.
    bool fits(const StageRun& run, int in_flight) const { return in_flight <= most_in_flight(run); }
    /// Micro-batches that every device has the memory for, 0 for none.
    int most_in_flight(const StageRun& run) const;

    /// Of a micro-batch, handed on behind layer `cut` - 1; the same comes back.
    double output_bytes(int cut) const { return output_bytes_[at(cut - 1)]; }
    /// What tensor-parallel slices hold of the gradients that replicas all-reduce; 0 where the problem does not know.
    double gradient_bytes(int first, int end, int tensor_parallel) const;
    /// Behind layer `cut` - 1 from the run [from, middle) to [middle, to) and back: busiest port over the slowest pair.
    BoundaryTime transfer_s(int cut, int from, int middle, int to) const
    {
        return links_->transfer_s(output_bytes(cut), from, middle, to);
    }

    Stage stage(const StageRun& run) const;

private:
    static std::size_t at(int i) { return static_cast<std::size_t>(i); }

    /// A group of t devices with its times, prefix sums [share - 1][0..L].
    struct Kind {
        double capacity = 0;
        std::vector<double> forward, backward;
        bool operator==(const Kind&) const = default;
    };
    struct Share {
        int kind = 0;
        int samples = 0;  ///< of its largest replica
        int larger = 0;   ///< replicas that have that many, the others one less
    };
    struct Bytes {
        double state = 0;
        double stored = 0;     ///< of a whole micro-batch
        double transient = 0;  ///< of a whole micro-batch, with buffers
    };
    /// One tensor-parallel degree.
    struct Degree {
        int tensor_parallel = 1;
        std::vector<Kind> kinds;
        std::vector<int> kind_at;  ///< [position] of the group that begins there, -1: none
        std::vector<double> whole_state, sharded_state, scattered, gathered, stored;  ///< prefix sums [0..L]
        std::vector<double> transient, buffer, carried;                               ///< [layer]
        std::vector<double> largest_transient;                                        ///< [first x L + last]
        std::vector<std::vector<std::vector<std::pair<int, int>>>>
            runs;  ///< [from][replicas - 1] kinds and how many; empty: not possible
        std::vector<std::vector<CommunicationSpeed>> rings;  ///< [from][replicas - 1]
    };

    void add_degree(const Variant& variant);
    void add_kinds(Degree& degree, const Variant& variant) const;
    void add_runs(Degree& degree) const;
    const Degree* find(int tensor_parallel) const;
    Bytes bytes_of(const Degree& degree, const StageRun& run) const;
    /// Calls visit(Share) for every kind of the run.
    template <class Visit>
    void each_share(const Degree& degree, const StageRun& run, const Visit& visit) const;
    /// Infinite for more samples than a micro-batch has.
    double pass_s(const Degree& degree, const StageRun& run, int kind, int share, bool forward) const;

    const Problem* problem_;
    OrderedSetting setting_;
    const OrderedLinks* links_;
    int layers_;
    int most_replicas_;
    std::vector<double> output_bytes_;
    std::vector<Degree> degrees_;
};

}  // namespace nnpiper
