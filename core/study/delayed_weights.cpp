// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/delayed_weights.h"

#include <algorithm>
#include <cmath>

namespace nnpiper {

OpOrder delayed_weights_order(int stages, int micro_batches, double lag)
{
    OpOrder order;
    for (int s = 0; s < stages; ++s) {
        std::vector<Op> ops;
        int forward = 0, weight = 0;
        const auto run = [&](OpKind kind, int& next) { ops.push_back({kind, s, next++, false}); };
        while (forward < std::min(micro_batches, 2 * (stages - s) - 1))
            run(OpKind::forward, forward);
        const int put_off = static_cast<int>(std::floor(lag * s));
        for (int backward = 0; backward < micro_batches;) {
            run(OpKind::backward_input, backward);
            if (backward - weight > put_off)
                run(OpKind::backward_weight, weight);
            if (forward < micro_batches)
                run(OpKind::forward, forward);
        }
        while (weight < micro_batches)
            run(OpKind::backward_weight, weight);
        order.push_back(std::move(ops));
    }
    return order;
}

}  // namespace nnpiper
