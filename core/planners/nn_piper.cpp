// SPDX-License-Identifier: GPL-3.0-or-later
// nn-piper (reconstruction). Steps, all inside the time limit:
//   1. Where stages, micro-batches or the schedule are free, rank the settings by heuristic orders and keep three.
//   2. Decode K device orders for each kept setting in one call of the network, drop duplicates; beside step 1 where there
//      is one setting.
//   3. Of many orders keep the dozen that OrderProbe values most, cut each by the throttle-aware split and let the
//      simulator rank them beside the heuristic ones.
//   4. Search from the best eight and the best eight heuristic ones, fewer and fewer of them, until the time is up.
//   5. Take the plan of uniform, greedy-speed or pipedream instead should one of them be better.
//   6. Where replicas, recompute by stage or the tensor-parallel degree are open, orders of all devices are cut into runs
//      as starts of the search over stage groups, which has most of the time; these steps have a third of it, and none
//      where replicas are open and time is short.
#include "core/planners/nn_piper.h"

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/quantity.h"
#include "core/planners/baselines.h"
#include "core/planners/chains/local_search.h"
#include "core/planners/chains/order_probe.h"
#include "core/planners/chains/settings.h"
#include "core/planners/chains/split.h"
#include "core/planners/groups/group_planner.h"
#include "core/planners/order_network.h"
#include "core/problem/virtual_problem.h"
#include "core/simulator/simulate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <future>
#include <limits>
#include <set>

namespace nnpiper {

namespace {

constexpr std::size_t kept_settings = 3;
constexpr std::size_t split = 12;     // orders of the source
constexpr std::size_t searched = 8;   // starts of the source and as many heuristic ones

using Orders = std::vector<std::vector<int>>;

/// Device orders for each setting, the answer that stands for the source first.
struct Proposal {
    std::vector<Orders> orders;                 ///< [setting]
    std::vector<std::vector<float>> log_load;   ///< [setting] of the first order; empty without a network
    std::string where;                          ///< "cpu", "cuda"; empty without a network
};
using OrderSource = std::function<Proposal(const Problem&, const std::vector<ChainSetting>&, const PlanRequest&)>;

int samples_for(const PlanRequest& request, int devices)
{
    if (request.network_steps == NetworkSteps::greedy)
        return 1;
    return devices <= 32 ? 32 : devices <= 64 ? 16 : 8;
}

Plan skipped(std::string reason)
{
    Plan plan;
    plan.status = "skipped";
    plan.reason = std::move(reason);
    return plan;
}

Proposal ask_network(OrderNetwork& network, const Problem& problem, const std::vector<ChainSetting>& settings, int samples,
                     std::uint64_t seed)
{
    std::vector<NetworkQuestion> questions;
    for (const auto& setting : settings)
        questions.push_back({&problem, setting.variant, setting.schedule, setting.stages, samples, seed});
    Proposal proposal;
    proposal.where = network.device();
    for (auto& answers : network.answer_all(questions)) {
        proposal.log_load.push_back(answers.front().log_load);
        auto& orders = proposal.orders.emplace_back();
        std::set<std::vector<int>> seen;
        for (auto& answer : answers)
            if (seen.insert(answer.devices).second)
                orders.push_back(std::move(answer.devices));
    }
    return proposal;
}

/// In place of the network: half at random, half walks that mostly go on to one of the nearest unused devices.
Orders random_orders(const ChainCosts& costs, int count, Random& random)
{
    Orders orders;
    for (int k = 0; k < count; ++k) {
        std::vector<int> order = costs.usable();
        random.shuffle(std::span(order));
        if (k % 2 == 1) {
            for (std::size_t s = 1; s < order.size(); ++s) {
                const int here = order[s - 1];
                const auto time = [&](int d) { return costs.occupancy(1, here, d) + costs.latency(here, d); };
                const auto nearest = std::min_element(order.begin() + static_cast<std::ptrdiff_t>(s), order.end(),
                                                      [&](int a, int b) { return time(a) < time(b); });
                if (random.uniform() < 0.9)
                    std::iter_swap(order.begin() + static_cast<std::ptrdiff_t>(s), nearest);
            }
        }
        order.resize(static_cast<std::size_t>(costs.stages()));
        orders.push_back(std::move(order));
    }
    return orders;
}

/// The settings worth the time, with their heuristic chains. Where the schedule is free, GPipe is tried beside 1F1B: it
/// needs more memory but hides long transfers.
std::vector<SettingCandidates> choose_settings(const Problem& problem, const Control& control)
{
    auto ranked = rank_settings(problem, kept_settings, control, Look::usual);
    if (!problem.schedule) {
        const auto found = ranked;
        for (const auto& candidate : found) {
            auto setting = candidate.setting;
            setting.schedule = ScheduleKind::gpipe;
            if (setting.stages < 2 || setting.micro_batches < 2 || control.should_stop())
                continue;
            const ChainCosts costs(problem, setting);
            ranked.push_back({setting, split_orders(costs, heuristic_orders(costs), control, 5, processors())});
        }
        std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) {
            return a.chains.front().score < b.chains.front().score;
        });
        if (ranked.size() > kept_settings)
            ranked.resize(kept_settings);
    }
    return ranked;
}

