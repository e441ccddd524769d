// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planners/literature/run_chain.h"

#include <algorithm>
#include <cstdint>

namespace nnpiper {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

std::size_t at(int i)
{
    return static_cast<std::size_t>(i);
}

class SuffixRuns {
public:
    SuffixRuns(const RunCosts& costs, int most_stages)
        : costs_(costs)
        , layers_(costs.layers)
        , devices_(costs.devices)
        , replicas_(std::min(costs.most_replicas, costs.devices))
        , stages_(most_stages)
        , best_(at(layers_ + 1) * at(stages_) * at(replicas_) * at(devices_ + 1), infinite)
        , choice_(best_.size())
    {
    }

    void solve(const Control& control)
    {
        if (!fill_transfers(control))
            return;
        std::vector<double> row(at(layers_ + 1));
        for (int first = layers_ - 1; first >= 0; --first) {
            for (int from = 0; from < devices_; ++from) {
                if (control.should_stop())
                    return;
                for (int r = 1; r <= std::min(replicas_, devices_ - from); ++r) {
                    costs_.stage_s(first, from, r, row);
                    fill(first, from, r, row);
                }
            }
        }
    }

    RunChain chain(int stages) const
    {
        RunChain result;
        int replicas = 0, used = 0;
        for (int i = 1; i <= devices_; ++i) {
            for (int r = 1; r <= std::min(replicas_, i); ++r) {
                if (best_[index(0, stages, r, i)] <= result.bottleneck_s && best_[index(0, stages, r, i)] < infinite) {
                    result.bottleneck_s = best_[index(0, stages, r, i)];
                    replicas = r;
                    used = i;
                }
            }
        }
        for (int first = 0; replicas > 0 && first < layers_;) {
            const Choice chosen = choice_[index(first, stages, replicas, used)];
            result.end.push_back(chosen.end);
            result.replicas.push_back(replicas);
            used -= replicas;
            replicas = chosen.replicas;
            first = chosen.end;
            --stages;
        }
        return result;
    }

private:
    struct Choice {
        std::int16_t end = 0;
        std::int16_t replicas = 0;  ///< of the stage behind
    };

    bool fill_transfers(const Control& control)
    {
        transfer_.assign(at(layers_) * at(devices_) * at(replicas_) * at(replicas_), infinite);
        for (int middle = 1; middle < devices_; ++middle) {
            for (int r = 1; r <= std::min(replicas_, middle); ++r) {
                if (control.should_stop())
                    return false;
                for (int behind = 1; behind <= std::min(replicas_, devices_ - middle); ++behind) {
                    for (int cut = 1; cut < layers_; ++cut)
                        transfer_[transfer_index(cut, middle, r, behind)] =
                            costs_.transfer_s(cut, middle - r, middle, middle + behind);
                }
            }
        }
        return true;
    }

    /// Ends lie side by side: the inner loop runs over them.
    std::size_t index(int first, int stages, int replicas, int used) const
    {
        return ((at(stages - 1) * at(replicas_) + at(replicas - 1)) * at(devices_ + 1) + at(used)) * at(layers_ + 1)
               + at(first);
    }
    std::size_t transfer_index(int cut, int middle, int before, int behind) const
    {
        return ((at(middle) * at(replicas_) + at(before - 1)) * at(replicas_) + at(behind - 1)) * at(layers_) + at(cut);
    }
    bool fits(int first, int end, int from, int replicas, int behind) const
    {
        return !costs_.fits || costs_.fits(first, end, from, replicas, behind);
    }

    void fill(int first, int from, int r, const std::vector<double>& stage)
    {
        const int used = devices_ - from;
        if (used == r && stage[at(layers_)] < infinite && fits(first, layers_, from, r, 0)) {
            best_[index(first, 1, r, used)] = stage[at(layers_)];
            choice_[index(first, 1, r, used)] = {static_cast<std::int16_t>(layers_), 0};
        }
        const int middle = from + r;
        const int left = devices_ - middle;
        for (int x = 2; x <= std::min(stages_, layers_ - first) && left > 0; ++x) {
            double best = infinite;
            Choice choice;
            for (int behind = 1; behind <= std::min(replicas_, left); ++behind) {
                const double* const suffix = best_.data() + index(0, x - 1, behind, left);
                const double* const transfer = transfer_.data() + transfer_index(0, middle, r, behind);
                for (int end = first + 1; end < layers_ && stage[at(end)] < best; ++end) {
                    const double value = std::max({stage[at(end)], suffix[end], transfer[end]});
                    if (value < best && fits(first, end, from, r, x - 1)) {
                        best = value;
                        choice = {static_cast<std::int16_t>(end), static_cast<std::int16_t>(behind)};
                    }
                }
            }
            best_[index(first, x, r, used)] = best;
            choice_[index(first, x, r, used)] = choice;
        }
    }

    const RunCosts& costs_;
    int layers_;
    int devices_;
    int replicas_;
    int stages_;
    std::vector<double> best_;
    std::vector<Choice> choice_;
    std::vector<double> transfer_;  ///< [first device behind][replicas before - 1][replicas behind - 1][cut]
};

}  // namespace

std::vector<RunChain> bottleneck_runs(const RunCosts& costs, int most_stages, const Control& control)
{
    const int stages = std::min({most_stages, costs.layers, costs.devices});
    std::vector<RunChain> chains;
    if (stages < 1)
        return chains;
    SuffixRuns runs(costs, stages);
    runs.solve(control);
    for (int x = 1; x <= stages; ++x)
        chains.push_back(runs.chain(x));
    return chains;
}

}  // namespace nnpiper
