// SPDX-License-Identifier: GPL-3.0-or-later
// alpa, inter-operator (Zheng et al., Alpa, OSDI 2022, section 5): for thresholds tau ascending
//   f(s, i, d) = min over k, submesh n of t(i..k-1, n) + f(s - 1, k, d - n), each t <= tau and within memory for s
//   micro-batches in flight;   T = min over tau, s of f(s, 1, D) + (M - 1) tau, until M tau exceeds the best.
// Submeshes are powers of two inside a node or whole nodes; t is the best of the data- and tensor-parallel mixes of a
// submesh that fit, in place of the paper's integer programme, with the gradients' exchange shared out over the
// micro-batches. Thresholds nearer than a percent are taken as one, as the paper allows, and devices may stay unused.
// O(L^2 D K) for each of some ten to a hundred
// thresholds, K mixes, and S times that where memory or a fixed number of stages makes the count matter.
// The original assumes equal devices and one bandwidth, and neglects messages between stages. Where nodes are equal
// powers of two, submeshes of any order of sizes are laid over them as in its appendix; else stages are runs of the
// order. With true costs they always are, nodes by speed, and a message to the stage behind counts into t. Micro-batch
// size and recompute, which the recurrence does not choose, are settled by the simulator.
#include "core/planners/baselines.h"

#include "core/planners/literature/ordered_planner.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>

namespace nnpiper {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double threshold_step = 0.01;

std::size_t at(int i)
{
    return static_cast<std::size_t>(i);
}

bool power_of_two(int n)
{
    return n > 0 && (n & (n - 1)) == 0;
}

/// Neighbours in the order that share a node, as [begin, end).
std::vector<std::pair<int, int>> nodes_of(const OrderedCosts& costs)
{
    std::vector<std::pair<int, int>> nodes;
    const auto& order = costs.links().order();
    for (int i = 0; i < costs.devices(); ++i) {
        const auto& names = costs.problem().device_nodes;
        if (i == 0 || names[at(order[at(i)])] != names[at(order[at(i - 1)])])
            nodes.emplace_back(i, i);
        nodes.back().second = i + 1;
    }
    return nodes;
}

/// Data- and tensor-parallel mix at positions where it costs the same.
struct Place {
    int tensor_parallel = 1;
    int devices = 1;
    int priced_at = 0;
    std::vector<int> positions;
};

class Solver {
public:
    Solver(const OrderedCosts& costs, std::optional<int> stages, const Control& control)
        : costs_(costs)
        , control_(control)
        , layers_(costs.layers())
        , devices_(costs.devices())
        , fixed_(stages)
        , most_stages_(stages.value_or(std::min(layers_, devices_)))
        , nodes_(nodes_of(costs))
    {
        const int size = nodes_.front().second;
        laid_later_ = published() && power_of_two(size)
                      && std::all_of(nodes_.begin(), nodes_.end(),
                                     [&](const auto& node) { return node.second - node.first == size; });
        for (const int t : costs.setting().degrees) {
            for (int n = t; n <= devices_ && n / t <= costs.most_replicas(); n += t)
                add_places(t, n);
        }
        std::stable_sort(places_.begin(), places_.end(),
                         [](const Place& a, const Place& b) { return a.devices < b.devices; });
        rows_.resize(places_.size() * at(layers_));
    }

    /// In model order; empty: nothing fits.
    std::vector<StageRun> answer()
    {
        std::vector<StageRun> best;
        double best_total = infinite;
        for (double limit = least_feasible(); limit < infinite;) {
            if (costs_.micro_batches() * limit > best_total || !solve(limit))
                break;
            const Path found = collect();
            const double total = found.sum_s + (costs_.micro_batches() - 1) * found.largest_s;
            if (total < best_total) {
                best = found.runs;
                best_total = total;
            }
            limit = std::max(next_limit_, limit * (1 + threshold_step));
        }
        return laid_later_ ? laid(best) : best;
    }

private:
    struct Priced {
        double work_s = 0;  ///< does not fall when layers are added
        double time_s = 0;
        int most_in_flight = 0;
    };
    struct Choice {
        int end = 0;
        int place = -1;
    };
    struct Path {
        std::vector<StageRun> runs;
        std::vector<int> most_in_flight;
        double sum_s = 0;
        double largest_s = 0;
    };

    bool published() const { return costs_.links().view() == CostView::as_published; }