/// The network's own answer to a setting; no chain where no cut of its order keeps memory and routes.
ScoredChain raw_answer(const ChainCosts& costs, const std::vector<int>& order, const std::vector<float>& log_load)
{
    ScoredChain raw{{}, std::numeric_limits<double>::infinity()};
    if (SplitSearch(costs).balance(order, log_load, raw.chain))
        raw.score = ChainEvaluator(costs).score(raw.chain);
    return raw;
}

/// The plans of the closed planners that the answer must not fall behind. PipeDream's recurrence is left out where it
/// would eat the time limit.
std::vector<Plan> baseline_plans(const Problem& problem, const PlanRequest& request, const Control& control)
{
    std::vector<Plan> plans;
    plans.push_back(plan_uniform(problem, request, control));
    plans.back().planner = "uniform";
    plans.push_back(plan_greedy_speed(problem, request, control));
    plans.back().planner = "greedy-speed";
    const double layers = problem.layers(), devices = problem.devices();
    const double operations = layers * layers / 2 * devices * problem.stages.value_or(1);
    if (operations * 3e-6 < 0.15 * request.budget_ms && !control.should_stop()) {
        plans.push_back(plan_pipedream(problem, request, control));
        plans.back().planner = "pipedream";
    }
    std::erase_if(plans, [](const Plan& plan) { return plan.status == "skipped" || plan.stages.empty(); });
    for (auto& plan : plans)
        predict_fast(problem, plan);
    return plans;
}

/// Signed, so that better and worse can be told apart.
std::string percent(double ratio)
{
    return (ratio < 1 ? "" : "+") + format_quantity(ratio - 1, Unit::fraction);
}

/// The source's orders that are worth splitting, best first by the probe's value unless few.
Orders worth_splitting(const ChainCosts& costs, Orders orders)
{
    if (orders.size() <= split)
        return orders;
    OrderProbe probe(costs);
    std::vector<std::pair<double, std::size_t>> ranked;
    for (std::size_t i = 0; i < orders.size(); ++i)
        ranked.emplace_back(probe.value(orders[i]), i);
    std::sort(ranked.begin(), ranked.end());
    Orders kept;
    for (std::size_t i = 0; i < split; ++i)
        kept.push_back(std::move(orders[ranked[i].second]));
    return kept;
}

/// The settings to plan for with their heuristic chains, the source's orders for each, and the plain plans.
struct Question {
    std::vector<SettingCandidates> ranked;
    Proposal proposal;
    std::vector<Plan> baselines;
};

Question ask(const Problem& problem, const PlanRequest& request, const Control& control, const OrderSource& source)
{
    Question question;
    const bool full = request.network_steps == NetworkSteps::full;
    const auto open = open_settings(problem);
    if (open.size() == 1 && problem.schedule) {
        control.report(0.05, "device orders");
        if (!full) {
            question.proposal = source(problem, open, request);
            question.ranked.push_back({open.front(), {}});
            return question;
        }
        auto beside = std::async(std::launch::async, [&] {
            question.ranked = choose_settings(problem, control);
            question.baselines = baseline_plans(problem, request, control);
        });
        question.proposal = source(problem, open, request);
        beside.get();
        return question;
    }
    control.report(0, "plain plans");
    if (full)
        question.baselines = baseline_plans(problem, request, control);
    control.report(0.02, "settings");
    question.ranked = choose_settings(problem, control);
    std::vector<ChainSetting> settings;
    for (const auto& candidate : question.ranked)
        settings.push_back(candidate.setting);
    control.report(0.1, "device orders");
    if (!settings.empty())
        question.proposal = source(problem, settings, request);
    return question;
}

