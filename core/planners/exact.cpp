// SPDX-License-Identifier: GPL-3.0-or-later
// exact (ours): best-first branch and bound (Land and Doig 1960) over device orders and cuts with one device a stage,
// optimal for the simulated makespan. Stages are fixed from the first to the last; PartialChainBounds bounds every chain
// that continues. The partial chain of the least bound is always continued next, so that the proved bound rises all the
// time and no chain is looked into whose bound is above the optimum. Only the best few continuations are stored, and a
// chain comes back for its others when their bound is the least (partial expansion, Yoshizumi et al. 2000). All settings
// that are open (stages, variants) share one queue. Incumbents come from the heuristics and, unless the tree is small,
// from local search. Where links are shared or transfers block, complete chains are priced by the detailed engine.
#include "core/planners/baselines.h"

#include "core/planners/bounds/lower_bound.h"
#include "core/planners/chains/partial_chain.h"
#include "core/planners/chains/settings.h"
#include "core/simulator/simulate.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

namespace nnpiper {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr int stored_at_once = 12;
constexpr std::size_t most_nodes = 800000;
constexpr long small_tree = 3000;         // chains looked into before local search is worth its time

class Search {
public:
    Search(const Problem& problem, const Control& control)
        : problem_(problem), control_(control)
    {
        for (const ChainSetting& setting : open_settings(problem))
            settings_.push_back({std::make_unique<ChainCosts>(problem, setting), nullptr});
        for (std::size_t i = 0; i < settings_.size(); ++i) {
            // Without a bound yet: the first to be opened.
            nodes_.push_back({static_cast<int>(i), -1, -1, 0, 0, 0});
            queue_.emplace_back(0, static_cast<int>(i));
        }
    }

    bool has_settings() const { return !settings_.empty(); }
    bool has_plan() const { return !best_.stages.empty(); }
    const Plan& best() const { return best_; }
    double best_value() const { return best_value_; }
    bool complete() const { return queue_.empty() && !cut_short_; }

    /// A chain from elsewhere.
    void offer(const ChainSetting& setting, const Chain& chain)
    {
        const ChainCosts costs(problem_, setting);
        ChainEvaluator evaluator(costs);
        if (evaluator.excess(chain) > 0)
            return;
        Plan plan = to_plan(costs, chain, "exact");
        if (validate(problem_, plan).empty())
            offer(std::move(plan));
    }

    /// Continues until the optimum is proved, time is up or so many chains were looked into.
    void run(long chains)
    {
        while (!queue_.empty() && chains-- > 0 && !control_.should_stop()) {
            const auto [value, index] = queue_.front();
            if (value >= best_value_ * (1 - 1e-12)) {
                close_queue();
                return;
            }
            std::pop_heap(queue_.begin(), queue_.end(), std::greater<>());
            queue_.pop_back();
            proved_value_ = std::max(proved_value_, value);
            Node& node = nodes_[at(index)];
            if (node.parent < 0 && !settings_[at(node.setting)].bounds)
                open(index);
            else if (nodes_.size() < most_nodes)
                expand(index);
            else if (!dive(node.setting, chain_of(index)))
                leave(index, value);
            if (++expanded_ % 256 == 0 && has_plan())
                control_.report(proved_value_ / best_value_, "branch and bound");
        }
    }

    /// Of the objective, over all chains.
    double proved_value() const
    {
        double least = best_value_;
        if (!queue_.empty())
            least = std::min(least, queue_.front().first);
        return std::min(least, left_value_);
    }

    /// Of the makespan, over all chains.
    double proved_makespan() const
    {
        double least = closed_makespan_;
        for (const Entry& entry : queue_)
            least = std::min(least, nodes_[at(entry.second)].makespan);
        return least;
    }

private:
    struct Setting {
        std::unique_ptr<ChainCosts> costs;
        std::unique_ptr<PartialChainBounds> bounds;   ///< once it is looked into
    };
    struct Node {
        int setting;
        int parent;          ///< index into nodes_; -1: no stage yet
        int device, end;
        int emitted;         ///< continuations stored already
        double makespan;     ///< least bound of the continuations that are not stored
    };
    using Entry = std::pair<double, int>;   ///< bound of the value, node

