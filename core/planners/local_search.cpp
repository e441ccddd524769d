// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planners/local_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

namespace nnpiper {

namespace {

/// What a walk pays for exceeding memory: this share of its value for every 100 % of a device's memory.
constexpr double memory_price = 5;

std::size_t at(int i)
{
    return static_cast<std::size_t>(i);
}

/// Layer counts in proportion to the speed of the order's devices, at least one each.
Chain proportional_cut(const ChainCosts& costs, const std::vector<int>& order)
{
    const int layers = costs.layers();
    const int stages = static_cast<int>(order.size());
    std::vector<double> speed;
    for (const int d : order)
        speed.push_back(1 / std::max(1e-300, costs.forward(d, 0, layers) + costs.backward(d, 0, layers)));
    const double total = std::accumulate(speed.begin(), speed.end(), 0.0);
    Chain chain{order, {}};
    double before = 0;
    for (int s = 0; s < stages; ++s) {
        before += speed[at(s)];
        const int wish = static_cast<int>(std::lround(layers * before / total));
        const int least = s == 0 ? 1 : chain.end.back() + 1;
        chain.end.push_back(s + 1 == stages ? layers : std::clamp(wish, least, layers - (stages - s - 1)));
    }
    return chain;
}

void shift_range(Chain& chain, int low, int high, int by)
{
    for (int s = low; s < high; ++s)
        chain.end[at(s)] += by;
}

bool cuts_ascend(const Chain& chain)
{
    int before = 0;
    for (const int end : chain.end) {
        if (end <= before)
            return false;
        before = end;
    }
    return true;
}

/// One random move on `chain`; false when it could not be made.
class Mover {
public:
    Mover(const ChainCosts& costs, Random& random) : costs_(costs), random_(random) {}

    /// Devices that the chain leaves idle, kept up to date by the caller through `sync`.
    void sync(const Chain& chain)
    {
        idle_.clear();
        for (const int d : costs_.usable()) {
            if (std::find(chain.device.begin(), chain.device.end(), d) == chain.device.end())
                idle_.push_back(d);
        }
    }

    bool move(Chain& chain)
    {
        const int stages = chain.stages();
        const int kind = random_.below(idle_.empty() ? 10 : 12);
        if (stages == 1)
            return insert_idle(chain);
        switch (kind) {
        case 0:
        case 1: return swap_devices(chain, false);
        case 2: return swap_devices(chain, true);
        case 3: return relocate(chain);
        case 4: return reverse(chain);
        case 5:
        case 6:
        case 7: return shift_one(chain);
        case 8:
        case 9: return shift_many(chain);
        default: return insert_idle(chain);
        }
    }

private:
    bool swap_devices(Chain& chain, bool with_layers)
    {
        const int a = random_.below(chain.stages());
        const int b = random_.below(chain.stages());
        if (a == b)
            return false;
        std::swap(chain.device[at(a)], chain.device[at(b)]);
        if (with_layers) {
            const int low = std::min(a, b), high = std::max(a, b);
            const int count_low = chain.end[at(low)] - chain.first(low);
            const int count_high = chain.end[at(high)] - chain.first(high);
            shift_range(chain, low, high, count_high - count_low);
        }
        return true;
    }

    bool relocate(Chain& chain)
    {
        const int from = random_.below(chain.stages());
        const int to = random_.below(chain.stages());
        if (from == to)
            return false;
        const auto begin = chain.device.begin();
        if (from < to)
            std::rotate(begin + from, begin + from + 1, begin + to + 1);
        else
            std::rotate(begin + to, begin + from, begin + from + 1);
        return true;
    }

    bool reverse(Chain& chain)
    {
        const int length = 2 + random_.below(std::min(chain.stages() - 1, 8));
        const int low = random_.below(std::max(1, chain.stages() - length + 1));
        const int high = std::min(chain.stages(), low + length);
        std::reverse(chain.device.begin() + low, chain.device.begin() + high);
        return true;
    }

    bool insert_idle(Chain& chain)
    {
        if (idle_.empty())
            return false;
        const int place = random_.below(chain.stages());
        int& idle = idle_[at(random_.below(static_cast<int>(idle_.size())))];
        std::swap(chain.device[at(place)], idle);
        swapped_idle_ = true;
        return true;
    }

    bool shift_one(Chain& chain)
    {
        const int s = random_.below(chain.stages() - 1);
        chain.end[at(s)] += (random_.below(2) == 0 ? -1 : 1) * (random_.below(4) == 0 ? 2 : 1);
        return cuts_ascend(chain);
    }

    /// A layer from one stage to another across all between.
    bool shift_many(Chain& chain)
    {
        const int a = random_.below(chain.stages());
        const int b = random_.below(chain.stages());
        if (a == b)
            return false;
        shift_range(chain, std::min(a, b), std::max(a, b), random_.below(2) == 0 ? -1 : 1);
        return cuts_ascend(chain);
    }

