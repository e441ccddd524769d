// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nnpiper/decoder.h"

#include <algorithm>
#include <cmath>

namespace nnpiper {

std::vector<int> layer_counts(const NetworkQuestion& question, const Features& features, const DecodedOrder& order)
{
    const Problem& problem = *question.problem;
    const Variant& variant = problem.variants[static_cast<std::size_t>(question.variant)];
    const int layers = problem.layers();
    const int stages = features.stages;
    const auto fits = [&](int s, int first, int end) {
        const int in_flight = question.schedule == ScheduleKind::gpipe ? variant.micro_batches
                                                                      : std::min(variant.micro_batches, stages - s);
        const int device = features.device_index[static_cast<std::size_t>(order.devices[static_cast<std::size_t>(s)])];
        double bytes = 0, transient = 0;
        for (int l = first; l < end; ++l) {
            const auto i = static_cast<std::size_t>(l);
            bytes += problem.state_bytes[i] + variant.stored_bytes[i] * in_flight;
            transient = std::max(transient, variant.transient_bytes.empty() ? 0.0 : variant.transient_bytes[i]);
        }
        return bytes + transient <= problem.device_memory_bytes[static_cast<std::size_t>(device)];
    };
    // From the end: the first layer that the stages from s on can hold at the most.
    std::vector<int> earliest(static_cast<std::size_t>(stages) + 1, layers);
    for (int s = stages - 1; s > 0; --s) {
        const int end = earliest[static_cast<std::size_t>(s + 1)];
        int first = std::max(s, end - 1);
        while (first > s && fits(s, first - 1, end))
            --first;
        earliest[static_cast<std::size_t>(s)] = first;
    }
    std::vector<int> counts;
    int first = 0;
    double target = 0, work = 0;
    for (int s = 0; s < stages; ++s) {
        target += order.work_share[static_cast<std::size_t>(s)];
        const int most = layers - (stages - s - 1);
        const int least = std::clamp(earliest[static_cast<std::size_t>(s + 1)], first + 1, most);
        int end = first;
        while (end < most) {
            const double after = work + features.layer_work[static_cast<std::size_t>(end)];
            const bool nearer = std::abs(after - target) <= std::abs(work - target);
            if (end >= least && (!nearer || !fits(s, first, end + 1)))
                break;
            work = after;
            ++end;
        }
        counts.push_back(end - first);
        first = end;
    }
    return counts;
}

}  // namespace nnpiper
