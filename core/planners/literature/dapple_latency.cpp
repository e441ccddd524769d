// SPDX-License-Identifier: GPL-3.0-or-later
// Fan et al., DAPPLE, PPoPP 2021, section 4.2:
//   L = sum over s <= Q of F_s + (M - 1)(F_Q + B_Q) + max over s of [ AR_s + (s <= Q ? sum of B_s..B_Q : - sum of
//   B_Q..B_s) ]
// The pivot Q is the last stage unless an earlier one's steady state outlasts the pivot's and all between them.
#include "core/planners/literature/dapple_latency.h"

#include <algorithm>
#include <cstddef>

namespace nnpiper {

double dapple_latency_s(const std::vector<DappleStage>& stages, int micro_batches)
{
    if (stages.empty())
        return 0;
    const auto both = [&](std::size_t s) { return stages[s].forward_s + stages[s].backward_s; };
    std::size_t pivot = stages.size() - 1;
    double between = 0;
    for (std::size_t s = pivot; s-- > 0;) {
        if ((micro_batches - 1) * both(s) > (micro_batches - 1) * both(pivot) + between) {
            pivot = s;
            between = 0;
        } else {
            between += both(s);
        }
    }
    double warm_up = 0;
    for (std::size_t s = 0; s <= pivot; ++s)
        warm_up += stages[s].forward_s;
    // Backward passes that still come on stage s, or have gone before, when the pivot begins its last one.
    double ending = 0;
    for (std::size_t s = 0; s < stages.size(); ++s) {
        double shift = 0;
        for (std::size_t a = std::min(s, pivot); a <= std::max(s, pivot); ++a)
            shift += stages[a].backward_s;
        if (s > pivot)
            shift = -shift;
        ending = std::max(ending, stages[s].all_reduce_s + shift);
    }
    return warm_up + (micro_batches - 1) * both(pivot) + ending;
}

}  // namespace nnpiper