Plan solve(const Problem& problem, const PlanRequest& request, const Control& outer, const OrderSource& source,
           const std::string& name)
{
    Control control = outer;
    if (request.budget_ms < control.deadline.remaining_ms())
        control.deadline = Deadline::after_ms(request.budget_ms);
    const double budget = std::min(control.deadline.remaining_ms(), 1e9);
    const bool full = request.network_steps == NetworkSteps::full;
    Control part = control;
    part.deadline = Deadline::after_ms(0.25 * budget);
    auto [ranked, proposal, baselines] = ask(problem, request, part, source);
    if (ranked.empty())
        return skipped("no number of stages is possible");

    Plan best;
    double best_score = std::numeric_limits<double>::infinity();
    std::size_t decoded = 0;
    double raw_score = std::numeric_limits<double>::infinity();
    bool network_start = false;
    static constexpr std::array share{0.6, 0.6, 1.0};
    for (std::size_t i = 0; i < ranked.size(); ++i) {
        if (i > 0 && control.should_stop())
            break;
        const double done = 0.1 + 0.9 * static_cast<double>(i) / static_cast<double>(ranked.size());
        control.report(done, "splits");
        const ChainCosts costs(problem, ranked[i].setting);
        auto& orders = proposal.orders[i];
        decoded += orders.size();
        if (i < proposal.log_load.size())
            raw_score = std::min(raw_score, raw_answer(costs, orders.front(), proposal.log_load[i]).score);
        const double left = std::min(control.deadline.remaining_ms(), 1e9);
        const double own = i + 1 == ranked.size() ? left : left * share[std::min<std::size_t>(i, share.size() - 1)];
        part.deadline = Deadline::after_ms(0.3 * own);
        if (request.network_steps == NetworkSteps::greedy)
            orders.resize(1);
        auto starts = split_orders(costs, full ? worth_splitting(costs, std::move(orders)) : std::move(orders), part, 5, processors());
        if (starts.size() > searched)
            starts.resize(searched);
        auto& heuristics = ranked[i].chains;
        const bool from_source = !starts.empty()
                                 && (heuristics.empty() || starts.front().score < heuristics.front().score);
        ScoredChain found = starts.front();
        if (full) {
            starts.insert(starts.end(), heuristics.begin(),
                          heuristics.begin() + static_cast<std::ptrdiff_t>(std::min(searched, heuristics.size())));
            Random random(request.seed + i);
            part.deadline = i + 1 == ranked.size() ? control.deadline : Deadline::after_ms(own - (left - control.deadline.remaining_ms()));
            control.report(done, "search");
            found = search(costs, std::move(starts), random, part);
        }
        if (best.stages.empty() || found.score < best_score) {
            best_score = found.score;
            best = to_plan(costs, found.chain, name);
            network_start = from_source;
        }
    }

    predict_fast(problem, best);
    std::string winner = network_start ? (proposal.where.empty() ? "a random order" : "an order of the network") : "a heuristic order";
    for (const auto& plan : baselines)
        if (objective_value(problem, plan) < objective_value(problem, best)) {
            best = plan;
            winner = "the plan of " + plan.planner;
        }
    best.planner = name;
    if (outer.stop.stop_requested())
        best.status = "stopped";
    best.detail = (proposal.where.empty() ? std::string("no network") : proposal.where) + ", " + std::to_string(decoded)
                  + " orders for " + std::to_string(ranked.size()) + (ranked.size() == 1 ? " setting" : " settings")
                  + ", won from " + winner;
    if (std::isfinite(raw_score) && best_score > 0)
        best.detail += ", raw answer " + percent(raw_score / best_score);
    return best;
}

/// Of the source, for plans with replicas.
OrderMaker orders_from(const OrderSource& source, const PlanRequest& request)
{
    return [=](const Problem& problem, const ChainSetting& setting) {
        return source(problem, {setting}, request).orders.front();
    };
}

}  // namespace

