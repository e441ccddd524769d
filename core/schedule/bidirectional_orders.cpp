// SPDX-License-Identifier: GPL-3.0-or-later
// Two chains over the same devices: Chimera (Li and Hoefler 2021) and DualPipe (DeepSeek-AI 2024).
#include "core/schedule/orders.h"

#include "core/schedule/dualpipe_lists.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace nnpiper {

// Slots of a unit of D micro-batches, half in each direction: forward of stage s at 2i + s, backward at 2i + 2D - 1 - s;
// the next unit starts 2D slots later. A device's list is its ops by slot, which never collide for an even D.
OpOrder chimera_order(const StageMap& map, int micro_batches)
{
    const int depth = map.stages;
    const int half = depth / 2;
    OpOrder order(static_cast<std::size_t>(map.devices));
    std::vector<std::vector<std::pair<int, Op>>> slots(static_cast<std::size_t>(map.devices));
    for (int chain = 0; chain < 2; ++chain) {
        const auto [first, end] = micro_batches_of_chain(map, chain, micro_batches);
        for (int m = first; m < end; ++m) {
            const int unit = (m - first) / half;
            const int i = (m - first) % half;
            for (int s = 0; s < depth; ++s) {
                const int stage = chain * depth + s;
                auto& list = slots[static_cast<std::size_t>(map.device(stage))];
                list.push_back({2 * depth * unit + 2 * i + s, {OpKind::forward, stage, m}});
                list.push_back({2 * depth * unit + 2 * i + 2 * depth - 1 - s, {OpKind::backward, stage, m}});
            }
        }
    }
    for (std::size_t d = 0; d < slots.size(); ++d) {
        std::stable_sort(slots[d].begin(), slots[d].end(),
                         [](const auto& a, const auto& b) { return a.first < b.first; });
        for (const auto& [slot, op] : slots[d])
            order[d].push_back(op);
    }
    return order;
}

OpOrder dualpipe_order(const StageMap& map, int micro_batches)
{
    const int p = map.devices;
    const int each = micro_batches / 2;
    OpOrder order;
    for (int d = 0; d < p; ++d) {
        const int depth = std::min(d, p - 1 - d);
        DualPipeSide near{d, 0};
        DualPipeSide far{2 * p - 1 - d, each};
        if (d >= p / 2)
            std::swap(near, far);
        order.push_back(dualpipe_list(near, far, depth, p / 2, each, depth == p / 2 - 1));
    }
    return order;
}

}  // namespace nnpiper