    static std::size_t at(int index) { return static_cast<std::size_t>(index); }

    double value(int setting, double makespan, double update, double price_per_s) const
    {
        const double iteration = makespan + update + problem_.fixed_step_s;
        if (problem_.objective == Objective::latency)
            return iteration;
        const double seconds = iteration / settings_[at(setting)].costs->samples();
        return problem_.objective == Objective::cost ? seconds * price_per_s : seconds;
    }

    void offer(Plan plan)
    {
        predict(problem_, plan);
        const double value = objective_value(problem_, plan);
        if (value < best_value_) {
            best_value_ = value;
            best_ = std::move(plan);
        }
    }

    void close(double makespan) { closed_makespan_ = std::min(closed_makespan_, makespan); }

    void close_queue()
    {
        for (const Entry& entry : queue_)
            close(nodes_[at(entry.second)].makespan);
        queue_.clear();
    }

    void leave(int index, double value)
    {
        cut_short_ = true;
        left_value_ = std::min(left_value_, value);
        close(nodes_[at(index)].makespan);
    }

    void push(int index, double value)
    {
        if (!(value < best_value_)) {
            close(nodes_[at(index)].makespan);
            return;
        }
        queue_.emplace_back(value, index);
        std::push_heap(queue_.begin(), queue_.end(), std::greater<>());
    }

    void open(int index)
    {
        Node& node = nodes_[at(index)];
        Setting& setting = settings_[at(node.setting)];
        setting.bounds = std::make_unique<PartialChainBounds>(*setting.costs);
        node.makespan = setting.bounds->root();
        push(index, value(node.setting, node.makespan, 0, setting.bounds->least_price_per_s()));
    }

    PartialChain chain_of(int index) const
    {
        PartialChain partial;
        partial.makespan = settings_[at(nodes_[at(index)].setting)].bounds->root();
        for (int i = index; nodes_[at(i)].parent >= 0; i = nodes_[at(i)].parent) {
            partial.chain.device.push_back(nodes_[at(i)].device);
            partial.chain.end.push_back(nodes_[at(i)].end);
        }
        std::reverse(partial.chain.device.begin(), partial.chain.device.end());
        std::reverse(partial.chain.end.begin(), partial.chain.end.end());
        return partial;
    }

