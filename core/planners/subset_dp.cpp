// SPDX-License-Identifier: GPL-3.0-or-later
// subset-dp (ours, after the Held-Karp recurrence): optimal for the closed form
//   sum of stage times + sum of transfers there and back + (M-1) max(stage time, transfer)
// over all device orders, subsets and cuts with one device a stage:
//   G(Q, e, i) = min over d in Q of F(Q, d, i) + 2c_de(i)        F(Q + e, e, j) = min over i < j of G(Q, e, i) + t_e(i, j)
// with every term below tau and memory kept. Devices that can be exchanged are one class: Q then says how many of each
// class are used, and cells are (Q, class of the last device, layers done). The pairs (max, sum) that matter form a
// staircase: each pass asks for the least sum whose max is below the last one's, until even the least possible max cannot
// make up for the sum. O(C^2 L + C L^2) a pass for each of the product of (n_c + 1) over the C classes, so unlike devices
// are limited. The closed form is neither an upper nor a lower bound of the simulated makespan in general; the simulator
// scores the staircase's plans and the best one is returned.
#include "core/planners/subset_dp.h"

#include "core/planners/baselines.h"
#include "core/planners/chains/chain_locks.h"
#include "core/planners/chains/settings.h"
#include "core/planners/chains/symmetry.h"
#include "core/problem/pipeline.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace nnpiper {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double most_cells = 1.6e7;
constexpr double most_work = 1e10;
constexpr double near_enough = 1.1;    // of the closed form: the simulator may like it better

std::size_t at(int index)
{
    return static_cast<std::size_t>(index);
}

double transfer_s(const ChainCosts& costs, int end, int from, int to)
{
    return costs.occupancy(end, from, to) + costs.occupancy(end, to, from) + costs.latency(from, to)
           + costs.latency(to, from);
}

/// [class] devices that can be exchanged for each other.
std::vector<std::vector<int>> classes_of(const ChainCosts& costs)
{
    std::vector<std::vector<int>> members;
    const std::vector<int> classes = device_classes(costs);
    for (std::size_t slot = 0; slot < classes.size(); ++slot) {
        if (at(classes[slot]) >= members.size())
            members.resize(at(classes[slot] + 1));
        members[at(classes[slot])].push_back(costs.usable()[slot]);
    }
    return members;
}

/// Largest term and sum of a chain.
struct Terms {
    double largest = 0;
    double sum = 0;
};

Terms terms_of(const ChainCosts& costs, const Chain& chain)
{
    Terms terms;
    const auto add = [&](double seconds) {
        terms.largest = std::max(terms.largest, seconds);
        terms.sum += seconds;
    };
    for (int s = 0; s < chain.stages(); ++s) {
        const int d = chain.device[at(s)], end = chain.end[at(s)];
        add(costs.forward(d, chain.first(s), end) + costs.backward(d, chain.first(s), end));
        if (s + 1 < chain.stages())
            add(transfer_s(costs, end, d, chain.device[at(s + 1)]));
    }
    return terms;
}

class SubsetDp {
public:
    explicit SubsetDp(const ChainCosts& costs)
        : costs_(costs), members_(classes_of(costs)), count_(static_cast<int>(members_.size())), layers_(costs.layers()),
          locks_(costs.problem())
    {
        states_ = 1;
        for (const auto& devices : members_) {
            stride_.push_back(states_);
            states_ *= static_cast<std::int64_t>(devices.size()) + 1;
        }
        cost_.resize(static_cast<std::size_t>(states_) * at(count_ * (layers_ + 1)));
        from_.resize(cost_.size());
        prepare();
    }

    /// Least sum with every term below `limit`, as long as it is below `most`; false when there is none or time is up.
    bool solve(double limit, double most, Chain& chain, const Control& control)
    {
        std::fill(cost_.begin(), cost_.end(), infinite);
        const int stages = costs_.stages();
        std::vector<double> reach(at(layers_ + 1));
        std::vector<std::int16_t> via(at(layers_ + 1));
        std::vector<int> used(at(count_), 0);
        for (std::int64_t state = 0; state < states_; ++state) {
            if (state > 0)
                increment(used);
            int stage = 0;   // the one that comes next
            for (const int n : used)
                stage += n;
            if (stage >= stages)
                continue;
            if (control.should_stop())
                return false;
            for (int e = 0; e < count_; ++e) {
                if (used[at(e)] == static_cast<int>(members_[at(e)].size()))
                    continue;
                if (gather(state, used, stage, e, limit, most, reach, via))
                    extend(state + stride_[at(e)], stage, e, limit, reach, via);
            }
        }
        return read(chain);
    }

