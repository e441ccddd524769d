// SPDX-License-Identifier: GPL-3.0-or-later
// pipedream (Narayanan et al., PipeDream, SOSP 2019), equal machines, on plain arrays:
//   A(i, j, m) = min{ R(i, j, m), min over k, m' of max[ A(i, k, m - m'), 2 a_k / (beta m'), R(k, j, m') ] }
//   R(i, j, m) = (T(i, j) + 4 (m - 1) w(i, j) / (beta m)) / m
// T is the layers' time on one machine: of the first level the sum over its layers, of the next one A(i, j, all
// machines) of the level before. a_k are the bytes at cut k, w the weight bytes, beta the level's bandwidth. As in the
// authors' program, the devices of a machine of the level before share out the weights of a first stage among them.
#include "core/planners/literature/pipedream_recurrence.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace nnpiper {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

std::size_t at(int i)
{
    return static_cast<std::size_t>(i);
}

/// One level for one first layer i: A(i, j, m) with where it came from.
struct Row {
    int machines = 0;
    int planes = 1;
    std::vector<double> best;
    std::vector<std::pair<int, int>> from;  ///< cut and machines before it; (-1, 0): one stage

    std::size_t index(int plane, int j, int m) const
    {
        return (at(plane) * (best.size() / at(planes) / at(machines + 1)) + at(j)) * at(machines + 1) + at(m);
    }
};

class Solver {
public:
    Solver(const PipeDreamChain& chain, const std::vector<PipeDreamLevel>& levels, const PipeDreamLimits& limits,
           const Control& control)
        : chain_(chain)
        , levels_(levels)
        , limits_(limits)
        , control_(control)
        , layers_(static_cast<int>(chain.time_s.size()))
    {
        weights_.push_back(0);
        for (const double bytes : chain.weight_bytes)
            weights_.push_back(weights_.back() + bytes);
        time_.assign(at(layers_ + 1) * at(layers_ + 1), infinite);
        for (int i = 0; i < layers_; ++i) {
            double total = 0;
            for (int j = i; j < layers_; ++j)
                time(i, j + 1) = total += chain.time_s[at(j)];
        }
    }

    PipeDreamAnswer answer()
    {
        PipeDreamAnswer result;
        for (std::size_t level = 0; level < levels_.size(); ++level) {
            const bool last = level + 1 == levels_.size();
            std::vector<Row> rows;
            for (int i = 0; i < (last ? 1 : layers_); ++i) {
                if (control_.should_stop())
                    return result;
                rows.push_back(row_of(level, i));
            }
            if (control_.should_stop())
                return result;
            for (int i = 0; i < (last ? 0 : layers_); ++i) {
                for (int j = i + 1; j <= layers_; ++j)
                    time(i, j) = rows[at(i)].best[rows[at(i)].index(0, j, levels_[level].machines)];
            }
            rows_.push_back(std::move(rows));
        }
        const Row& top = rows_.back().front();
        int machines = top.machines;
        for (int fewer = machines; fewer > 0; --fewer) {
            if (value_of(top, layers_, fewer) < value_of(top, layers_, machines))
                machines = fewer;
        }
        if (!std::isfinite(value_of(top, layers_, machines)))
            return result;
        result.bottleneck_s = value_of(top, layers_, machines);
        collect(static_cast<int>(levels_.size()) - 1, 0, layers_, machines, {0}, result.stages);
        return result;
    }

private:
    double& time(int i, int j) { return time_[at(i) * at(layers_ + 1) + at(j)]; }

    double replicated(const PipeDreamLevel& level, int i, int j, int m, int senders = 1)
    {
        const double weights = (weights_[at(j)] - weights_[at(i)]) / senders;
        return (time(i, j) + 4 * (m - 1) * weights / (level.bytes_per_s * m)) / m;
    }

