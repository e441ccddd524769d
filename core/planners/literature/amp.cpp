// SPDX-License-Identifier: GPL-3.0-or-later
// amp (Li et al., AMP: automatically finding model parallel strategies with heterogeneity awareness, NeurIPS 2022). For
// every tensor-parallel degree, number of replicas and size of micro-batch, D / (tp dp) stages are cut by
//   D(i, j, x) = min over cut of D(cut, j-1, max(e, x)) + (M-1) max(0, e - x) + c(cut, j-1),  e the last stage's sum,
// x the largest stage behind; D(L, S, 0) + sum t is the pipeline, to which the slowest all-reduce is added. D(L, S, 0)
// is also the least of sum c + (M-1) max t, which stage_cut.h finds by lowering a limit on the stages: the same optimum
// without the state x. (The authors' program takes the cut's cost off again, so that communication never counts; this
// does not.) O(number of limits x S L w) for each of the triples.
// The original averages the speed of all devices, sees links as they are along the given order, shares micro-batches
// equally and has no memory limit: its authors try the strategies that it rates cheapest (ten here, from memory of the
// paper), and the simulator stands in for those runs. With true costs stages have their own devices' times and shares,
// and must fit. It uses all devices; here some are left over where the degrees do not divide them. Recompute, which it
// does not know, is settled by the simulator.
#include "core/planners/baselines.h"

#include "core/planners/literature/ordered_costs.h"
#include "core/planners/literature/stage_cut.h"
#include "core/schedule/schedule.h"
#include "core/simulator/simulate.h"

#include <algorithm>
#include <limits>
#include <map>
#include <vector>

namespace nnpiper {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

std::size_t at(int i)
{
    return static_cast<std::size_t>(i);
}

constexpr std::size_t trial_runs = 10;

/// S stages of dp x tp devices each, along the order.
struct Shape {
    int stages = 1;
    int replicas = 1;
    int tensor_parallel = 1;

    StageRun run(int stage, int first, int end) const
    {
        const int width = replicas * tensor_parallel;
        return {first, end, stage * width, (stage + 1) * width, tensor_parallel};
    }
};

struct Priced {
    std::vector<int> end;
    double cost_s = infinite;  ///< of an iteration
};

/// Layers cut over one shape, priced by the paper's formula.
Priced price(const Shape& shape, const OrderedCosts& times, const OrderedCosts& truth, ScheduleKind schedule,
             const Control& control)
{
    Priced priced;
    for (int s = 0; s < shape.stages; ++s) {
        const StageRun run = shape.run(s, 0, 1);
        if (!times.possible(run.from, run.to, run.tensor_parallel)
            || !truth.possible(run.from, run.to, run.tensor_parallel))
            return priced;
    }
    StageCutCosts costs;
    costs.layers = times.layers();
    costs.stages = shape.stages;
    costs.micro_batches = times.micro_batches();
    costs.stage_s = [&](int stage, int first, int end) { return times.stage_s(shape.run(stage, first, end)); };
    costs.transfer_s = [&](int stage, int cut) {
        const StageRun before = shape.run(stage, 0, cut);
        return truth.transfer_s(cut, before.from, before.to, shape.run(stage + 1, cut, cut).to).both_s();
    };
    if (times.links().view() == CostView::true_costs) {
        costs.fits = [&](int stage, int first, int end) {
            return truth.fits(shape.run(stage, first, end),
                              peak_in_flight(schedule, shape.stages, times.micro_batches(), stage));
        };
    }
    const auto cut = cheapest_cut(costs, control);
    if (!cut)
        return priced;
    priced.end = cut->end;
    double sync = 0;
    int first = 0;
    for (int s = 0; s < shape.stages; ++s) {
        sync = std::max(sync, truth.sync_s(shape.run(s, first, cut->end[at(s)])));
        first = cut->end[at(s)];
    }
    priced.cost_s = cut->cost_s + sync;
    return priced;
}

std::vector<Shape> shapes_of(const Problem& problem, const OrderedSetting& setting, int devices, bool equal_shares)
{
    std::vector<Shape> shapes;
    const int most = problem.replicas_allowed() ? setting.micro_batch_samples : 1;
    for (const int t : setting.degrees) {
        for (int replicas = 1; replicas <= most && replicas * t <= devices; ++replicas) {
            if (equal_shares && setting.micro_batch_samples % replicas != 0)
                continue;
            const int stages = problem.stages.value_or(std::min(devices / (replicas * t), problem.layers()));
            if (stages * replicas * t <= devices && stages <= problem.layers())
                shapes.push_back({stages, replicas, t});
        }
    }
    return shapes;
}

Plan to_plan(const OrderedCosts& costs, const Shape& shape, const std::vector<int>& end, ScheduleKind schedule)
{
    Plan plan;
    plan.planner = "amp";
    plan.schedule = schedule;
    plan.micro_batches = costs.micro_batches();
    int first = 0;
    for (int s = 0; s < shape.stages; ++s) {
        plan.stages.push_back(costs.stage(shape.run(s, first, end[at(s)])));
        first = end[at(s)];
    }
    return plan;
}

}  // namespace