    /// Continuations by value. Complete chains are priced and dropped.
    std::vector<std::pair<double, NextStage>> continuations(int setting, const PartialChain& partial)
    {
        const ChainCosts& costs = *settings_[at(setting)].costs;
        std::vector<std::pair<double, NextStage>> result;
        for (const NextStage& next : settings_[at(setting)].bounds->next(partial)) {
            const double bound = value(setting, next.makespan, next.update, next.price_per_s);
            if (partial.chain.stages() + 1 < costs.stages()) {
                result.emplace_back(bound, next);
                continue;
            }
            close(next.makespan);
            if (bound < best_value_) {
                Chain chain = partial.chain;
                chain.device.push_back(next.device);
                chain.end.push_back(next.end);
                offer(to_plan(costs, chain, "exact"));
            }
        }
        std::stable_sort(result.begin(), result.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
        return result;
    }

    void expand(int index)
    {
        const int setting = nodes_[at(index)].setting;
        const auto all = continuations(setting, chain_of(index));
        auto next = all.begin() + std::min<std::ptrdiff_t>(nodes_[at(index)].emitted, std::ssize(all));
        for (int stored = 0; stored < stored_at_once && next != all.end() && next->first < best_value_; ++stored, ++next) {
            const NextStage& stage = next->second;
            nodes_.push_back({setting, index, stage.device, stage.end, 0, stage.makespan});
            push(static_cast<int>(nodes_.size()) - 1, next->first);
        }
        if (next == all.end())
            return;
        Node& node = nodes_[at(index)];
        node.emitted = static_cast<int>(next - all.begin());
        const double value = next->first;
        node.makespan = infinite;
        for (; next != all.end(); ++next)
            node.makespan = std::min(node.makespan, next->second.makespan);
        push(index, value);
    }

    /// The whole tree behind a partial chain without storing it. False when time is up.
    bool dive(int setting, const PartialChain& partial)
    {
        for (const auto& [bound, next] : continuations(setting, partial)) {
            if (control_.should_stop())
                return false;
            if (bound >= best_value_) {
                close(next.makespan);
                continue;
            }
            PartialChain longer = partial;
            longer.chain.device.push_back(next.device);
            longer.chain.end.push_back(next.end);
            longer.makespan = next.makespan;
            if (!dive(setting, longer))
                return false;
        }
        return true;
    }

    const Problem& problem_;
    const Control& control_;
    std::vector<Setting> settings_;
    std::vector<Node> nodes_;
    std::vector<Entry> queue_;   ///< heap, least bound first
    Plan best_;
    double best_value_ = infinite;
    double proved_value_ = 0;
    double closed_makespan_ = infinite;
    double left_value_ = infinite;
    bool cut_short_ = false;
    long expanded_ = 0;
};

/// Stages of one plan may have recompute policies of their own, which chains here do not.
bool policies_may_differ(const Problem& problem)
{
    return problem.recompute_free
           && std::any_of(problem.variants.begin(), problem.variants.end(), [&](const Variant& variant) {
                  return variant.recompute != problem.variants.front().recompute;
              });
}

}  // namespace

Plan plan_exact(const Problem& problem, const PlanRequest& request, const Control& control)
{
    Plan skipped;
    skipped.status = "skipped";
    Search search_tree(problem, control);
    if (!search_tree.has_settings()) {
        skipped.reason = "no number of stages is possible";
        return skipped;
    }
    const double budget = std::min(control.deadline.remaining_ms(), 1e9);
    Control ranking = control;
    ranking.deadline = Deadline::after_ms(0.1 * budget);
    const auto ranked = rank_settings(problem, 3, ranking);
    for (const SettingCandidates& candidate : ranked)
        search_tree.offer(candidate.setting, candidate.chains.front().chain);
    search_tree.run(small_tree);
    if (!search_tree.complete() && !ranked.empty()) {
        Random random(request.seed);
        Control searching = control;
        searching.deadline = Deadline::after_ms(std::min(0.15 * budget, 3000.0));
        const ChainCosts costs(problem, ranked.front().setting);
        search_tree.offer(ranked.front().setting, search(costs, ranked.front().chains, random, searching).chain);
    }
    search_tree.run(std::numeric_limits<long>::max());

    const bool complete = search_tree.complete();
    if (!search_tree.has_plan()) {
        skipped.status = complete ? "infeasible" : "skipped";
        skipped.reason = complete ? "no order and cut keeps every device's memory and the locks"
                                  : "the time limit passed before a plan was found";
        return skipped;
    }
    Plan plan = search_tree.best();
    plan.status = complete ? "ok" : "stopped";
    const bool mixed = policies_may_differ(problem);
    const std::string plans =
        std::string("single-device stages") + (mixed ? " with one recompute policy for all" : "");
    plan.detail = complete ? "proved optimal among " + plans
                           : "time limit: the bound tells how far it can be off among " + plans;
    // Either bound covers the other's plans, unless stages may recompute each in its own way.
    const auto common = objective_bound(problem);
    const double own = mixed ? 0 : search_tree.proved_makespan();
    if (common || !mixed)
        plan.bound_s = std::min(std::max(own, common ? common->makespan_s : 0), plan.makespan_s);
    if (only_single_devices(problem) && problem.schedule && problem.variants.size() == 1)
        plan.proved_gap = std::max(0.0, search_tree.best_value() / search_tree.proved_value() - 1);
    return plan;
}

}  // namespace nnpiper
