// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/moment.h"

#include <algorithm>
#include <cstddef>

namespace nnpiper {

Moment moment_of(const Timeline& timeline, double time_s)
{
    Moment moment;
    for (int d = 0; d < timeline.rows(); ++d) {
        const auto begin = timeline.ops.begin() + timeline.first_op[static_cast<std::size_t>(d)];
        const auto end = timeline.ops.begin() + timeline.first_op[static_cast<std::size_t>(d) + 1];
        auto op = std::partition_point(begin, end, [&](const TimelineOp& o) { return o.end_s <= time_s; });
        for (; op != end && op->start_s <= time_s; ++op)
            moment.ops.push_back(static_cast<int>(op - timeline.ops.begin()));
    }
    for (std::size_t i = 0; i < timeline.transfers.size(); ++i) {
        const TimelineTransfer& message = timeline.transfers[i];
        if (message.start_s <= time_s && time_s < message.arrive_s)
            moment.transfers.push_back(static_cast<int>(i));
    }
    return moment;
}

std::vector<double> event_times_s(const Timeline& timeline)
{
    std::vector<double> times;
    times.reserve(2 * timeline.ops.size());
    for (const TimelineOp& op : timeline.ops) {
        times.push_back(op.start_s);
        times.push_back(op.end_s);
    }
    std::sort(times.begin(), times.end());
    times.erase(std::unique(times.begin(), times.end()), times.end());
    return times;
}

}  // namespace nnpiper
