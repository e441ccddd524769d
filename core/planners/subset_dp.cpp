// SPDX-License-Identifier: GPL-3.0-or-later
// subset-dp (ours, after the Held-Karp recurrence): optimal for the closed form
//   sum of stage times + sum of transfers there and back + (M-1) max(stage time, transfer)
// over all device orders, subsets and cuts with one device a stage:
//   F(Q + e, e, j) = min over d in Q, i < j of F(Q, d, i) + 2c_de(i) + t_e(i, j), every term <= tau, memory fits.
// The pairs (max, sum) that matter form a staircase: each pass asks for the least sum whose max is below the last one's.
// O(2^D D^2 L^2) a pass, so D is limited. The closed form is neither an upper nor a lower bound of the simulated
// makespan in general; the simulator scores the staircase's plans and the best one is returned.
#include "core/planners/baselines.h"

#include "core/planners/settings.h"
#include "core/planners/symmetry.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace nnpiper {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr int most_devices = 13;
constexpr double most_cells = 2.5e7;

class SubsetDp {
public:
    explicit SubsetDp(const ChainCosts& costs)
        : costs_(costs), devices_(costs.usable()), classes_(device_classes(costs)), n_(static_cast<int>(devices_.size())),
          layers_(costs.layers())
    {
        cost_.resize((std::size_t{1} << n_) * static_cast<std::size_t>(n_) * static_cast<std::size_t>(layers_ + 1));
        from_.resize(cost_.size());
    }

    /// Least sum with every stage time and transfer below `limit`; false when there is none or time is up.
    bool solve(double limit, Chain& chain, const Control& control)
    {
        std::fill(cost_.begin(), cost_.end(), infinite);
        const int stages = costs_.stages();
        const auto sets = std::uint32_t{1} << n_;
        for (int e = 0; e < n_; ++e) {
            if (!first_of_class(0, e))
                continue;
            for (int j = 1; j <= layers_ - (stages - 1); ++j) {
                if (stages == 1 && j != layers_)
                    continue;
                const double t = time(e, 0, j);
                if (t < limit && fits(0, e, 0, j))
                    relax(1u << e, e, j, t, -1, 0);
            }
        }
        for (std::uint32_t set = 1; set < sets; ++set) {
            const int stage = std::popcount(set);  // the stage that comes next
            if (stage >= stages)
                continue;
            if (control.should_stop())
                return false;
            for (int d = 0; d < n_; ++d) {
                if (!(set >> d & 1))
                    continue;
                for (int i = stage; i <= layers_ - (stages - stage); ++i) {
                    const double sum = cost_[cell(set, d, i)];
                    if (sum == infinite)
                        continue;
                    for (int e = 0; e < n_; ++e) {
                        if ((set >> e & 1) || !first_of_class(set, e))
                            continue;
                        extend(set, d, i, e, stage, sum, limit);
                    }
                }
            }
        }
        return read(chain);
    }

