// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/problem/problem.h"

#include <vector>

namespace nnpiper {

/// Costs of layers on a device of a stage group for one size of micro-batch, as prefix sums: every policy and
/// tensor-parallel degree that the problem prices, every share of the micro-batch. Devices with equal times share their
/// sums; the sums of a share are made when first asked for. Seconds and bytes.
class GroupTimes {
public:
    GroupTimes(const Problem& problem, int micro_batch_samples);

    int samples() const { return samples_; }
    int layers() const { return layers_; }
    /// Devices of one class have equal times.
    int device_class(int device) const { return class_[at(device)]; }
    /// Index of a degree and policy for the calls below; -1 when the problem does not price it.
    int kind(int tensor_parallel, Recompute recompute) const;
    const std::vector<int>& degrees() const { return degrees_; }  ///< ascending
    const std::vector<Recompute>& policies() const { return policies_; }

    /// For `share` samples of the micro-batch, without what a tensor-parallel group exchanges.
    double forward(int kind, int share, int device, int first, int end)
    {
        const double* sums = table(kind, share, device);
        return sums[end] - sums[first];
    }
    double backward(int kind, int share, int device, int first, int end)
    {
        const double* sums = table(kind, share, device) + layers_ + 1;
        return sums[end] - sums[first];
    }
    /// Of a stage whose weights each device holds the t-th part of; not yet shared out to replicas.
    double optimizer(int kind, int device, int first, int end) const
    {
        const auto& sums = bytes_[at(kind)].optimizer;
        return sums.empty() ? 0 : range(sums, at(class_[at(device)]) * at(layers_ + 1), first, end);
    }
    double whole_state(int kind, int first, int end) const
    {
        return range(bytes_[at(kind)].whole_state, 0, first, end);
    }
    double sharded_state(int kind, int first, int end) const
    {
        return range(bytes_[at(kind)].sharded_state, 0, first, end);
    }
    /// What one ring of replicas scatters and gathers once an iteration.
    double scattered(int kind, int first, int end) const { return range(bytes_[at(kind)].scattered, 0, first, end); }
    double gathered(int kind, int first, int end) const { return range(bytes_[at(kind)].gathered, 0, first, end); }
    /// Kept for every micro-batch in flight, of a whole micro-batch, with what layers behind `first` read later.
    double stored(int kind, int first, int end) const;
    /// Working space and boundary buffers, of a whole micro-batch.
    double transient(int kind, int first, int end) const;
    /// Handed on behind layer end - 1.
    double output(int end) const { return whole_->output_bytes[at(end - 1)]; }

    /// Kinds of what a tensor-parallel group exchanges for a layer, and how many layers before each one have it.
    struct Exchange {
        std::vector<GroupTraffic> traffic;    ///< [class]
        std::vector<std::vector<int>> count;  ///< [class][0..L]
    };
    const Exchange& forward_exchange(int kind) const { return bytes_[at(kind)].forward_exchange; }
    const Exchange& backward_exchange(int kind) const { return bytes_[at(kind)].backward_exchange; }

private:
    struct Bytes {
        const Variant* variant = nullptr;
        std::vector<const Variant*> smaller;  ///< of the same degree and policy, ascending, itself the last
        std::vector<double> whole_state, sharded_state, scattered, gathered, stored;  ///< [0..L]
        std::vector<double> optimizer;                                                ///< [class][0..L]; empty: none
        std::vector<double> largest_transient;  ///< [first][last]; empty when all zero
        Exchange forward_exchange, backward_exchange;
    };

    static std::size_t at(int i) { return static_cast<std::size_t>(i); }
    static double range(const std::vector<double>& sums, std::size_t row, int first, int end)
    {
        return sums.empty() ? 0 : sums[row + at(end)] - sums[row + at(first)];
    }
    const double* table(int kind, int share, int device)
    {
        const auto& sums = tables_[(at(kind) * at(samples_) + at(share - 1)) * at(classes_) + at(class_[at(device)])];
        return sums.empty() ? fill(kind, share, device) : sums.data();
    }
    const double* fill(int kind, int share, int device);
    void classify(const Problem& problem);
    Bytes bytes_of(const Problem& problem, const Variant& variant) const;

    int samples_;
    int layers_;
    const Variant* whole_ = nullptr;
    std::vector<int> degrees_;
    std::vector<Recompute> policies_;
    std::vector<int> kinds_;    ///< [degree][policy]
    std::vector<Bytes> bytes_;  ///< [kind]
    std::vector<int> class_;    ///< [device]
    std::vector<int> example_;  ///< [class] a device
    int classes_ = 0;
    std::vector<std::vector<double>> tables_;  ///< [kind][share - 1][class]: forward and backward sums [0..L] each
};

}  // namespace nnpiper
