// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planners/chains/local_search.h"

#include "core/base/parallel.h"
#include "core/planners/chains/chain_moves.h"
#include "core/planners/chains/chain_walk.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <thread>

namespace nnpiper {

namespace {

/// What a walk pays for exceeding memory: this share of its value for every 100 % of a device's memory.
constexpr double memory_price = 5;

/// A trial is expected to lie at least this share of the current chain's distance above its bound; where that is too much,
/// it is not simulated.
constexpr double kept_slack = 0.9;

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

}  // namespace

std::vector<ScoredChain> split_orders(const ChainCosts& costs, const std::vector<std::vector<int>>& orders,
                                      const Control& control, int effort, unsigned threads)
{
    std::vector<ScoredChain> results(orders.size());
    // A thread takes longer to start than a few small splits.
    if (static_cast<double>(orders.size()) * costs.stages() * costs.layers() < 3e4)
        threads = 1;
    parallel_for(orders.size(), threads, [&] {
        struct Worker {
            explicit Worker(const ChainCosts& c) : evaluator(c), splitter(c) {}
            ChainEvaluator evaluator;
            SplitSearch splitter;
        };
        return [&, worker = std::make_unique<Worker>(costs)](std::size_t i) {
            if (i > 0 && control.should_stop())
                return;
            ScoredChain& result = results[i];
            result.chain.device.resize(at(costs.stages()));
            result.chain.end.resize(at(costs.stages()));
            const std::vector<int> kept = costs.locks().any() ? costs.locks().keep(orders[i]) : orders[i];
            result.score = worker->splitter.split(kept, worker->evaluator, result.chain, effort);
            if (!std::isfinite(result.score)) {
                result.chain = proportional_cut(costs, kept);
                result.score = worker->evaluator.score(result.chain);
            }
        };
    });
    std::erase_if(results, [](const ScoredChain& result) { return result.chain.device.empty(); });
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
    double slack = walk.value() - walk.bound();
    double current = walking(walk.value(), walk.excess());
    if (!std::isfinite(current))
        current = std::numeric_limits<double>::max();
    const double scale = std::min(current, 1e9);
    // Devices of equal costs may differ in price, or a lock may want one of them.
    const bool all_simulated = costs.problem().objective == Objective::cost || costs.locks().any();
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
            const double bound = walk.bound();
            accepted = walking(bound + kept_slack * slack, walk.excess()) <= most;
            if (accepted && (walk.changed() || all_simulated)) {
                const double value = walk.value();
                const double trial = walking(value, walk.excess());
                accepted = trial <= most;
                if (accepted) {
                    current = trial;
                    slack = value - bound;
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

namespace {

bool better(const ScoredChain& a, const ScoredChain& b)
{
    return a.score < b.score;
}

/// Moves after which a small problem has been seen about ten times over: ten times the orders times the cuts.
double moves_at_most(const ChainCosts& costs)
{
    const auto usable = static_cast<double>(costs.usable().size());
    const double orders = std::lgamma(usable + 1) - std::lgamma(usable - costs.stages() + 1);
    const double cuts = std::lgamma(costs.layers()) - std::lgamma(costs.stages())
                        - std::lgamma(costs.layers() - costs.stages() + 1);
    return 10 * std::exp(std::min(40.0, orders + cuts)) + 2000;
}

/// Anneals chains side by side, one worker a processor. Each worker learns how many moves a millisecond takes and plans
/// its annealings so that their cooling ends when their time does.
class Annealers {
public:
    Annealers(const ChainCosts& costs, double temperature, Random& random, const Control& control)
        : costs_(costs), temperature_(temperature), random_(random), control_(control), moves_left_(moves_at_most(costs))
    {
        // A thread takes longer to start than a small search.
        workers_ = control.deadline.remaining_ms() < 2 || moves_left_ < 2e4 ? 1 : processors();
        rates_.assign(workers_, 1000);
    }

    std::size_t workers() const { return workers_; }
    bool done() const { return control_.should_stop() || moves_left_ <= 0; }

    /// Every chain gets an equal part of `milliseconds` of all workers together.
    void run(std::vector<ScoredChain>& chains, double milliseconds)
    {
        const std::size_t rounds = (chains.size() + workers_ - 1) / workers_;
        const double slot = milliseconds / static_cast<double>(std::max<std::size_t>(1, rounds));
        std::vector<std::uint64_t> seeds;
        for (std::size_t i = 0; i < chains.size(); ++i)
            seeds.push_back(random_.next());
        std::vector<double> moves(workers_, 0);
        const auto work = [&](std::size_t worker) {
            for (std::size_t i = worker; i < chains.size() && !control_.should_stop(); i += workers_)
                moves[worker] += anneal_for(chains[i], seeds[i], slot, rates_[worker]);
        };
        std::vector<std::jthread> threads;
        for (std::size_t worker = 1; worker < std::min(workers_, chains.size()); ++worker)
            threads.emplace_back(work, worker);
        work(0);
        threads.clear();
        moves_left_ -= std::accumulate(moves.begin(), moves.end(), 0.0);
    }

private:
    double anneal_for(ScoredChain& chain, std::uint64_t seed, double slot, double& rate) const
    {
        Random random(seed);
        const double before = control_.deadline.remaining_ms();
        const double wanted = rate * std::min(slot, before);
        const auto steps = static_cast<long>(std::clamp(wanted, 300.0, std::min(1e8, std::max(2000.0, moves_left_))));
        ScoredChain found = anneal(costs_, chain, random, steps, temperature_, control_);
        const double spent = before - control_.deadline.remaining_ms();
        if (std::isfinite(spent) && spent > 1e-3)
            rate = static_cast<double>(steps) / spent;
        found.score = shift_boundaries(costs_, found.chain, found.score, control_);
        if (found.score < chain.score)
            chain = std::move(found);
        return static_cast<double>(steps);
    }

    const ChainCosts& costs_;
    double temperature_;
    Random& random_;
    const Control& control_;
    double moves_left_;
    std::size_t workers_;
    std::vector<double> rates_;   ///< moves a millisecond, by worker
};

}  // namespace

ScoredChain search(const ChainCosts& costs, std::vector<ScoredChain> starts, Random& random, const Control& control)
{
    const double budget = std::min(control.deadline.remaining_ms(), 1e9);
    // A start is worth its time when it can be moved about so often a stage; a move takes some 50 ns for each.
    constexpr double worth_first = 40, worth_second = 100;
    const double stages = costs.stages();
    const double moves_a_stage = budget * processors() * 2e4 / (stages * stages);
    const auto many = static_cast<std::size_t>(std::clamp(0.35 * moves_a_stage / worth_first, 2.0, 16.0));
    const auto few = static_cast<std::size_t>(std::clamp(0.35 * moves_a_stage / worth_second, 1.0, 4.0));
    std::stable_sort(starts.begin(), starts.end(), better);
    if (starts.size() > many)
        starts.resize(many);
    const unsigned threads = static_cast<double>(costs.stages()) * costs.micro_batches() < 1000 ? 1 : processors();
    parallel_for(starts.size(), threads, [&] {
        return [&](std::size_t i) {
            if (control.should_stop() || (i > 0 && control.deadline.remaining_ms() < 0.8 * budget))
                return;
            starts[i].score = shift_boundaries(costs, starts[i].chain, starts[i].score, control);
        };
    });
    std::stable_sort(starts.begin(), starts.end(), better);
    if (costs.stages() == 1 && costs.usable().size() == 1)
        return starts.front();

    // Many short annealings, then fewer longer ones from the best of them, then the rest of the time on the best.
    // What has little time must not be warmed far above where its start lies.
    constexpr double warm = 1e-2, moves_when_warm = 5000;
    const double temperature = warm * std::pow(std::min(1.0, moves_a_stage / moves_when_warm), 0.6);
    Annealers annealers(costs, temperature, random, control);
    for (const double share : {0.35, 0.55}) {
        annealers.run(starts, share * std::min(control.deadline.remaining_ms(), 1e9));
        std::stable_sort(starts.begin(), starts.end(), better);
        starts.resize(std::min(starts.size(), few));
    }
    ScoredChain best = starts.front();
    while (!annealers.done()) {
        std::vector<ScoredChain> copies(annealers.workers(), best);
        annealers.run(copies, std::min(control.deadline.remaining_ms(), 0.5 * budget));
        const auto found = std::min_element(copies.begin(), copies.end(), better);
        if (better(*found, best))
            best = *found;
    }
    return best;
}

}  // namespace nnpiper