Plan plan_amp(const Problem& problem, const PlanRequest& request, const Control& control)
{
    Plan best;
    best.planner = "amp";
    best.status = "skipped";
    best.reason = "there are fewer devices or layers than stages";
    const ScheduleKind schedule = problem.schedule.value_or(ScheduleKind::one_f_one_b);
    const CostView view = request.true_costs ? CostView::true_costs : CostView::as_published;
    const std::vector<int> order = default_order(problem, view);
    const int devices = static_cast<int>(order.size());
    struct Found {
        double cost_s = infinite;  ///< of a sample
        Plan plan;
    };
    std::map<Recompute, std::vector<Found>> found;  ///< cheapest first
    bool stopped = false, tried = false;
    for (const OrderedSetting& setting : ordered_settings(problem)) {
        if (tried && control.should_stop()) {
            stopped = true;
            break;
        }
        const int longest = problem.replicas_allowed()
                                ? std::min(setting.micro_batch_samples * setting.degrees.back(), devices)
                                : setting.degrees.back();
        const OrderedLinks links(problem, order, CostView::true_costs, longest);
        const OrderedLinks mean_links(problem, order, CostView::as_published, longest);
        const OrderedCosts truth(problem, setting, links);
        const OrderedCosts mean(problem, setting, mean_links);
        const OrderedCosts& times = request.true_costs ? truth : mean;
        for (const Shape& shape : shapes_of(problem, setting, devices, !request.true_costs)) {
            if (tried && control.should_stop()) {
                stopped = true;
                break;
            }
            const Priced priced = price(shape, times, truth, schedule, control);
            tried = true;
            const double cost =
                priced.cost_s / (static_cast<double>(setting.micro_batch_samples) * setting.micro_batches);
            std::vector<Found>& own = found[setting.recompute];
            if (!(cost < infinite) || (own.size() == trial_runs && cost >= own.back().cost_s))
                continue;
            Plan plan = to_plan(times, shape, priced.end, schedule);
            plan.detail = std::to_string(shape.stages) + " stages x " + std::to_string(shape.replicas) + " replicas x "
                          + std::to_string(shape.tensor_parallel) + " tensor-parallel";
            const auto place =
                std::find_if(own.begin(), own.end(), [&](const Found& other) { return cost < other.cost_s; });
            own.insert(place, {cost, std::move(plan)});
            if (own.size() > trial_runs)
                own.pop_back();
        }
    }
    double best_value = infinite;
    for (auto& [recompute, cheapest] : found) {
        for (Found& trial : cheapest) {
            predict(problem, trial.plan);
            const double value = objective_value(problem, trial.plan);
            if (best.stages.empty() || value < best_value) {
                best = std::move(trial.plan);
                best_value = value;
            }
        }
    }
    if (best.stages.empty() && tried)
        best.reason = stopped ? "the time limit passed before a cut that keeps memory and routes was found"
                              : "no cut along the order of devices keeps memory and routes";
    if (stopped && best.feasible)
        best.status = "stopped";
    return best;
}

}  // namespace nnpiper