    void add_places(int t, int n)
    {
        std::vector<Place> fresh;
        for (int p = 0; p + n <= devices_; ++p) {
            const auto inside = [&](const auto& node) { return node.first <= p && p + n <= node.second; };
            const bool within = power_of_two(n) && std::any_of(nodes_.begin(), nodes_.end(), inside);
            const bool whole =
                std::any_of(nodes_.begin(), nodes_.end(), [&](const auto& node) { return node.first == p; })
                && std::any_of(nodes_.begin(), nodes_.end(), [&](const auto& node) { return node.second == p + n; });
            if (!(within || whole) || !costs_.possible(p, p + n, t))
                continue;
            const auto same = std::find_if(fresh.begin(), fresh.end(), [&](const Place& place) {
                return published() || costs_.same_run(p, place.priced_at, p + n, t);
            });
            if (same == fresh.end())
                fresh.push_back({t, n, p, {p}});
            else
                same->positions.push_back(p);
        }
        if (laid_later_ && !fresh.empty()) {
            fresh.front().positions.resize(at(devices_ - n + 1));
            std::iota(fresh.front().positions.begin(), fresh.front().positions.end(), 0);
        }
        places_.insert(places_.end(), fresh.begin(), fresh.end());
    }

    std::size_t index(int stages, int layer, int device) const
    {
        return (at(stages) * at(layers_ + 1) + at(layer)) * at(devices_ + 1) + at(device);
    }

    /// Layers [first, end) at a place; asked for under every threshold, so it is kept.
    const Priced& priced(std::size_t place, int first, int end)
    {
        std::vector<Priced>& row = rows_[place * at(layers_) + at(first)];
        const Place& where = places_[place];
        while (row.size() < at(end - first)) {
            const StageRun run{first, first + static_cast<int>(row.size()) + 1, where.priced_at,
                               where.priced_at + where.devices, where.tensor_parallel};
            Priced price;
            price.work_s = costs_.stage_s(run);
            price.time_s = price.work_s + costs_.sync_s(run) / costs_.micro_batches();
            if (!published() && run.end < layers_ && run.to < devices_) {
                const BoundaryTime message = costs_.transfer_s(run.end, run.from, run.to, run.to + 1);
                price.time_s += (message.forward_occupancy_s + message.backward_occupancy_s) / run.devices()
                                + message.forward_latency_s + message.backward_latency_s;
            }
            price.most_in_flight = costs_.most_in_flight(run);
            row.push_back(price);
        }
        return row[at(end - first - 1)];
    }

    /// Infinite when nothing fits.
    double least_feasible()
    {
        double high = infinite;
        for (std::size_t place = 0; place < places_.size(); ++place)
            high = std::min(high, priced(place, 0, layers_).work_s * places_[place].devices / devices_);
        double low = 0;
        bool found = false;
        for (int step = 0; step < 12 && high > 0 && !(found = solve(high)); ++step) {
            low = high;
            high *= 2;
        }
        if (!found && !solve(high = infinite))
            return infinite;
        // What was found needs no more than its own slowest stage.
        for (high = collect().largest_s; high - low > threshold_step / 4 * high;) {
            const double middle = low + (high - low) / 2;
            if (!(middle > low && middle < high))
                break;  // no number lies between
            if (solve(middle))
                high = collect().largest_s;
            else if (control_.should_stop())
                break;
            else
                low = middle;
        }
        return high;
    }

    /// f under a threshold; true when a whole plan keeps it. False when stopped. Memory for one micro-batch alone is
    /// asked for first, which needs no count of stages; only where the plan found does not fit are they counted.
    bool solve(double limit_s)
    {
        if (!fixed_) {
            counted_ = false;
            if (!fill(limit_s))
                return false;
            const Path path = collect();
            const int stages = static_cast<int>(path.runs.size());
            bool fits = true;
            for (int s = 0; s < stages; ++s)
                fits = fits && path.most_in_flight[at(s)] >= std::min(stages - s, costs_.micro_batches());
            if (fits)
                return true;
        }
        counted_ = true;
        return fill(limit_s);
    }

