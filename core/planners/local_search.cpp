// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planners/local_search.h"

#include "core/planners/chain_moves.h"
#include "core/planners/chain_walk.h"

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

std::vector<int> perturbed(const ChainCosts& costs, const Chain& chain, Random& random, int strength)
{
    ChainWalk walk(costs, chain);
    ChainMover mover(costs, random);
    mover.sync(chain);
    for (int i = 0; i < strength; ++i) {
        const bool made = mover.move(walk);
        mover.settle(made);
        if (made)
            walk.accept();
        else
            walk.reject();
    }
    return walk.current().device;
}

}  // namespace

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

double shift_boundaries(const ChainCosts& costs, Chain& chain, double score, const Control& control)
{
    const int stages = chain.stages();
    ChainWalk walk(costs, chain);
    for (bool improved = true; improved && !control.should_stop();) {
        improved = false;
        for (int a = 0; a + 1 < stages; ++a) {
            for (int b = a + 1; b < std::min(stages, a + 4); ++b) {
                for (const int by : {-1, 1}) {
                    for (int s = a; s < b; ++s)
                        walk.trial.end[at(s)] += by;
                    walk.touch_range(a, b);
                    const double most = score * (1 - 1e-12);
                    double trial = std::numeric_limits<double>::infinity();
                    if (cuts_ascend(walk.trial, a, b)) {
                        trial = ChainEvaluator::score_of(walk.bound(), walk.excess());
                        if (trial < most)
                            trial = ChainEvaluator::score_of(walk.value(), walk.excess());
                    }
                    if (trial < most) {
                        score = trial;
                        improved = true;
                        walk.accept();
                    } else {
                        walk.reject();
                    }
                }
            }
        }
    }
    chain = walk.current();
    return score;
}

ScoredChain anneal(const ChainCosts& costs, const ScoredChain& start, Random& random, long steps, double temperature,
                   const Control& control)
{
    // The walk may cross chains that exceed memory a little, at a price; what it returns may not.
    const auto walking = [](double value, double excess) { return value * (1 + memory_price * excess); };
    ScoredChain best = start;
    ChainWalk walk(costs, start.chain);
    ChainMover mover(costs, random);
    mover.sync(start.chain);
    double current = walking(walk.value(), walk.excess());
    if (!std::isfinite(current))
        current = std::numeric_limits<double>::max();
    const double scale = std::min(current, 1e9);
    double heat = 0;
    for (long step = 0; step < steps; ++step) {
        if (step % 64 == 0) {
            if (control.should_stop())
                break;
            heat = scale * temperature * std::pow(1e-3, static_cast<double>(step) / static_cast<double>(steps));
        }
        bool accepted = mover.move(walk);
        if (accepted) {
            const double most = current - heat * std::log(std::max(1e-300, random.uniform()));
            accepted = walking(walk.bound(), walk.excess()) <= most;
            if (accepted) {
                const double value = walk.value();
                const double trial = walking(value, walk.excess());
                accepted = trial <= most;
                if (accepted) {
                    current = trial;
                    const double score = ChainEvaluator::score_of(value, walk.excess());
                    if (score < best.score * (1 - 1e-12)) {
                        best.chain = walk.trial;
                        best.score = score;
                    }
                }
            }
        }
        mover.settle(accepted);
        if (accepted)
            walk.accept();
        else
            walk.reject();
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
        starts[i].score = shift_boundaries(costs, starts[i].chain, starts[i].score, control);
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

    double tried = 0;
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
        ScoredChain found = anneal(costs, start, random, steps, round % 3 == 0 ? 2e-3 : 1e-2, control);
        found.score = shift_boundaries(costs, found.chain, found.score, control);
        if (found.score < best.score * (1 - 1e-12))
            best = found;
        if (round % 3 == 2)
            steps += steps / 2;
        tried += static_cast<double>(steps);
        if (tried > most)
            break;
    }
    return best;
}

}  // namespace nnpiper
