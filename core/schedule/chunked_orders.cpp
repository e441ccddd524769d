// SPDX-License-Identifier: GPL-3.0-or-later
// Several chunks a device in one chain: interleaved 1F1B (Narayanan et al. 2021, section 2.2), ZB-V (Qi et al. 2024,
// "Pipeline Parallelism with Controllable Memory") and DualPipeV (DeepSeek-AI 2025).
#include "core/schedule/orders.h"

#include "core/schedule/dualpipe_lists.h"

#include <algorithm>
#include <cstddef>

namespace nnpiper {

// The k-th forward is of chunk (k/p) % v and micro-batch (k/(pv)) p + k % p; backwards take the chunks from the last.
OpOrder interleaved_order(const StageMap& map, int micro_batches)
{
    const int p = map.devices;
    const int v = map.chunks();
    const int total = micro_batches * v;
    if (v == 1)
        return launch_order(default_launch_counts(ScheduleKind::one_f_one_b, p), micro_batches);
    OpOrder order(static_cast<std::size_t>(p));
    for (int d = 0; d < p; ++d) {
        auto& ops = order[static_cast<std::size_t>(d)];
        const auto push = [&](OpKind kind, int k) {
            const int turn = k / p % v;
            const int chunk = kind == OpKind::forward ? turn : v - 1 - turn;
            ops.push_back({kind, chunk * p + d, k / (p * v) * p + k % p});
        };
        const int warm_up = std::min(total, 2 * (p - d - 1) + (v - 1) * p);
        int next = 0;
        for (; next < warm_up; ++next)
            push(OpKind::forward, next);
        for (int k = 0; k < total; ++k) {
            if (next < total)
                push(OpKind::forward, next++);
            push(OpKind::backward, k);
        }
    }
    return order;
}

namespace {

/// Writes one device's list of a V: chunk 0 on the way down, chunk 1 on the way up. Numbers beyond the last micro-batch,
/// which the pattern of a short pipeline runs into, are left out.
class VList {
public:
    VList(std::vector<Op>& ops, int down_stage, int up_stage, int micro_batches)
        : ops_(ops), stage_{down_stage, up_stage}, micro_batches_(micro_batches)
    {
    }

    void forward(int chunk) { push(OpKind::forward, chunk, forwards[chunk]++); }
    void input(int chunk) { push(OpKind::backward_input, chunk, inputs[chunk]++); }
    void weight(int chunk) { push(OpKind::backward_weight, chunk, weights[chunk]++); }
    void backward(int chunk)
    {
        input(chunk);
        weight(chunk);
    }

    int forwards[2] = {0, 0};
    int inputs[2] = {0, 0};
    int weights[2] = {0, 0};

private:
    void push(OpKind kind, int chunk, int micro_batch)
    {
        if (micro_batch < micro_batches_)
            ops_.push_back({kind, stage_[chunk], micro_batch});
    }

    std::vector<Op>& ops_;
    int stage_[2];
    int micro_batches_;
};

}  // namespace

// Warm-up: as many forwards down as it takes to come back up; then one forward and one whole backward of each chunk in
// turn; at the end the input gradients run ahead and the weight gradients fill in.
OpOrder zb_v_order(const StageMap& map, int micro_batches)
{
    const int p = map.devices;
    const int m = std::max(2 * p - 1, micro_batches);
    OpOrder order(static_cast<std::size_t>(p));
    for (int d = 0; d < p; ++d) {
        VList list(order[static_cast<std::size_t>(d)], d, 2 * p - 1 - d, micro_batches);
        for (int i = 0; i < 2 * (p - d) - 1; ++i)
            list.forward(0);
        for (int i = 0; i < d; ++i) {
            list.forward(1);
            list.forward(0);
        }
        for (int i = 0; i < p - d; ++i) {
            list.forward(1);
            list.backward(1);
        }
        while (list.forwards[1] < list.forwards[0] || list.forwards[0] < m) {
            if (list.forwards[0] < m)
                list.forward(0);
            list.backward(0);
            list.forward(1);
            list.backward(1);
        }
        for (int i = 0; i < d; ++i) {
            list.input(0);
            list.input(1);
        }
        for (int i = 0; i < p - d; ++i) {
            list.input(0);
            list.weight(0);
        }
        while (list.weights[1] < list.inputs[1])
            list.weight(1);
        while (list.weights[0] < list.inputs[0])
            list.weight(0);
    }
    return order;
}

OpOrder dualpipe_v_order(const StageMap& map, int micro_batches)
{
    const int p = map.devices;
    OpOrder order;
    for (int d = 0; d < p; ++d) {
        const DualPipeSide down{d, 0};
        const DualPipeSide up{2 * p - 1 - d, 0};
        order.push_back(dualpipe_list(down, up, d, p, micro_batches, d == p - 1));
    }
    return order;
}

}  // namespace nnpiper