    bool fill(double limit_s)
    {
        sum_.assign(index(counted_ ? most_stages_ : 0, layers_, devices_) + 1, infinite);
        choice_.resize(sum_.size());
        next_limit_ = infinite;
        for (int p = 0; p <= devices_; ++p)
            sum_[index(0, layers_, p)] = 0;
        for (int i = layers_ - 1; i >= 0; --i) {
            if (control_.should_stop() && limit_s < infinite)
                return false;
            for (std::size_t place = 0; place < places_.size(); ++place)
                extend(i, place, limit_s);
        }
        stages_ = counted_ ? fixed_.value_or(1) : 0;
        for (int s = stages_; counted_ && s <= most_stages_; ++s) {
            if (sum_[index(s, 0, 0)] < sum_[index(stages_, 0, 0)])
                stages_ = s;
        }
        return sum_[index(stages_, 0, 0)] < infinite;
    }

    void extend(int i, std::size_t place, double limit_s)
    {
        const int n = places_[place].devices;
        const std::vector<int>& positions = places_[place].positions;
        for (int end = i + 1; end <= layers_; ++end) {
            const Priced price = priced(place, i, end);
            if (price.time_s > limit_s)
                next_limit_ =
                    std::min(next_limit_, std::max(limit_s, price.work_s > limit_s ? price.work_s : price.time_s));
            if (price.work_s > limit_s)
                break;
            if (price.time_s > limit_s)
                continue;
            const int low = !counted_ ? 0 : fixed_ ? std::max(1, *fixed_ - i) : 1;
            const int high = counted_ ? std::min(most_stages_, layers_ - end + 1) : 0;
            for (int s = low; s <= high; ++s) {
                if (std::min(std::max(1, s), costs_.micro_batches()) > price.most_in_flight)
                    break;
                const double* rest = &sum_[index(counted_ ? s - 1 : 0, end, 0)];
                double* sum = &sum_[index(s, i, 0)];
                Choice* choice = &choice_[index(s, i, 0)];
                for (const int p : positions) {
                    const double trial = price.time_s + rest[p + n];
                    if (trial < sum[p]) {
                        sum[p] = trial;
                        choice[p] = {end, static_cast<int>(place)};
                    }
                }
            }
        }
    }

    Path collect()
    {
        Path path;
        int p = 0;
        for (int i = 0, s = stages_; i < layers_; s -= counted_ ? 1 : 0) {
            const Choice& choice = choice_[index(s, i, p)];
            const Place& place = places_[at(choice.place)];
            const Priced price = priced(at(choice.place), i, choice.end);
            path.runs.push_back({i, choice.end, p, p + place.devices, place.tensor_parallel});
            path.most_in_flight.push_back(price.most_in_flight);
            path.sum_s += price.time_s;
            path.largest_s = std::max(path.largest_s, price.time_s);
            i = choice.end;
            p += place.devices;
        }
        return path;
    }

    /// Largest submeshes first, each at the first free place; powers of two leave no gap.
    std::vector<StageRun> laid(std::vector<StageRun> runs) const
    {
        std::vector<StageRun*> by_size;
        for (StageRun& run : runs)
            by_size.push_back(&run);
        std::stable_sort(by_size.begin(), by_size.end(),
                         [](const StageRun* a, const StageRun* b) { return a->devices() > b->devices(); });
        int next = 0;
        for (StageRun* run : by_size) {
            const int n = run->devices();
            run->from = next;
            run->to = next += n;
        }
        return runs;
    }

    const OrderedCosts& costs_;
    const Control& control_;
    int layers_;
    int devices_;
    std::optional<int> fixed_;
    int most_stages_;
    std::vector<std::pair<int, int>> nodes_;
    bool laid_later_ = false;
    std::vector<Place> places_;
    std::vector<std::vector<Priced>> rows_;  ///< [place][first layer], by end
    std::vector<double> sum_;                ///< f: [stages left][first layer][first device]
    std::vector<Choice> choice_;
    bool counted_ = true;           ///< stages left are part of the table
    int stages_ = 0;                ///< of the best whole plan, where counted
    double next_limit_ = infinite;  ///< the least threshold that may allow more
};

}  // namespace

Plan plan_alpa(const Problem& problem, const PlanRequest& request, const Control& control)
{
    return plan_over_settings(problem, request, control, {.chooses_degree = true, .chooses_recompute = false},
                              [&](const std::vector<OrderedCosts>& costs, const Control& limited) {
                                  std::vector<Stage> stages;
                                  for (const StageRun& run : Solver(costs.front(), problem.stages, limited).answer())
                                      stages.push_back(costs.front().stage(run));
                                  return stages;
                              });
}

}  // namespace nnpiper