Plan plan_nn_piper(const Problem& problem, const PlanRequest& request, const Control& control)
{
    std::shared_ptr<OrderNetwork> network;
    try {
        network = borrow_network(request.device);
    } catch (const Error& error) {
        if (error.place() == "device")
            throw;
        return skipped(error.what());
    }
    const OrderSource source = [&](const Problem& asked, const std::vector<ChainSetting>& settings, const PlanRequest& wishes) {
        return ask_network(*network, asked, settings, samples_for(wishes, asked.devices()), wishes.seed);
    };
    return plan_with_groups(
        problem, request, control,
        [&](const Problem& asked, const PlanRequest& wishes, const Control& part) {
            return solve(asked, wishes, part, source, "nn-piper");
        },
        "nn-piper", orders_from(source, request));
}

Plan plan_nn_piper_no_network(const Problem& problem, const PlanRequest& request, const Control& control)
{
    const OrderSource source = [&](const Problem& asked, const std::vector<ChainSetting>& settings, const PlanRequest& wishes) {
        Proposal proposal;
        Random random(wishes.seed);
        const int samples = samples_for(wishes, asked.devices());
        for (const auto& setting : settings)
            proposal.orders.push_back(random_orders(ChainCosts(asked, setting), samples, random));
        return proposal;
    };
    return plan_with_groups(
        problem, request, control,
        [&](const Problem& asked, const PlanRequest& wishes, const Control& part) {
            return solve(asked, wishes, part, source, "nn-piper-no-network");
        },
        "nn-piper-no-network", orders_from(source, request));
}

Plan plan_nn_piper_raw(const Problem& problem, const PlanRequest& request, const Control& control)
{
    std::shared_ptr<OrderNetwork> network;
    try {
        network = borrow_network(request.device);
    } catch (const Error& error) {
        if (error.place() == "device")
            throw;
        return skipped(error.what());
    }
    // The network answers for a given setting; of up to sixteen spread over those left open the best answer is taken.
    auto settings = open_settings(problem);
    constexpr std::size_t most = 16;
    if (settings.size() > most) {
        std::vector<ChainSetting> spread;
        for (std::size_t i = 0; i < most; ++i)
            spread.push_back(settings[i * (settings.size() - 1) / (most - 1)]);
        settings = std::move(spread);
    }
    if (settings.empty())
        return skipped("no number of stages is possible");
    const auto proposal = ask_network(*network, problem, settings, 1, request.seed);
    Plan best;
    double best_score = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < settings.size(); ++i) {
        if (i > 0 && control.stop.stop_requested())
            break;
        const ChainCosts costs(problem, settings[i]);
        const auto raw = raw_answer(costs, proposal.orders[i].front(), proposal.log_load[i]);
        if (raw.score < best_score) {
            best_score = raw.score;
            best = to_plan(costs, raw.chain, "nn-piper-raw");
        }
    }
    if (best.stages.empty())
        return skipped("no cut of the order that the network names keeps memory and routes");
    best.detail = proposal.where + ", greedy answer, no search";
    return best;
}

std::vector<OrderDecision> nn_piper_decisions(const Problem& problem, const PlanRequest& request)
{
    const Problem asked = with_request(problem, request);
    const auto ranked = rank_settings(asked, 1, Control{}, Look::quick);
    if (ranked.empty())
        throw Error("stages", "no number of stages is possible");
    const ChainSetting& setting = ranked.front().setting;
    const auto network = borrow_network(request.device);
    const auto answer =
        network->answer({&asked, setting.variant, setting.schedule, setting.stages, 1, request.seed, true}).front();
    std::vector<OrderDecision> decisions;
    const auto devices = static_cast<std::ptrdiff_t>(asked.devices());
    for (std::size_t s = 0; s < answer.devices.size(); ++s) {
        const auto row = answer.probability.begin() + static_cast<std::ptrdiff_t>(s) * devices;
        decisions.push_back({answer.devices[s], {row, row + devices}});
    }
    return decisions;
}

void prepare_nn_piper(const PlanRequest& request) noexcept
{
    try {
        const auto network = borrow_network(request.device);
        // The first call of each operation allocates and dispatches for milliseconds.
        const auto problem = virtual_problem(1, {8, 4, 4, 8});
        network->answer({&problem, 0, ScheduleKind::one_f_one_b, 4, 2, 1});
    } catch (...) {  // the planner itself tells what is missing
    }
}

}  // namespace nnpiper
