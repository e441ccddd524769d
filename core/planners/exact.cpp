// SPDX-License-Identifier: GPL-3.0-or-later
// exact (ours): branch and bound over device orders and cuts with one device a stage, optimal for the simulated makespan.
// Stages are fixed from the first to the last. A partial plan is bounded from below by
//   max over its stages s of [ sum over i < s of (T_i + c_i there and back) + M T_s ]
// (stage s cannot start before the forward way to it nor end before the way back from its last gradient), and for the
// layers still open by the same sum with their fastest device and their share of the remaining stages. The search starts
// from the best local-search plan; interchangeable devices are tried once. When time runs out, the least bound of what was
// not looked at is a sound bound.
#include "core/planners/baselines.h"

#include "core/planners/settings.h"
#include "core/planners/symmetry.h"
#include "core/simulator/simulate.h"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace nnpiper {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

class BranchAndBound {
public:
    BranchAndBound(const ChainCosts& costs, ScoredChain& best, double& proved, const Control& control)
        : costs_(costs), evaluator_(costs), classes_(device_classes(costs)), best_(best), proved_(proved), control_(control)
    {
        const auto& usable = costs.usable();
        used_.assign(usable.size(), 0);
        chain_.device.resize(ChainCosts::index(costs.stages()));
        chain_.end.resize(ChainCosts::index(costs.stages()));
        fastest_.assign(ChainCosts::index(costs.layers() + 1), 0);
        longest_.assign(ChainCosts::index(costs.layers() + 1), 0);
        for (int l = costs.layers() - 1; l >= 0; --l) {
            double shortest = infinite;
            for (const int d : usable)
                shortest = std::min(shortest, time(d, l, l + 1));
            fastest_[ChainCosts::index(l)] = fastest_[ChainCosts::index(l + 1)] + shortest;
            longest_[ChainCosts::index(l)] = std::max(longest_[ChainCosts::index(l + 1)], shortest);
        }
    }

    /// Whether the whole tree was looked at.
    bool run()
    {
        descend(0, 0, 0, 0);
        return !stopped_;
    }

private:
    double time(int d, int first, int end) const { return costs_.forward(d, first, end) + costs_.backward(d, first, end); }

    /// Bound of a makespan as a bound of the score, to compare with the best plan.
    double as_score(double makespan) const
    {
        const Problem& p = costs_.problem();
        const double value = makespan + p.fixed_step_s;
        return p.objective == Objective::latency ? value : value / costs_.samples();
    }

    struct Child {
        int slot;       ///< index into usable()
        int end;
        double bound;   ///< of the makespan
        double before;  ///< sum of T and transfers up to and with the way to this stage
    };

    void descend(int stage, int first, double before, double bound)
    {
        if (stage == costs_.stages()) {
            const double makespan = evaluator_.makespan(chain_);
            proved_ = std::min(proved_, makespan);
            const double score = evaluator_.score(chain_);
            if (score < best_.score) {
                best_.score = score;
                best_.chain = chain_;
            }
            return;
        }
        std::vector<Child> children;
        collect(stage, first, before, bound, children);
        std::sort(children.begin(), children.end(), [](const Child& a, const Child& b) { return a.bound < b.bound; });
        for (const Child& child : children) {
            if (++nodes_ % 256 == 0 && control_.should_stop())
                stopped_ = true;
            if (stopped_ || as_score(child.bound) >= best_.score) {
                proved_ = std::min(proved_, child.bound);
                if (!stopped_)
                    break;  // the others are no better
                continue;
            }
            const int d = costs_.usable()[ChainCosts::index(child.slot)];
            used_[ChainCosts::index(child.slot)] = 1;
            chain_.device[ChainCosts::index(stage)] = d;
            chain_.end[ChainCosts::index(stage)] = child.end;
            descend(stage + 1, child.end, child.before + time(d, first, child.end), child.bound);
            used_[ChainCosts::index(child.slot)] = 0;
        }
    }