    /// The largest stage time or transfer of a chain.
    double largest(const Chain& chain) const
    {
        double most = 0;
        for (int s = 0; s < chain.stages(); ++s) {
            const int d = chain.device[ChainCosts::index(s)];
            const int end = chain.end[ChainCosts::index(s)];
            most = std::max(most, costs_.forward(d, chain.first(s), end) + costs_.backward(d, chain.first(s), end));
            if (s + 1 < chain.stages())
                most = std::max(most, transfer(end, d, chain.device[ChainCosts::index(s + 1)]));
        }
        return most;
    }

private:
    std::size_t cell(std::uint32_t set, int d, int j) const
    {
        return (static_cast<std::size_t>(set) * static_cast<std::size_t>(n_) + ChainCosts::index(d))
                   * static_cast<std::size_t>(layers_ + 1)
               + ChainCosts::index(j);
    }
    double time(int e, int first, int end) const
    {
        const int d = devices_[ChainCosts::index(e)];
        return costs_.forward(d, first, end) + costs_.backward(d, first, end);
    }
    double transfer(int end, int from, int to) const
    {
        return costs_.occupancy(end, from, to) + costs_.occupancy(end, to, from) + costs_.latency(from, to)
               + costs_.latency(to, from);
    }
    bool fits(int stage, int e, int first, int end) const
    {
        return costs_.memory(stage, first, end) <= costs_.capacity(devices_[ChainCosts::index(e)]) * (1 + 1e-12);
    }
    /// Of interchangeable devices only the first one that is not in the set is tried.
    bool first_of_class(std::uint32_t set, int e) const
    {
        for (int other = 0; other < e; ++other) {
            if (classes_[ChainCosts::index(other)] == classes_[ChainCosts::index(e)] && !(set >> other & 1))
                return false;
        }
        return true;
    }
    void relax(std::uint32_t set, int e, int j, double sum, int previous, int previous_end)
    {
        const std::size_t at = cell(set, e, j);
        if (sum < cost_[at]) {
            cost_[at] = sum;
            from_[at] = {static_cast<std::int16_t>(previous), static_cast<std::int16_t>(previous_end)};
        }
    }
    void extend(std::uint32_t set, int d, int i, int e, int stage, double sum, double limit)
    {
        const double c = transfer(i, devices_[ChainCosts::index(d)], devices_[ChainCosts::index(e)]);
        if (!(c < limit))
            return;
        const bool last = stage + 1 == costs_.stages();
        const int low = last ? layers_ : i + 1;
        const int high = last ? layers_ : layers_ - (costs_.stages() - stage - 1);
        for (int j = low; j <= high; ++j) {
            const double t = time(e, i, j);
            if (!(t < limit))
                break;
            if (fits(stage, e, i, j))
                relax(set | 1u << e, e, j, sum + c + t, d, i);
        }
    }
    bool read(Chain& chain) const
    {
        double best = infinite;
        std::uint32_t set = 0;
        int e = -1;
        for (std::uint32_t candidate = 1; candidate < std::uint32_t{1} << n_; ++candidate) {
            if (std::popcount(candidate) != costs_.stages())
                continue;
            for (int d = 0; d < n_; ++d) {
                if ((candidate >> d & 1) && cost_[cell(candidate, d, layers_)] < best) {
                    best = cost_[cell(candidate, d, layers_)];
                    set = candidate;
                    e = d;
                }
            }
        }
        if (e < 0)
            return false;
        chain.device.clear();
        chain.end.clear();
        for (int j = layers_; e >= 0;) {
            chain.device.push_back(devices_[ChainCosts::index(e)]);
            chain.end.push_back(j);
            const auto [previous, previous_end] = from_[cell(set, e, j)];
            set &= ~(1u << e);
            e = previous;
            j = previous_end;
        }
        std::reverse(chain.device.begin(), chain.device.end());
        std::reverse(chain.end.begin(), chain.end.end());
        return true;
    }

    const ChainCosts& costs_;
    const std::vector<int>& devices_;
    std::vector<int> classes_;
    int n_;
    int layers_;
    std::vector<double> cost_;
    std::vector<std::pair<std::int16_t, std::int16_t>> from_;
};

}  // namespace

Plan plan_subset_dp(const Problem& problem, const PlanRequest&, const Control& control)
{
    Plan best;
    best.status = "skipped";
    std::vector<SettingCandidates> ranked;
    {
        Control ranking = control;
        ranking.deadline = Deadline::after_ms(0.2 * control.deadline.remaining_ms());
        ranked = rank_settings(problem, 6, ranking);
    }
    if (ranked.empty()) {
        best.reason = "no number of stages is possible";
        return best;
    }
    double best_score = infinite;
    for (const SettingCandidates& candidate : ranked) {
        const ChainCosts costs(problem, candidate.setting);
        const auto n = static_cast<int>(costs.usable().size());
        if (n > most_devices || std::ldexp(1.0, n) * n * (costs.layers() + 1) > most_cells) {
            best.reason = "the table over all device subsets grows too large: " + std::to_string(n) + " devices and "
                          + std::to_string(costs.layers()) + " layers; up to about 10 devices with 100 layers";
            return best;
        }
        SubsetDp dp(costs);
        ChainEvaluator evaluator(costs);
        Chain chain;
        for (double limit = infinite; dp.solve(limit, chain, control); limit = dp.largest(chain)) {
            if (const double score = evaluator.score(chain); score < best_score) {
                best_score = score;
                best = to_plan(costs, chain, "subset-dp");
            }
            if (control.should_stop())
                break;
        }
        if (control.should_stop())
            break;
    }
    if (best.stages.empty()) {
        best.status = control.should_stop() ? "skipped" : "infeasible";
        best.reason = control.should_stop() ? "the time limit passed before the first pass was through"
                                            : "no order and cut keeps every device's memory";
    } else if (control.should_stop()) {
        best.status = "stopped";
    }
    return best;
}

}  // namespace nnpiper
