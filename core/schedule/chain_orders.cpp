// SPDX-License-Identifier: GPL-3.0-or-later
// One chain with one chunk a device: GPipe (Huang et al. 2019), 1F1B with any launch counts (Narayanan et al. 2021),
// ZB-H1 and ZB-H2 (Qi et al. 2024), forward only.
#include "core/schedule/orders.h"

#include <algorithm>
#include <cstddef>

namespace nnpiper {

namespace {

/// One list a stage, made by `fill(list, stage)`.
template <class Fill> OpOrder each_stage(int stages, Fill fill)
{
    OpOrder order(static_cast<std::size_t>(stages));
    for (int s = 0; s < stages; ++s)
        fill(order[static_cast<std::size_t>(s)], s);
    return order;
}

}  // namespace

OpOrder gpipe_order(int stages, int micro_batches)
{
    return each_stage(stages, [&](std::vector<Op>& ops, int s) {
        for (int m = 0; m < micro_batches; ++m)
            ops.push_back({OpKind::forward, s, m});
        for (int m = micro_batches - 1; m >= 0; --m)
            ops.push_back({OpKind::backward, s, m});
    });
}

OpOrder launch_order(const std::vector<int>& launch_counts, int micro_batches)
{
    return each_stage(static_cast<int>(launch_counts.size()), [&](std::vector<Op>& ops, int s) {
        const int warm_up = std::min(micro_batches, launch_counts[static_cast<std::size_t>(s)] - 1);
        int next = 0;
        for (; next < warm_up; ++next)
            ops.push_back({OpKind::forward, s, next});
        for (int m = 0; m < micro_batches; ++m) {
            if (next < micro_batches)
                ops.push_back({OpKind::forward, s, next++});
            ops.push_back({OpKind::backward, s, m});
        }
    });
}

OpOrder forward_order(int stages, int micro_batches)
{
    return each_stage(stages, [&](std::vector<Op>& ops, int s) {
        for (int m = 0; m < micro_batches; ++m)
            ops.push_back({OpKind::forward, s, m});
    });
}

// p-1-s warm-up forwards, then forward, input gradient and, from the s-th on, weight gradient of s micro-batches ago.
OpOrder zb_h1_order(int stages, int micro_batches)
{
    return each_stage(stages, [&](std::vector<Op>& ops, int s) {
        int next = 0;
        for (; next < std::min(micro_batches, stages - 1 - s); ++next)
            ops.push_back({OpKind::forward, s, next});
        int weight = 0;
        for (int m = 0; m < micro_batches; ++m) {
            if (next < micro_batches)
                ops.push_back({OpKind::forward, s, next++});
            ops.push_back({OpKind::backward_input, s, m});
            if (m >= s)
                ops.push_back({OpKind::backward_weight, s, weight++});
        }
        while (weight < micro_batches)
            ops.push_back({OpKind::backward_weight, s, weight++});
    });
}

// 2(p-s)-1 forwards, then input gradient, weight gradient of 2s (lag x s) micro-batches ago, forward.
OpOrder zb_h2_order(int stages, int micro_batches, double weight_lag)
{
    return each_stage(stages, [&](std::vector<Op>& ops, int s) {
        int next = 0;
        for (; next < std::min(micro_batches, 2 * (stages - s) - 1); ++next)
            ops.push_back({OpKind::forward, s, next});
        int weight = 0;
        for (int m = 0; m < micro_batches; ++m) {
            ops.push_back({OpKind::backward_input, s, m});
            if (m >= static_cast<int>(weight_lag * s))
                ops.push_back({OpKind::backward_weight, s, weight++});
            if (next < micro_batches)
                ops.push_back({OpKind::forward, s, next++});
        }
        while (weight < micro_batches)
            ops.push_back({OpKind::backward_weight, s, weight++});
    });
}

std::vector<int> default_launch_counts(ScheduleKind kind, int stages)
{
    std::vector<int> counts;
    for (int s = 0; s < stages; ++s)
        counts.push_back(kind == ScheduleKind::eager ? 2 * (stages - s) - 1 : stages - s);
    return counts;
}

}  // namespace nnpiper
