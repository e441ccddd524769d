// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nnpiper/decoder.h"

#include <algorithm>
#include <cmath>

namespace nnpiper {

namespace {

constexpr float least_share = 1e-6F;

/// Cuts of the layers along one order, by the shares that its stages should carry.
class ShareCuts {
public:
    ShareCuts(const NetworkQuestion& question, const Features& features, const DecodedOrder& order)
        : features_(features)
        , order_(order)
        , layers_(features.layers)
        , stages_(features.stages)
        , earliest_(static_cast<std::size_t>(stages_) + 1)
        , latest_(earliest_.size())
        , work_(static_cast<std::size_t>(stages_ * (layers_ + 1)), 0.0)
        , mean_work_(static_cast<std::size_t>(layers_) + 1, 0.0)
    {
        const Variant& variant = question.problem->variants[static_cast<std::size_t>(question.variant)];
        for (int s = 0; s < stages_; ++s) {
            double* const row = work_.data() + static_cast<std::ptrdiff_t>(s * (layers_ + 1));
            const int device = features.device_index[static_cast<std::size_t>(order.devices[static_cast<std::size_t>(s)])];
            for (int l = 0; l < layers_; ++l)
                row[l + 1] = row[l] + variant.forward_s(l, device) + variant.backward_input_s(l, device)
                             + variant.backward_weight_s(l, device);
            const double all = std::max(row[layers_], 1e-30);
            for (int l = 0; l <= layers_; ++l)
                row[l] /= all;
        }
        for (int l = 0; l < layers_; ++l)
            mean_work_[static_cast<std::size_t>(l) + 1] =
                mean_work_[static_cast<std::size_t>(l)] + features.layer_work[static_cast<std::size_t>(l)];
    }

    std::vector<int> counts()
    {
        double low = 0, high = 1;
        bool memory = true;
        while (!deal(high, memory)) {
            high *= 2;
            if (high > 2 / least_share) {
                memory = false;
                high = 1;
            }
        }
        for (int step = 0; step < 30; ++step) {
            const double middle = (low + high) / 2;
            (deal(middle, memory) ? high : low) = middle;
        }
        deal(high, memory);
        return nearest(high, memory);
    }

private:
    bool may(int s, int first, int end, double excess, bool memory) const
    {
        const double* const row = work_.data() + static_cast<std::ptrdiff_t>(s * (layers_ + 1));
        const auto i = static_cast<std::size_t>(s);
        const int memory_class = features_.memory_class[static_cast<std::size_t>(order_.devices[i])];
        return row[end] - row[first] <= std::max(least_share, order_.work_share[i]) * excess * (1 + 1e-9)
               && (!memory || features_.reach(s, memory_class, first) >= end);
    }

    /// Fills the latest ends, each stage taking all it may, and from behind the earliest ones; whether all layers go.
    bool deal(double excess, bool memory)
    {
        int end = 0;
        latest_[0] = 0;
        for (int s = 0; s < stages_; ++s) {
            const int first = end, most = layers_ - (stages_ - s - 1);
            while (end < most && may(s, first, end + 1, excess, memory))
                ++end;
            if (end == first)
                return false;
            latest_[static_cast<std::size_t>(s) + 1] = end;
        }
        if (end < layers_)
            return false;
        earliest_.back() = layers_;
        for (int s = stages_ - 1; s >= 0; --s) {
            int first = earliest_[static_cast<std::size_t>(s) + 1];
            const int behind = first;
            while (first > s && may(s, first - 1, behind, excess, memory))
                --first;
            if (first == behind)
                return false;
            earliest_[static_cast<std::size_t>(s)] = first;
        }
        return earliest_[0] == 0;
    }

    std::vector<int> nearest(double excess, bool memory) const
    {
        std::vector<int> result;
        int first = 0;
        double target = 0;
        for (int s = 0; s < stages_; ++s) {
            const auto i = static_cast<std::size_t>(s);
            target += order_.work_share[i];
            int best = -1;
            const int most = std::min(latest_[i + 1], layers_ - (stages_ - s - 1));
            for (int end = std::max(first + 1, earliest_[i + 1]); end <= most; ++end) {
                const auto off = [&](int e) { return std::abs(mean_work_[static_cast<std::size_t>(e)] - target); };
                if (may(s, first, end, excess, memory) && (best < 0 || off(end) < off(best)))
                    best = end;
            }
            if (best < 0)
                best = std::clamp(earliest_[i + 1], first + 1, layers_ - (stages_ - s - 1));
            result.push_back(best - first);
            first = best;
        }
        return result;
    }

    const Features& features_;
    const DecodedOrder& order_;
    int layers_, stages_;
    std::vector<int> earliest_, latest_;  ///< [0..S] of the end before a stage
    std::vector<double> work_;            ///< [S][0..L] time on the stage's device as share of its time for all layers
    std::vector<double> mean_work_;       ///< [0..L]
};

}  // namespace

std::vector<int> layer_counts(const NetworkQuestion& question, const Features& features, const DecodedOrder& order)
{
    return ShareCuts(question, features, order).counts();
}

}  // namespace nnpiper