    void collect(int stage, int first, double before, double bound, std::vector<Child>& children) const
    {
        const int stages = costs_.stages();
        const int layers = costs_.layers();
        const int left = stages - stage - 1;
        const int m = costs_.micro_batches();
        for (int slot = 0; slot < static_cast<int>(used_.size()); ++slot) {
            if (used_[ChainCosts::index(slot)] || !first_of_class(slot))
                continue;
            const int d = costs_.usable()[ChainCosts::index(slot)];
            double way = before;
            if (stage > 0) {
                const int previous = chain_.device[ChainCosts::index(stage - 1)];
                way += costs_.occupancy(first, previous, d) + costs_.occupancy(first, d, previous)
                       + costs_.latency(previous, d) + costs_.latency(d, previous);
                if (!(way < infinite))
                    continue;
            }
            const int low = left == 0 ? layers : first + 1;
            for (int end = low; end <= layers - left; ++end) {
                if (costs_.memory(stage, first, end) > costs_.capacity(d) * (1 + 1e-12)) {
                    if (costs_.memory(stage, first, first + 1) > costs_.capacity(d) * (1 + 1e-12) || end > low)
                        break;
                    continue;
                }
                const double own = time(d, first, end);
                double child_bound = std::max(bound, way + m * own);
                if (left > 0) {
                    const double rest = fastest_[ChainCosts::index(end)];
                    const double widest = std::max(rest / left, longest_[ChainCosts::index(end)]);
                    child_bound = std::max({child_bound, way + own + m * widest, way + own + rest + (m - 1) * own});
                }
                children.push_back({slot, end, child_bound, way});
            }
        }
    }

    bool first_of_class(int slot) const
    {
        for (int other = 0; other < slot; ++other) {
            if (!used_[ChainCosts::index(other)]
                && classes_[ChainCosts::index(other)] == classes_[ChainCosts::index(slot)])
                return false;
        }
        return true;
    }

    const ChainCosts& costs_;
    ChainEvaluator evaluator_;
    std::vector<int> classes_;
    ScoredChain& best_;
    double& proved_;
    const Control& control_;
    std::vector<char> used_;
    std::vector<double> fastest_;   ///< [l] sum from layer l on of each layer's shortest time
    std::vector<double> longest_;   ///< [l] longest of those
    Chain chain_;
    long nodes_ = 0;
    bool stopped_ = false;
};

}  // namespace

Plan plan_exact(const Problem& problem, const PlanRequest& request, const Control& control)
{
    Plan plan;
    plan.status = "skipped";
    if (problem.objective == Objective::cost) {
        plan.reason = "the bound is one of time; the objective is cost";
        return plan;
    }
    Control ranking = control;
    const double budget = control.deadline.remaining_ms();
    ranking.deadline = Deadline::after_ms(0.1 * std::min(budget, 1e9));
    auto ranked = rank_settings(problem, 1000, ranking);
    if (ranked.empty()) {
        plan.reason = "no number of stages is possible";
        return plan;
    }
    Random random(request.seed);
    Control searching = control;
    searching.deadline = Deadline::after_ms(0.1 * std::min(budget, 1e9));
    std::vector<int> variants;
    double best_score = infinite;
    double proved = infinite;
    bool complete = true;
    for (std::size_t i = 0; i < ranked.size(); ++i) {
        const ChainSetting& setting = ranked[i].setting;
        if (std::find(variants.begin(), variants.end(), setting.variant) == variants.end())
            variants.push_back(setting.variant);
        const ChainCosts costs(problem, setting);
        ScoredChain best = i == 0 ? search(costs, ranked[i].chains, random, searching) : ranked[i].chains.front();
        ChainEvaluator evaluator(costs);
        if (evaluator.excess(best.chain) > 0)
            best.score = infinite;
        best.score = std::min(best.score, best_score);  // an earlier setting's plan prunes this one too
        const double before = best.score;
        const bool improved_start = best.score < best_score;
        complete = BranchAndBound(costs, best, proved, control).run() && complete;
        if (best.score < before || improved_start) {
            best_score = best.score;
            plan = to_plan(costs, best.chain, "exact");
        }
        control.report(static_cast<double>(i + 1) / static_cast<double>(ranked.size()), "branch and bound");
    }
    if (plan.stages.empty()) {
        plan.status = complete ? "infeasible" : "skipped";
        plan.reason = complete ? "no order and cut keeps every device's memory"
                               : "the time limit passed before a plan was found";
        return plan;
    }
    plan.status = complete ? "ok" : "stopped";
    plan.detail = complete ? "proved optimal among single-device stages" : "time limit: the bound tells how far it can be off";
    if (variants.size() == 1) {
        predict(problem, plan);
        plan.bound_s = std::min(proved, plan.makespan_s);
    }
    return plan;
}

}  // namespace nnpiper
