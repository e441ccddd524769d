// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planners/literature/stage_cut.h"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace nnpiper {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

std::size_t at(int i)
{
    return static_cast<std::size_t>(i);
}

class LeastSum {
public:
    explicit LeastSum(const StageCutCosts& costs)
        : stages_(costs.stages)
        , layers_(costs.layers)
        , stage_s_(at(stages_) * at(layers_ + 1) * at(layers_ + 1), infinite)
        , transfer_s_(at(stages_) * at(layers_ + 1), 0)
        , sum_(at(stages_ + 1) * at(layers_ + 1))
        , choice_(sum_.size())
    {
        for (int s = 0; s < stages_; ++s) {
            for (int first = s; first < layers_; ++first) {
                for (int end = first + 1; end <= layers_; ++end) {
                    if (!costs.fits || costs.fits(s, first, end))
                        stage_s_[index(s, first, end)] = costs.stage_s(s, first, end);
                }
            }
            for (int cut = 1; s + 1 < stages_ && cut < layers_; ++cut)
                transfer_s_[at(s) * at(layers_ + 1) + at(cut)] = costs.transfer_s(s, cut);
        }
    }

    /// The least sum with every stage below `limit`; false when there is none.
    bool solve(double limit, StageCut& cut, double& largest)
    {
        std::fill(sum_.begin(), sum_.end(), infinite);
        sum_[at(stages_) * at(layers_ + 1) + at(layers_)] = 0;
        for (int s = stages_ - 1; s >= 0; --s) {
            const double* const behind = sum_.data() + at(s + 1) * at(layers_ + 1);
            const double* const transfer = transfer_s_.data() + at(s) * at(layers_ + 1);
            for (int first = s; first <= layers_ - (stages_ - s); ++first) {
                const double* const own = stage_s_.data() + index(s, first, 0);
                double best = infinite;
                for (int end = first + 1; end <= layers_ - (stages_ - 1 - s); ++end) {
                    const double sum = own[end] + transfer[end] + behind[end];
                    if (own[end] < limit && sum < best) {
                        best = sum;
                        choice_[at(s) * at(layers_ + 1) + at(first)] = end;
                    }
                }
                sum_[at(s) * at(layers_ + 1) + at(first)] = best;
            }
        }
        if (!(sum_[0] < infinite))
            return false;
        cut.end.clear();
        cut.cost_s = sum_[0];
        largest = 0;
        int first = 0;
        for (int s = 0; s < stages_; ++s) {
            const int end = choice_[at(s) * at(layers_ + 1) + at(first)];
            largest = std::max(largest, stage_s_[index(s, first, end)]);
            cut.end.push_back(end);
            first = end;
        }
        return true;
    }

private:
    std::size_t index(int s, int first, int end) const
    {
        return (at(s) * at(layers_ + 1) + at(first)) * at(layers_ + 1) + at(end);
    }

    int stages_;
    int layers_;
    std::vector<double> stage_s_;     ///< [stage][first][end]
    std::vector<double> transfer_s_;  ///< [stage][end]
    std::vector<double> sum_;         ///< [stage][first] from there to the end
    std::vector<int> choice_;
};

}  // namespace

std::optional<StageCut> cheapest_cut(const StageCutCosts& costs, const Control& control)
{
    if (costs.stages < 1 || costs.stages > costs.layers)
        return std::nullopt;
    LeastSum table(costs);
    std::optional<StageCut> best;
    StageCut cut;
    double largest = infinite;
    for (double limit = infinite; table.solve(limit, cut, largest); limit = largest) {
        // Sums only grow as the limit falls.
        if (best && cut.cost_s >= best->cost_s)
            break;
        cut.cost_s += (costs.micro_batches - 1) * largest;
        if (!best || cut.cost_s < best->cost_s)
            best = cut;
        if (control.should_stop())
            break;
    }
    return best;
}

}  // namespace nnpiper