    const ChainCosts& costs_;
    Random& random_;
    std::vector<int> idle_;

public:
    bool swapped_idle_ = false;
};

double speed_of(const ChainCosts& costs, int device)
{
    return 1 / std::max(1e-300, costs.forward(device, 0, costs.layers()) + costs.backward(device, 0, costs.layers()));
}

/// Along the fastest links: from a start device always to the unused one that the most bytes reach per second.
std::vector<int> greedy_walk(const ChainCosts& costs, int start, int stages)
{
    std::vector<int> walk{start};
    std::vector<int> left = costs.usable();
    std::erase(left, start);
    while (static_cast<int>(walk.size()) < stages && !left.empty()) {
        const int here = walk.back();
        const auto time = [&](int d) {
            return costs.occupancy(1, here, d) + costs.occupancy(1, d, here) + costs.latency(here, d)
                   - 1e-6 * speed_of(costs, d) / std::max(1e-300, speed_of(costs, here));
        };
        const auto next = std::min_element(left.begin(), left.end(), [&](int a, int b) { return time(a) < time(b); });
        walk.push_back(*next);
        left.erase(next);
    }
    return walk;
}

std::vector<int> perturbed(const ChainCosts& costs, const Chain& chain, Random& random, int strength)
{
    Chain copy = chain;
    Mover mover(costs, random);
    for (int i = 0; i < strength; ++i) {
        mover.sync(copy);
        const Chain before = copy;
        if (!mover.move(copy))
            copy = before;
    }
    return copy.device;
}

}  // namespace

std::vector<std::vector<int>> heuristic_orders(const ChainCosts& costs)
{
    const Problem& problem = costs.problem();
    const int stages = costs.stages();
    std::set<std::vector<int>> seen;
    std::vector<std::vector<int>> orders;
    const auto add = [&](std::vector<int> order) {
        order.resize(at(stages));
        if (seen.insert(order).second)
            orders.push_back(order);
        std::reverse(order.begin(), order.end());
        if (seen.insert(order).second)
            orders.push_back(order);
    };
    std::vector<int> by_speed = costs.usable();
    std::stable_sort(by_speed.begin(), by_speed.end(), [&](int a, int b) { return speed_of(costs, a) > speed_of(costs, b); });

    // Clusters of devices that are joined by better links than the median link; their order by total speed.
    std::vector<double> links;
    for (const int a : by_speed) {
        for (const int b : by_speed) {
            if (a != b)
                links.push_back(problem.bandwidth_bytes_per_s(a, b));
        }
    }
    if (!links.empty()) {
        std::vector<double> levels = links;
        std::sort(levels.begin(), levels.end());
        levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
        for (const std::size_t pick : {levels.size() - 1, levels.size() / 2, std::size_t{1}}) {
            const double threshold = levels[std::min(pick, levels.size() - 1)];
            std::vector<std::vector<int>> groups;
            for (const int d : by_speed) {
                const auto home = std::find_if(groups.begin(), groups.end(), [&](const std::vector<int>& group) {
                    return std::any_of(group.begin(), group.end(), [&](int other) {
                        return problem.bandwidth_bytes_per_s(d, other) >= threshold;
                    });
                });
                if (home == groups.end())
                    groups.push_back({d});
                else
                    home->push_back(d);
            }
            const auto total = [&](const std::vector<int>& group) {
                double sum = 0;
                for (const int d : group)
                    sum += speed_of(costs, d);
                return sum;
            };
            std::stable_sort(groups.begin(), groups.end(), [&](const auto& a, const auto& b) { return total(a) > total(b); });
            std::vector<int> order;
            for (const auto& group : groups)
                order.insert(order.end(), group.begin(), group.end());
            add(order);
        }
    }
    add(by_speed);
    std::vector<int> by_memory = by_speed;
    std::stable_sort(by_memory.begin(), by_memory.end(),
                     [&](int a, int b) { return costs.capacity(a) > costs.capacity(b); });
    add(by_memory);
    // The roomiest devices among the slower ones are sometimes needed: all usable ones in given order as well.
    add(costs.usable());
    for (const int start : {by_speed.front(), by_speed.back(), by_memory.front()})
        add(greedy_walk(costs, start, stages));
    return orders;
}

std::vector<ScoredChain> split_orders(const ChainCosts& costs, const std::vector<std::vector<int>>& orders,
                                      const Control& control, int effort)
{
    ChainEvaluator evaluator(costs);
    SplitSearch splitter(costs);
    std::vector<ScoredChain> results;
    for (const auto& order : orders) {
        if (!results.empty() && control.should_stop())
            break;
        ScoredChain result;
        result.chain.device.resize(at(costs.stages()));
        result.chain.end.resize(at(costs.stages()));
        result.score = splitter.split(order, evaluator, result.chain, effort);
        if (!std::isfinite(result.score)) {
            result.chain = proportional_cut(costs, order);
            result.score = evaluator.score(result.chain);
        }
        results.push_back(std::move(result));
    }
    std::stable_sort(results.begin(), results.end(), [](const auto& a, const auto& b) { return a.score < b.score; });
    return results;
}

double shift_boundaries(ChainEvaluator& evaluator, Chain& chain, double score, const Control& control)
{
    const int stages = chain.stages();
    for (bool improved = true; improved && !control.should_stop();) {
        improved = false;
        for (int a = 0; a + 1 < stages; ++a) {
            for (int b = a + 1; b < std::min(stages, a + 4); ++b) {
                for (const int by : {-1, 1}) {
                    shift_range(chain, a, b, by);
                    const double trial = cuts_ascend(chain) ? evaluator.score(chain) : std::numeric_limits<double>::infinity();
                    if (trial < score * (1 - 1e-12)) {
                        score = trial;
                        improved = true;
                    } else {
                        shift_range(chain, a, b, -by);
                    }
                }
            }
        }
    }
    return score;
}

ScoredChain anneal(ChainEvaluator& evaluator, const ScoredChain& start, Random& random, long steps, double temperature,
                   const Control& control)
{
    // The walk may cross chains that exceed memory a little, at a price; what it returns may not.
    const auto walking = [](double value, double excess) { return value * (1 + memory_price * excess); };
    ScoredChain best = start;
    Chain current = start.chain;
    double current_walk = walking(evaluator.value(current), evaluator.excess(current));
    if (!std::isfinite(current_walk))
        current_walk = std::numeric_limits<double>::max();
    Chain trial = current;
    Mover mover(evaluator.costs(), random);
    mover.sync(current);
    const double scale = std::min(current_walk, 1e9);
    for (long step = 0; step < steps; ++step) {
        if (step % 64 == 0 && control.should_stop())
            break;
        const double heat = scale * temperature * std::pow(1e-3, static_cast<double>(step) / static_cast<double>(steps));
        trial.device = current.device;
        trial.end = current.end;
        mover.swapped_idle_ = false;
        bool accept = mover.move(trial);
        if (accept) {
            const double value = evaluator.value(trial);
            const double excess = evaluator.excess(trial);
            const double walk = walking(value, excess);
            accept = walk <= current_walk || random.uniform() < std::exp((current_walk - walk) / heat);
            if (accept) {
                std::swap(current, trial);
                current_walk = walk;
                const double score = ChainEvaluator::score_of(value, excess);
                if (score < best.score * (1 - 1e-12)) {
                    best.chain = current;
                    best.score = score;
                }
            }
        }
        if (!accept && mover.swapped_idle_)
            mover.sync(current);
    }
    return best;
}

ScoredChain search(const ChainCosts& costs, std::vector<ScoredChain> starts, Random& random, const Control& control)
{
    ChainEvaluator evaluator(costs);
    SplitSearch splitter(costs);
    const auto better = [](const ScoredChain& a, const ScoredChain& b) { return a.score < b.score; };
    std::stable_sort(starts.begin(), starts.end(), better);
    // The best start is always polished, the others only while that leaves most of the time to the search itself.
    const double budget = control.deadline.remaining_ms();
    for (std::size_t i = 0; i < starts.size(); ++i) {
        if (control.should_stop() || (i > 0 && control.deadline.remaining_ms() < 0.8 * budget))
            break;
        starts[i].score = shift_boundaries(evaluator, starts[i].chain, starts[i].score, control);
    }
    ScoredChain best = *std::min_element(starts.begin(), starts.end(), better);
    if (costs.stages() == 1 && costs.usable().size() == 1)
        return best;

    // A space of n chains is looked at about ten times over at most.
    const double orders = std::lgamma(static_cast<double>(costs.usable().size()) + 1)
                          - std::lgamma(static_cast<double>(static_cast<int>(costs.usable().size()) - costs.stages()) + 1);
    const double cuts = std::lgamma(costs.layers()) - std::lgamma(costs.stages())
                        - std::lgamma(costs.layers() - costs.stages() + 1);
    const double most = 10 * std::exp(std::min(40.0, orders + cuts)) + 2000;

    long steps = 40L * costs.stages() + 400;
    for (int round = 0; !control.should_stop(); ++round) {
        ScoredChain start = best;
        if (round % 3 == 2) {  // restart from a new order near the best
            const std::vector<int> order = perturbed(costs, best.chain, random, 2 + random.below(6));
            Chain fresh = best.chain;
            const double score = splitter.split(order, evaluator, fresh, 3);
            if (std::isfinite(score))
                start = {fresh, score};
        } else if (round % 3 == 1 && starts.size() > 1) {
            start = starts[at(random.below(static_cast<int>(std::min<std::size_t>(starts.size(), 4))))];
        }
        ScoredChain found = anneal(evaluator, start, random, steps, round % 3 == 0 ? 2e-3 : 1e-2, control);
        found.score = shift_boundaries(evaluator, found.chain, found.score, control);
        if (found.score < best.score * (1 - 1e-12))
            best = found;
        if (round % 3 == 2)
            steps += steps / 2;
        if (static_cast<double>(evaluator.evaluations()) > most)
            break;
    }
    return best;
}

}  // namespace nnpiper
