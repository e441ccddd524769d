// SPDX-License-Identifier: GPL-3.0-or-later
// spp ("SPP-like": after Luo et al., Efficient pipeline planning for expedited distributed DNN training, INFOCOM 2022;
// from memory of the paper). Three steps:
//   1. devices in one row by recursive global minimum cuts of the bandwidth graph, so that weak links are crossed once;
//   2. for every number of stages x the least bottleneck over runs of that row (run_chain.h):
//        W(l, x, r, i) = min over l', r' of max{ W(l', x-1, r', i-r), both transfers, t(l'+1..l)/r, allreduce/M };
//   3. list scheduling, gradients first, of each x's pipeline; the number of stages with the shortest one is taken.
// O(L S D R^2 w) for step 2, O(S M x) ops for step 3. The original takes devices as equally fast, links as they are,
// and has no memory limit; with true costs stages have their devices' times and must fit, and the simulated plan
// chooses x. The paper runs the list-scheduled order; here the plan's own schedule is simulated. Sizes of micro-batch
// and recompute policies, which it does not know, are settled by the simulator.
#include "core/planners/baselines.h"

#include "core/planners/literature/min_cut.h"
#include "core/planners/literature/ordered_costs.h"
#include "core/planners/literature/run_chain.h"
#include "core/schedule/list_scheduler.h"
#include "core/schedule/schedule.h"
#include "core/simulator/order_evaluator.h"
#include "core/simulator/simulate.h"

#include <algorithm>
#include <limits>

namespace nnpiper {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

std::size_t at(int i)
{
    return static_cast<std::size_t>(i);
}

std::vector<int> row_of_devices(const Problem& problem)
{
    const std::vector<int> devices = given_order(problem);
    const int n = static_cast<int>(devices.size());
    Matrix bandwidth(n, n);
    for (int a = 0; a < n; ++a) {
        for (int b = 0; b < n; ++b) {
            if (a != b)
                bandwidth(a, b) = problem.bandwidth_bytes_per_s(devices[at(a)], devices[at(b)])
                                  + problem.bandwidth_bytes_per_s(devices[at(b)], devices[at(a)]);
        }
    }
    std::vector<int> row;
    for (const int v : min_cut_order(bandwidth))
        row.push_back(devices[at(v)]);
    return row;
}

/// Times of the stages by `times`, links of the devices as they are.
RunCosts run_costs(const OrderedCosts& times, const OrderedCosts& truth, ScheduleKind schedule)
{
    RunCosts runs;
    runs.layers = times.layers();
    runs.devices = times.devices();
    runs.most_replicas = times.most_replicas();
    runs.stage_s = [&times, &truth](int first, int from, int replicas, std::span<double> seconds) {
        const bool possible = times.possible(from, from + replicas, 1) && truth.possible(from, from + replicas, 1);
        for (int end = first + 1; end <= times.layers(); ++end) {
            const StageRun run{first, end, from, from + replicas, 1};
            seconds[at(end)] =
                possible ? std::max(times.stage_s(run), truth.sync_s(run) / times.micro_batches()) : infinite;
        }
    };
    runs.transfer_s = [&truth](int cut, int from, int middle, int to) {
        return truth.transfer_s(cut, from, middle, to).both_s();
    };
    if (times.links().view() == CostView::true_costs) {
        const int micro_batches = times.micro_batches();
        runs.fits = [&truth, schedule, micro_batches](int first, int end, int from, int replicas, int behind) {
            return truth.fits({first, end, from, from + replicas, 1},
                              peak_in_flight(schedule, behind + 1, micro_batches, 0));
        };
    }
    return runs;
}

Plan to_plan(const OrderedCosts& costs, const RunChain& chain, ScheduleKind schedule)
{
    Plan plan;
    plan.planner = "spp";
    plan.schedule = schedule;
    plan.micro_batches = costs.micro_batches();
    int from = costs.devices();
    for (const int replicas : chain.replicas)
        from -= replicas;
    int first = 0;
    for (std::size_t s = 0; s < chain.end.size(); ++s) {
        plan.stages.push_back(costs.stage({first, chain.end[s], from, from + chain.replicas[s], 1}));
        first = chain.end[s];
        from += chain.replicas[s];
    }
    return plan;
}

/// Seconds of an iteration whose ops are listed as they become ready, gradients first.
double list_scheduled_s(const Problem& problem, const Plan& plan)
{
    if (!validate(problem, plan).empty())
        return infinite;
    const Pipeline pipeline = lay_out(problem, plan);
    ListCosts costs;
    double update = 0;
    for (int s = 0; s < pipeline.stages(); ++s) {
        costs.forward_s.push_back(pipeline.forward_s[at(s)]);
        costs.backward_input_s.push_back(pipeline.backward_s(s));
        update = std::max(update, pipeline.all_reduce_s[at(s)] + pipeline.optimizer_s[at(s)]);
        if (s + 1 < pipeline.stages()) {
            costs.forward_delay_s.push_back(pipeline.forward_occupancy_s[at(s)] + pipeline.forward_latency_s[at(s)]);
            costs.backward_delay_s.push_back(pipeline.backward_occupancy_s[at(s)] + pipeline.backward_latency_s[at(s)]);
        }
    }
    ListPolicy policy;
    policy.held.assign(at(pipeline.stages()), pipeline.micro_batches);
    policy.warm_up = policy.held;
    policy.patience.assign(at(pipeline.stages()), 0);
    const OpOrder order = list_schedule(pipeline.map, pipeline.micro_batches, costs, policy);
    return order.empty() ? infinite : makespan(pipeline, order) + update;
}

}  // namespace

