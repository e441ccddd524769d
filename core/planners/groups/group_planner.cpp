// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planners/groups/group_planner.h"

#include "core/planners/baselines.h"
#include "core/planners/chains/device_orders.h"
#include "core/planners/groups/group_search.h"
#include "core/planners/groups/run_starts.h"
#include "core/planners/groups/units.h"
#include "core/schedule/schedule.h"
#include "core/simulator/evaluator.h"
#include "core/simulator/simulate.h"

#include <algorithm>
#include <limits>

namespace nnpiper {

namespace {

/// Of the time that is left, for plain shapes, for the chain planner, for heuristic orders cut into runs and for
/// further orders, for PipeDream's recurrence.
constexpr double start_part = 0.2;
constexpr double chain_part = 0.35;
constexpr double runs_part = 0.5;
constexpr double more_runs_part = 0.25;
constexpr double replicas_part = 0.08;
/// With less time chains of single devices are left to the starts with replicas, of which they are a special case.
constexpr double chains_budget_ms = 100;
/// PipeDream's recurrence is asked for a start only when there is that much time.
constexpr double replicas_budget_ms = 400;

const Variant& usual_variant(const Problem& problem)
{
    return problem.variants[static_cast<std::size_t>(problem.default_variant)];
}

bool replicas_are_open(const Problem& problem)
{
    return problem.replicas_allowed()
           && std::any_of(problem.variants.begin(), problem.variants.end(), [&](const Variant& variant) {
                  return variant.micro_batch_samples > 1
                         && (problem.micro_batch_free
                             || variant.micro_batch_samples == usual_variant(problem).micro_batch_samples);
              });
}

/// Stages, layers or devices have their places.
bool places_are_locked(const Problem& problem)
{
    return std::any_of(problem.locks.begin(), problem.locks.end(), [](const Lock& lock) { return !lock.idle; });
}

std::string described(const Plan& plan)
{
    std::size_t replicas = 1;
    int degree = 1;
    for (const Stage& stage : plan.stages) {
        replicas =
            std::max(replicas, stage.devices.size() / static_cast<std::size_t>(std::max(1, stage.tensor_parallel)));
        degree = std::max(degree, stage.tensor_parallel);
    }
    std::string text = "stages of up to " + std::to_string(replicas) + (replicas == 1 ? " replica" : " replicas");
    if (degree > 1)
        text += " of up to " + std::to_string(degree) + " devices";
    return replicas == 1 && degree == 1 ? "single devices with recompute by stage" : text;
}

/// As many stages as there are devices, or layers.
ChainSetting longest_chain(const Problem& problem)
{
    const Variant& usual = usual_variant(problem);
    const int usable = static_cast<int>(tensor_units(problem, 1).size());
    return {problem.default_variant, std::min(problem.layers(), usable), usual.micro_batches,
            problem.schedule.value_or(ScheduleKind::one_f_one_b)};
}

/// How much longer a plan's makespan is over shared links than over links of its own. The detailed engine is thousands
/// of times slower than the fast one: where the plan has more than `most_ops` ops, the first micro-batches speak for
/// all.
double contention(const Problem& problem, const Plan& plan, double most_ops)
{
    Pipeline pipeline = lay_out_with_flows(problem, plan);
    if (!pipeline.flows)
        return 1;
    const double affordable = std::max(2.0 * pipeline.stages(), most_ops / (2.0 * pipeline.stages()));
    pipeline.micro_batches = static_cast<int>(std::min<double>(plan.micro_batches, affordable));
    const double shared = run(pipeline, op_order(plan.schedule, pipeline.stages(), pipeline.micro_batches)).makespan_s;
    return shared / makespan(plan.schedule, pipeline);
}

bool fits(GroupTrack& track)
{
    return track.evaluator->price(track.best.chain).fits();
}

/// The best plan so far by the simulator.
class Best {
public:
    Best(const Problem& problem, double budget_ms)
        : problem_(problem)
        , most_ops_(ops_a_ms * std::min(budget_ms, 1e5))
    {
    }

