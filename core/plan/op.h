// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

namespace nnpiper {

enum class OpKind : unsigned char {
    forward,
    backward,         ///< input and weight gradient in one
    backward_input,
    backward_weight,
};

/// One piece of work of one stage for one micro-batch. Bidirectional schedules run a second chain of the same stages:
/// stage S + s is stage s of that chain (see StageMap).
struct Op {
    OpKind kind = OpKind::forward;
    int stage = 0;
    int micro_batch = 0;
    bool paired = false;  ///< runs overlapped with the op behind it in its list

    bool operator==(const Op&) const = default;
};

/// What every device group runs, strictly in order: [device group][position].
using OpOrder = std::vector<std::vector<Op>>;

}  // namespace nnpiper