    Row row_of(std::size_t level_index, int i)
    {
        const PipeDreamLevel& level = levels_[level_index];
        Row row;
        row.machines = level.machines;
        row.planes = limits_.stages.value_or(1);
        row.best.assign(at(row.planes) * at(layers_ + 1) * at(level.machines + 1), infinite);
        row.from.assign(row.best.size(), {-1, 0});
        const int most = std::min(level.machines, limits_.most_replicas);
        const int inner = level_index > 0 ? levels_[level_index - 1].machines : 1;
        for (int j = i + 1; j <= layers_; ++j) {
            for (int m = 1; m <= most; ++m)
                row.best[row.index(0, j, m)] = replicated(level, i, j, m, inner);
            // Planes that the layers before k can fill and those behind j still can.
            const int low = limits_.stages ? std::max(1, row.planes - 1 - (layers_ - j)) : 0;
            for (int k = i + 1; k < j; ++k) {
                if (control_.should_stop())
                    return row;
                const double message = 2 * chain_.output_bytes[at(k - 1)] / level.bytes_per_s;
                const int high = limits_.stages ? std::min(row.planes - 1, k - i) : 0;
                for (int own = 1; own <= most; ++own) {
                    const double cost = std::max(message / own, replicated(level, k, j, own));
                    for (int plane = low; plane <= high; ++plane) {
                        const double* before = &row.best[row.index(limits_.stages ? plane - 1 : 0, k, 0)];
                        double* value = &row.best[row.index(plane, j, 0)];
                        std::pair<int, int>* from = &row.from[row.index(plane, j, 0)];
                        const int last = level.machines - (limits_.stages ? row.planes - 1 - plane : 0);
                        for (int m = own + std::max(1, plane); m <= last; ++m) {
                            const double trial = std::max(before[m - own], cost);
                            if (trial < value[m]) {
                                value[m] = trial;
                                from[m] = {k, m - own};
                            }
                        }
                    }
                }
            }
        }
        return row;
    }

    static double value_of(const Row& row, int end, int machines)
    {
        return row.best[row.index(row.planes - 1, end, machines)];
    }

    /// Stages of layers [first, end) on `machines` machines of a level, behind each of the devices `origins`.
    void collect(int level, int first, int end, int machines, const std::vector<int>& origins,
                 std::vector<PipeDreamStage>& stages) const
    {
        if (level < 0) {
            stages.push_back({first, end, origins});
            return;
        }
        const auto& rows = rows_[at(level)];
        const Row& row = rows[rows.size() == 1 ? 0 : at(first)];
        int unit = 1;
        for (int l = 0; l < level; ++l)
            unit *= levels_[at(l)].machines;
        struct Part {
            int first, end, offset, replicas;
        };
        std::vector<Part> parts;
        int plane = row.planes - 1;
        for (int j = end, m = machines; m > 0;) {
            const auto [cut, before] = row.from[row.index(plane, j, m)];
            parts.push_back({cut < 0 ? first : cut, j, before, m - before});
            j = cut;
            m = before;
            plane -= limits_.stages ? 1 : 0;
        }
        const int inner = level > 0 ? levels_[at(level - 1)].machines : 1;
        for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
            std::vector<int> own;
            for (const int origin : origins) {
                for (int replica = 0; replica < part->replicas; ++replica)
                    own.push_back(origin + (part->offset + replica) * unit);
            }
            collect(level - 1, part->first, part->end, inner, own, stages);
        }
    }

    const PipeDreamChain& chain_;
    const std::vector<PipeDreamLevel>& levels_;
    const PipeDreamLimits& limits_;
    const Control& control_;
    int layers_;
    std::vector<double> weights_;         ///< prefix sums
    std::vector<double> time_;            ///< T(i, j)
    std::vector<std::vector<Row>> rows_;  ///< [level][first layer]
};

}  // namespace

PipeDreamAnswer solve_pipedream(const PipeDreamChain& chain, const std::vector<PipeDreamLevel>& levels,
                                const PipeDreamLimits& limits, const Control& control)
{
    return Solver(chain, levels, limits, control).answer();
}

}  // namespace nnpiper
