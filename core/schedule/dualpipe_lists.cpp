// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/schedule/dualpipe_lists.h"

namespace nnpiper {

namespace {

class List {
public:
    List(DualPipeSide near, DualPipeSide far) : side_{near, far} {}

    void forward(int side, bool paired = false)
    {
        ops_.push_back({OpKind::forward, side_[side].stage, side_[side].first_micro_batch + forwards_[side]++, paired});
    }
    void backward(int side)
    {
        ops_.push_back({OpKind::backward, side_[side].stage, side_[side].first_micro_batch + backwards_[side]++, false});
    }
    /// The input gradient; its weight gradient waits for weight().
    void input(int side)
    {
        const Op op{OpKind::backward_input, side_[side].stage, side_[side].first_micro_batch + backwards_[side]++, false};
        ops_.push_back(op);
        waiting_.push_back({OpKind::backward_weight, op.stage, op.micro_batch, false});
    }
    void weight()
    {
        ops_.push_back(waiting_[next_weight_++]);
    }
    void overlapped(int forward_side, int backward_side)
    {
        forward(forward_side, true);
        backward(backward_side);
    }
    void either(bool split, int side)
    {
        split ? input(side) : backward(side);
    }

    std::vector<Op> take() { return std::move(ops_); }

private:
    DualPipeSide side_[2];
    int forwards_[2] = {0, 0};
    int backwards_[2] = {0, 0};
    std::vector<Op> ops_;
    std::vector<Op> waiting_;  ///< weight gradients, first in first out
    std::size_t next_weight_ = 0;
};

}  // namespace

std::vector<Op> dualpipe_list(DualPipeSide near, DualPipeSide far, int depth, int half, int micro_batches,
                              bool innermost)
{
    List list(near, far);
    const int outside = half - 1 - depth;  // devices between this one and the innermost
    for (int i = 0; i < 2 * outside; ++i)
        list.forward(0);
    for (int i = 0; i < depth + 1; ++i) {
        list.forward(0);
        list.forward(1);
    }
    for (int i = 0; i < outside; ++i) {
        list.input(1);
        list.weight();
        list.forward(1);
    }
    for (int i = 0; i < micro_batches - 2 * half + depth + 1; ++i) {
        if (i == 0 && innermost) {
            list.forward(0);
            list.backward(1);
        } else {
            list.overlapped(0, 1);
        }
        list.overlapped(1, 0);
    }
    for (int i = 0; i < outside; ++i) {
        list.backward(1);
        list.overlapped(1, 0);
    }
    // From the middle of this step on, weight gradients are put off to fill the drain.
    bool split = false;
    for (int i = 0; i < depth + 1; ++i) {
        const bool middle = i == (depth + 1) / 2;
        split = split || (middle && depth % 2 == 1);
        list.either(split, 1);
        split = split || (middle && depth % 2 == 0);
        list.either(split, 0);
    }
    for (int i = 0; i < outside; ++i) {
        list.weight();
        list.input(0);
    }
    for (int i = 0; i < depth + 1; ++i)
        list.weight();
    return list.take();
}

}  // namespace nnpiper