    double least_sum() const { return rest_.front() + (costs_.stages() - 1) * least_transfer_; }

private:
    void prepare()
    {
        // Suffix sums of the shortest times, and of the least transfers between stages.
        rest_.assign(at(layers_ + 1), 0);
        for (int l = layers_ - 1; l >= 0; --l) {
            double least = infinite;
            for (const auto& devices : members_)
                least = std::min(least, time(devices.front(), l, l + 1));
            rest_[at(l)] = rest_[at(l + 1)] + least;
        }
        transfer_.assign(at(count_ * count_ * (layers_ + 1)), infinite);
        least_transfer_ = costs_.stages() > 1 ? infinite : 0;
        for (int d = 0; d < count_; ++d) {
            for (int e = 0; e < count_; ++e) {
                if (d == e && members_[at(d)].size() < 2)
                    continue;
                const int from = members_[at(d)].front();
                const int to = d == e ? members_[at(d)][1] : members_[at(e)].front();
                for (int end = 1; end < layers_; ++end) {
                    double& seconds = transfer_[at((d * count_ + e) * (layers_ + 1) + end)];
                    seconds = transfer_s(costs_, end, from, to);
                    if (costs_.stages() > 1)
                        least_transfer_ = std::min(least_transfer_, seconds);
                }
            }
        }
        const int stages = costs_.stages();
        possible_.assign(at(stages * count_ * layers_) * at(layers_ + 1), 0);
        for (int s = 0; s < stages; ++s) {
            for (int e = 0; e < count_; ++e) {
                const int d = members_[at(e)].front();
                for (int i = s; i <= layers_ - (stages - s); ++i) {
                    char* possible = possible_.data() + place(s, e, i);
                    for (int j = s + 1 == stages ? layers_ : i + 1; j <= layers_ - (stages - s - 1); ++j)
                        possible[j] = costs_.memory(s, i, j) <= costs_.capacity(d) * (1 + 1e-12)
                                      && (!locks_.any() || locks_.allow(d, s, i, j));
                }
            }
        }
    }

    double time(int d, int first, int end) const { return costs_.forward(d, first, end) + costs_.backward(d, first, end); }
    std::size_t place(int stage, int e, int first) const
    {
        return (at(stage * count_ + e) * at(layers_) + at(first)) * at(layers_ + 1);
    }
    std::size_t cell(std::int64_t state, int e) const
    {
        return (static_cast<std::size_t>(state) * at(count_) + at(e)) * at(layers_ + 1);
    }
    void increment(std::vector<int>& used) const
    {
        for (int c = 0; c < count_; ++c) {
            if (++used[at(c)] <= static_cast<int>(members_[at(c)].size()))
                return;
            used[at(c)] = 0;
        }
    }

    /// G: the least sums with which a stage of class e may begin at each layer.
    bool gather(std::int64_t state, const std::vector<int>& used, int stage, int e, double limit, double most,
                std::vector<double>& reach, std::vector<std::int16_t>& via) const
    {
        std::fill(reach.begin(), reach.end(), infinite);
        if (stage == 0) {
            reach[0] = 0;
            via[0] = -1;
            return true;
        }
        const int last = layers_ - (costs_.stages() - stage);
        bool any = false;
        for (int d = 0; d < count_; ++d) {
            if (used[at(d)] == 0)
                continue;
            const double* const cost = cost_.data() + cell(state, d);
            const double* const transfer = transfer_.data() + at((d * count_ + e) * (layers_ + 1));
            for (int i = stage; i <= last; ++i) {
                const double sum = cost[i] + transfer[i];
                if (sum < reach[at(i)] && transfer[i] < limit) {
                    reach[at(i)] = sum;
                    via[at(i)] = static_cast<std::int16_t>(d);
                }
            }
        }
        for (int i = stage; i <= last; ++i) {
            if (reach[at(i)] + rest_[at(i)] >= most)
                reach[at(i)] = infinite;
            any = any || reach[at(i)] < infinite;
        }
        return any;
    }

    void extend(std::int64_t state, int stage, int e, double limit, const std::vector<double>& reach,
                const std::vector<std::int16_t>& via)
    {
        const bool final = stage + 1 == costs_.stages();
        const int last = layers_ - (costs_.stages() - stage - 1);
        const int d = members_[at(e)].front();
        double* const cost = cost_.data() + cell(state, e);
        Link* const from = from_.data() + cell(state, e);
        for (int i = stage; i <= layers_ - (costs_.stages() - stage); ++i) {
            if (!(reach[at(i)] < infinite))
                continue;
            const char* const possible = possible_.data() + place(stage, e, i);
            for (int j = final ? layers_ : i + 1; j <= last; ++j) {
                const double t = time(d, i, j);
                if (!(t < limit))
                    break;
                if (possible[j] && reach[at(i)] + t < cost[j]) {
                    cost[j] = reach[at(i)] + t;
                    from[j] = {via[at(i)], static_cast<std::int16_t>(i)};
                }
            }
        }
    }