Plan plan_spp(const Problem& problem, const PlanRequest& request, const Control& control)
{
    Plan best;
    best.status = "skipped";
    best.reason = "there are fewer devices or layers than stages";
    const ScheduleKind schedule = problem.schedule.value_or(ScheduleKind::one_f_one_b);
    const std::vector<int> row = row_of_devices(problem);
    const int devices = static_cast<int>(row.size());
    double best_value = infinite;
    bool stopped = false, tried = false;
    std::vector<OrderedSetting> settings = ordered_settings(problem);
    // Few samples allow few replicas and are soon looked at.
    std::stable_sort(settings.begin(), settings.end(), [](const OrderedSetting& a, const OrderedSetting& b) {
        return a.micro_batch_samples < b.micro_batch_samples;
    });
    for (OrderedSetting setting : settings) {
        if (setting.degrees.front() != 1)
            continue;
        if (control.should_stop() && (tried || !best.stages.empty())) {
            stopped = true;
            break;
        }
        tried = true;
        setting.degrees = {1};
        const int longest = problem.replicas_allowed() ? std::min(setting.micro_batch_samples, devices) : 1;
        const OrderedLinks links(problem, row, CostView::true_costs, longest);
        const OrderedLinks mean_links(problem, row, CostView::as_published, longest);
        const OrderedCosts truth(problem, setting, links);
        const OrderedCosts mean(problem, setting, mean_links);
        const OrderedCosts& times = request.true_costs ? truth : mean;
        const RunCosts costs = run_costs(times, truth, schedule);
        const auto chains = bottleneck_runs(costs, problem.stages.value_or(devices), control);
        Plan chosen;
        double least = infinite;
        for (std::size_t x = 0; x < chains.size(); ++x) {
            if (chains[x].end.empty() || (problem.stages && static_cast<int>(x) + 1 != *problem.stages))
                continue;
            if (control.should_stop() && !chosen.stages.empty()) {
                stopped = true;
                break;
            }
            Plan plan = to_plan(times, chains[x], schedule);
            if (request.true_costs)
                predict(problem, plan);
            const double seconds =
                request.true_costs ? objective_value(problem, plan) : list_scheduled_s(problem, plan);
            if (chosen.stages.empty() || seconds < least) {
                chosen = std::move(plan);
                least = seconds;
            }
        }
        if (chosen.stages.empty()) {
            if (control.should_stop() && best.stages.empty())
                best.reason = "the time limit passed before the first table was filled";
            else if (!chains.empty() && best.stages.empty())
                best.reason = "no cut over the row of devices keeps memory and routes";
            continue;
        }
        predict(problem, chosen);
        const double value = objective_value(problem, chosen);
        if (best.stages.empty() || value < best_value) {
            best = std::move(chosen);
            best_value = value;
        }
    }
    if (stopped && best.feasible)
        best.status = "stopped";
    return best;
}

}  // namespace nnpiper