    void offer(Plan plan)
    {
        const bool none = plan_.stages.empty();
        if (plan.stages.empty() && !none)
            return;
        const double value = plan.stages.empty() ? value_ : judge(plan);
        if (none || value < value_) {
            plan_ = std::move(plan);
            value_ = value;
        }
    }

    const Plan& plan() const { return plan_; }

private:
    double judge(Plan& plan) const
    {
        predict_fast(problem_, plan);
        const double value = objective_value(problem_, plan);
        if (!plan.feasible || problem_.routes.empty())
            return value;
        return value * (1 + plan.makespan_s * (contention(problem_, plan, most_ops_) - 1) / plan.iteration_s);
    }

    /// Of the detailed engine for one plan, a millisecond of the time limit: some hundredths of it.
    static constexpr double ops_a_ms = 10;

    const Problem& problem_;
    double most_ops_;
    Plan plan_;
    double value_ = std::numeric_limits<double>::infinity();
};

}  // namespace

bool groups_are_open(const Problem& problem)
{
    return problem.replicas_allowed() || problem.recompute_free || problem.tensor_parallel_free;
}

Plan plan_with_groups(const Problem& problem, const PlanRequest& request, const Control& control,
                      const PlannerFunction& plan_chains, const std::string& name, const OrderMaker& orders)
{
    const int degree = usual_variant(problem).tensor_parallel;
    if (degree != 1 && !problem.tensor_parallel_free) {
        const UnitProblem units = unit_problem(problem, degree);
        return on_devices(units, plan_with_groups(units.problem, request, control, plan_chains, name, orders));
    }
    if (!groups_are_open(problem))
        return plan_chains(problem, request, control);

    const double budget = std::min(control.deadline.remaining_ms(), request.budget_ms);
    const Deadline end = budget < control.deadline.remaining_ms() ? Deadline::after_ms(budget) : control.deadline;
    Control part = control;
    const auto take = [&](double share) {
        const double ms = share * std::max(0.0, std::min(end.remaining_ms(), budget));
        part.deadline = Deadline::after_ms(ms);
        return ms;
    };
    // Plain shapes first: however long the chain planner takes, they are there.
    take(start_part);
    control.report(0, "plain shapes");
    auto tracks = group_tracks(problem, part);
    PlanRequest asked = request;
    Best best(problem, budget);
    const auto try_chains = [&] {
        asked.budget_ms = take(chain_part);
        best.offer(plan_chains(problem, asked, part));
        add_start(tracks, problem, best.plan());
    };
    const bool chains_first =
        tracks.empty() || budget >= chains_budget_ms || !replicas_are_open(problem) || places_are_locked(problem);
    if (chains_first)
        try_chains();
    Plan chains = best.plan();
    if (control.stop.stop_requested() && !chains.stages.empty())
        return chains;

    if (const ChainSetting longest = longest_chain(problem); longest.stages > 0) {
        take(runs_part);
        add_run_starts(tracks, problem, whole_orders(problem, heuristic_orders(ChainCosts(problem, longest))), part);
        // Further orders are asked for where the heuristic ones left time.
        if (orders && longest.stages > 1 && !part.should_stop()) {
            take(more_runs_part);
            add_run_starts(tracks, problem, whole_orders(problem, orders(problem, longest)), part);
        }
    }
    if (!chains_first && !fits(tracks.front())) {
        try_chains();
        chains = best.plan();
    }
    if (budget >= replicas_budget_ms) {
        asked.budget_ms = take(replicas_part);
        add_start(tracks, problem, plan_pipedream(problem, asked, part));
    }
    part.deadline = end;
    control.report(0.3, "search over groups");
    for (Plan& found : search_groups(problem, std::move(tracks), request.seed, part))
        best.offer(std::move(found));
    Plan result = best.plan();
    result.planner = name;
    result.bound_s.reset();
    result.proved_gap.reset();
    if (result.stages != chains.stages || result.micro_batches != chains.micro_batches) {
        const std::string& before = chains.stages.empty() ? chains.reason : chains.detail;
        result.detail = before + (before.empty() ? "" : "; then ") + described(result);
    }
    if (control.stop.stop_requested() && result.feasible)
        result.status = "stopped";
    return result;
}

}  // namespace nnpiper
