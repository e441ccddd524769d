// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/schedule/launch_counts.h"

#include <algorithm>
#include <cmath>

namespace nnpiper {

namespace {

double longest(std::span<const StageRound> stages)
{
    double most = 0;
    for (const StageRound& stage : stages)
        most = std::max(most, stage.work_s);
    return most;
}

}  // namespace

double launch_period_s(std::span<const StageRound> stages, std::span<const int> launch_counts)
{
    double period = longest(stages);
    for (std::size_t i = 0; i < stages.size(); ++i) {
        double span = stages[i].work_s;
        for (std::size_t j = i + 1; j < stages.size(); ++j) {
            span += stages[j - 1].round_trip_s + stages[j].work_s;
            period = std::max(period, span / (launch_counts[i] - launch_counts[j] + 1));
        }
    }
    return period;
}

std::vector<int> least_launch_counts(std::span<const StageRound> stages)
{
    const double period = longest(stages);
    std::vector<int> counts(stages.size(), 1);
    for (std::size_t i = stages.size() - 1; period > 0 && i-- > 0;) {
        counts[i] = counts[i + 1] + 1;
        double span = stages[i].work_s;
        for (std::size_t j = i + 1; j < stages.size(); ++j) {
            span += stages[j - 1].round_trip_s + stages[j].work_s;
            // A hair of slack keeps 3.0000000001 from costing a whole activation.
            counts[i] = std::max(counts[i], static_cast<int>(std::ceil(counts[j] - 1 + span / period - 1e-9)));
        }
    }
    return counts;
}

}  // namespace nnpiper