    bool read(Chain& chain) const
    {
        double best = infinite;
        std::int64_t state = -1;
        int e = -1;
        std::vector<int> used(at(count_), 0);
        for (std::int64_t candidate = 0; candidate < states_; ++candidate) {
            if (candidate > 0)
                increment(used);
            int stages = 0;
            bool kept = true;   // every device that a lock wants
            for (int c = 0; c < count_; ++c) {
                stages += used[at(c)];
                kept = kept && (used[at(c)] > 0 || !locks_.wants(members_[at(c)].front()));
            }
            if (stages != costs_.stages() || !kept)
                continue;
            for (int c = 0; c < count_; ++c) {
                if (const double sum = cost_[cell(candidate, c) + at(layers_)]; used[at(c)] > 0 && sum < best) {
                    best = sum;
                    state = candidate;
                    e = c;
                }
            }
        }
        if (e < 0)
            return false;
        chain.device.clear();
        chain.end.clear();
        std::vector<int> taken(at(count_), 0);
        for (int j = layers_; e >= 0;) {
            chain.device.push_back(members_[at(e)][at(taken[at(e)]++)]);
            chain.end.push_back(j);
            const Link link = from_[cell(state, e) + at(j)];
            state -= stride_[at(e)];
            e = link.last;
            j = link.end;
        }
        std::reverse(chain.device.begin(), chain.device.end());
        std::reverse(chain.end.begin(), chain.end.end());
        return true;
    }

    struct Link {
        std::int16_t last;   ///< class of the stage before; -1: none
        std::int16_t end;
    };

    const ChainCosts& costs_;
    std::vector<std::vector<int>> members_;
    int count_;                                ///< C
    int layers_;
    ChainLocks locks_;
    std::int64_t states_ = 1;
    std::vector<std::int64_t> stride_;         ///< [class]
    std::vector<double> rest_;                 ///< [first] shortest times of the layers from there on
    std::vector<double> transfer_;             ///< [class][class][end]
    double least_transfer_ = 0;
    std::vector<char> possible_;               ///< [stage][class][first][end] memory and locks
    std::vector<double> cost_;                 ///< [state][last class][layers done]
    std::vector<Link> from_;
};

}  // namespace

double closed_form_s(const ChainCosts& costs, const Chain& chain)
{
    const Terms terms = terms_of(costs, chain);
    return terms.sum + (costs.micro_batches() - 1) * terms.largest;
}

SubsetDpSize subset_dp_size(const ChainCosts& costs)
{
    double states = 1;
    const auto members = classes_of(costs);
    for (const auto& devices : members)
        states *= static_cast<double>(devices.size()) + 1;
    const auto classes = static_cast<double>(members.size());
    const double layers = costs.layers();
    return {states * classes * (layers + 1), states * classes * layers * (classes + layers)};
}

std::vector<Chain> closed_form_staircase(const ChainCosts& costs, double known, double within, const Control& control)
{
    SubsetDp dp(costs);
    const double more = costs.micro_batches() - 1;
    // No stage can be shorter than the longest layer on its fastest device, nor all of them than their mean.
    double least_largest = dp.least_sum() / (2 * costs.stages() - 1);
    for (int l = 0; l < costs.layers(); ++l) {
        double least = infinite;
        for (const int d : costs.usable())
            least = std::min(least, costs.forward(d, l, l + 1) + costs.backward(d, l, l + 1));
        least_largest = std::max(least_largest, least);
    }
    std::vector<Chain> chains;
    double best = known;
    double limit = infinite;
    while (true) {
        const double worth = best * within * (1 + 1e-9);
        if (more > 0)
            limit = std::min(limit, (worth - dp.least_sum()) / more);
        Chain chain;
        if (!dp.solve(limit, worth - more * least_largest, chain, control))
            return chains;
        const Terms terms = terms_of(costs, chain);
        best = std::min(best, terms.sum + more * terms.largest);
        limit = terms.largest;
        chains.push_back(std::move(chain));
    }
}

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
    double known = infinite;   // closed form of an iteration; every setting has as many samples
    for (const SettingCandidates& candidate : ranked) {
        const ChainCosts costs(problem, candidate.setting);
        const SubsetDpSize size = subset_dp_size(costs);
        if (size.cells > most_cells || size.work > most_work) {
            best.reason = "the table over all device subsets grows too large: " + std::to_string(costs.usable().size())
                          + " devices and " + std::to_string(costs.layers())
                          + " layers; up to about 12 unlike devices with 100 layers";
            return best;
        }
        ChainEvaluator evaluator(costs);
        const Chain& heuristic = candidate.chains.front().chain;
        if (evaluator.excess(heuristic) == 0 && validate(problem, to_plan(costs, heuristic, "")).empty())
            known = std::min(known, closed_form_s(costs, heuristic));
        for (const Chain& chain : closed_form_staircase(costs, known, near_enough, control)) {
            known = std::min(known, closed_form_s(costs, chain));
            if (const double score = evaluator.score(chain); score < best_score) {
                best_score = score;
                best = to_plan(costs, chain, "subset-dp");
            }
        }
        if (control.should_stop())
            break;
    }
    if (best.stages.empty()) {
        best.status = control.should_stop() ? "skipped" : "infeasible";
        best.reason = control.should_stop() ? "the time limit passed before the first pass was through"
                                            : "no order and cut keeps every device's memory and the locks";
    } else if (control.should_stop()) {
        best.status = "stopped";
    }
    return best;
}

}  // namespace nnpiper
