// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planners/planner.h"

#include "core/base/error.h"
#include "core/planners/groups/units.h"
#include "core/planners/lock_contradiction.h"
#include "core/planners/nn_piper.h"
#include "core/planners/reschedule.h"
#include "core/problem/compile.h"
#include "core/schedule/schedule.h"
#include "core/simulator/simulate.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>

namespace nnpiper {

double objective_value(const Problem& problem, const Plan& plan)
{
    if (!plan.feasible)
        return std::numeric_limits<double>::infinity();
    if (problem.objective == Objective::latency)
        return plan.iteration_s;
    double value = plan.iteration_s > 0 ? 1 / plan.throughput_samples_per_s : 0;
    if (problem.objective == Objective::cost) {
        double price = 0;
        for (const Stage& stage : plan.stages) {
            for (const auto& id : stage.devices)
                price += problem.device_price_per_h[static_cast<std::size_t>(problem.device_index(id))] / 3600;
        }
        value *= price;
    }
    return value;
}

Problem with_request(const Problem& problem, const PlanRequest& request)
{
    Problem wanted = problem;
    if (request.recompute) {
        const auto fits = [&](const Variant& variant) { return variant.recompute == *request.recompute; };
        const auto found = std::find_if(wanted.variants.begin(), wanted.variants.end(), fits);
        if (found == wanted.variants.end())
            throw Error("recompute", "the problem has no costs for recompute " + std::string(name_of(*request.recompute)),
                        "a policy that the problem holds");
        std::erase_if(wanted.variants, [&](const Variant& variant) { return !fits(variant); });
        const Variant& usual = problem.variants[static_cast<std::size_t>(problem.default_variant)];
        wanted.default_variant = 0;
        for (std::size_t v = 0; v < wanted.variants.size(); ++v) {
            if (wanted.variants[v].micro_batch_samples == usual.micro_batch_samples
                && wanted.variants[v].tensor_parallel == usual.tensor_parallel)
                wanted.default_variant = static_cast<int>(v);
        }
        wanted.recompute_free = false;
    }
    if (request.micro_batches)
        wanted = with_micro_batches(std::move(wanted), *request.micro_batches);
    if (request.stages)
        wanted.stages = request.stages;
    if (wanted.stages) {
        const int most = std::min(wanted.devices(), wanted.layers());
        if (*wanted.stages < 1 || *wanted.stages > most)
            throw Error("stages", "it is " + std::to_string(*wanted.stages),
                        "allowed: 1 to " + std::to_string(most) + " (devices and layers)");
    }
    if (request.schedule)
        wanted.schedule = request.schedule;
    if (request.objective)
        wanted.objective = *request.objective;
    if (wanted.objective == Objective::cost) {
        for (std::size_t d = 0; d < wanted.device_ids.size(); ++d) {
            if (d >= wanted.device_price_per_h.size() || !(wanted.device_price_per_h[d] >= 0))
                throw Error("objective", "the price of device \"" + wanted.device_ids[d] + "\" is not known",
                            "a price for every device, or another objective");
        }
    }
    return wanted;
}

namespace {

Plan skipped_plan(const std::string& planner)
{
    Plan plan;
    plan.planner = planner;
    plan.status = "skipped";
    return plan;
}

/// Numbers of micro-batches that the problem can have, the usual one first, then the nearest.
std::vector<int> micro_batch_counts(const Problem& problem)
{
    const int usual = problem.variants[static_cast<std::size_t>(problem.default_variant)].micro_batches;
    std::vector<int> counts{usual};
    for (const Variant& variant : problem.variants) {
        if (problem.micro_batch_free && std::find(counts.begin(), counts.end(), variant.micro_batches) == counts.end())
            counts.push_back(variant.micro_batches);
    }
    std::stable_sort(counts.begin() + 1, counts.end(),
                     [&](int a, int b) { return std::abs(a - usual) < std::abs(b - usual); });
    return counts;
}

/// A planner of single devices on groups of `degree` devices.
Plan plan_in_units(const PlannerEntry& entry, const Problem& problem, int degree, const PlanRequest& request,
                   const Control& control)
{
    if (degree == 1)
        return entry.plan(problem, request, control);
    try {
        const UnitProblem units = unit_problem(problem, degree);
        return on_devices(units, entry.plan(units.problem, request, control));
    } catch (const Error& error) {
        if (error.place() == "device")
            throw;
        Plan skipped = skipped_plan(entry.name);
        skipped.reason = error.what();
        return skipped;
    }
}

/// What is proved of the best of several plans: only what holds over all of them.
class CommonProof {
public:
    void add(double value, const Plan& plan)
    {
        complete_ = complete_ && plan.proved_gap && std::isfinite(value);
        if (complete_)
            bound_ = std::min(bound_, value / (1 + *plan.proved_gap));
    }

    /// Some degree was not looked at.
    void leave_open() { complete_ = false; }

    void write(double value, Plan& plan) const
    {
        plan.bound_s.reset();
        plan.proved_gap = complete_ && bound_ > 0 ? std::optional(std::max(0.0, value / bound_ - 1)) : std::nullopt;
    }

private:
    bool complete_ = true;
    double bound_ = std::numeric_limits<double>::infinity();
};

/// The planner's best over the tensor-parallel degrees that the problem leaves open, which share its time.
Plan plan_over_degrees(const PlannerEntry& entry, const Problem& problem, const PlanRequest& request,
                       const Control& control)
{
    if (entry.chooses_degree)
        return entry.plan(problem, request, control);
    const std::vector<int> degrees = open_degrees(problem);
    if (degrees.size() == 1)
        return plan_in_units(entry, problem, degrees.front(), request, control);
    Plan best = skipped_plan(entry.name);
    double best_value = std::numeric_limits<double>::infinity();
    CommonProof proof;
    for (std::size_t i = 0; i < degrees.size(); ++i) {
        if (i > 0 && control.should_stop()) {
            proof.leave_open();
            break;
        }
        const double left = control.deadline.remaining_ms() / static_cast<double>(degrees.size() - i);
        Control part = control;
        part.deadline = Deadline::after_ms(left);
        PlanRequest asked = request;
        asked.budget_ms = std::min(request.budget_ms, left);
        Plan plan = plan_in_units(entry, problem, degrees[i], asked, part);
        if (plan.status == "skipped" || plan.stages.empty()) {
            if (best.stages.empty() && best.reason.empty())
                best.reason = plan.reason;
            continue;
        }
        predict(problem, plan);
        const double value = objective_value(problem, plan);
        proof.add(value, plan);
        if (best.stages.empty() || value < best_value) {
            best = std::move(plan);
            best_value = value;
        }
    }
    if (!best.stages.empty())
        proof.write(best_value, best);
    return best;
}

/// The plan, or a plain answer under the same schedule where that is better.
Plan at_least_plain(const Problem& problem, Plan plan, const PlanRequest& request, const Control& control)
{
    const ScheduleKind kind = plan.schedule;
    Problem searched = problem;
    searched.schedule = ScheduleKind::one_f_one_b;
    predict(problem, plan);
    for (const char* name : {"greedy-speed", "uniform"}) {
        if (control.stop.stop_requested())
            break;
        Plan plain = find_planner(name).plan(searched, request, control);
        if (plain.status == "skipped" || plain.stages.empty())
            continue;
        try {
            plain = rescheduled(problem, plain, kind, control);
        } catch (const Error&) {
            continue;  // the schedule cannot have that many stages
        }
        predict(problem, plain);
        if (objective_value(problem, plain) < objective_value(problem, plan)) {
            plain.detail = plan.detail + (plan.detail.empty() ? "" : ", ") + "the plan of " + name;
            plan = std::move(plain);
        }
    }
    return plan;
}

/// Planners search under 1F1B; any other schedule takes over their devices and cuts. Where the schedule cannot have the
/// stages or micro-batches that came out (interleaved wants a multiple of the devices, ...), others that the problem
/// leaves open are tried.
Plan plan_then_reschedule(const PlannerEntry& entry, const Problem& problem, const PlanRequest& request,
                          const Control& control)
{
    const ScheduleKind kind = *problem.schedule;
    Plan skipped = skipped_plan(entry.name);
    skipped.schedule = kind;
    if (is_inference(kind) || kind == ScheduleKind::custom) {
        skipped.reason = std::string(name_of(kind))
                         + (kind == ScheduleKind::custom ? " is an order of your own" : " does not train")
                         + ": planners need a training schedule";
        return skipped;
    }
    Problem searched = problem;
    searched.schedule = ScheduleKind::one_f_one_b;
    PlanRequest asked = request;
    asked.schedule = ScheduleKind::one_f_one_b;
    // What is left of the time is for shifting boundaries under the real schedule.
    Control searching = control;
    searching.deadline = Deadline::after_ms(0.6 * control.deadline.remaining_ms());
    const auto attempt = [&](const Problem& variation) -> std::optional<Plan> {
        const Plan plan = plan_over_degrees(entry, variation, asked, searching);
        if (plan.status == "skipped" || plan.stages.empty()) {
            skipped.reason = plan.reason;
            return std::nullopt;
        }
        try {
            const Plan moved = rescheduled(variation, plan, kind, control);
            return entry.searches ? at_least_plain(variation, moved, asked, control) : moved;
        } catch (const Error& error) {
            if (skipped.reason.empty())
                skipped.reason = error.what();
            searched.stages = searched.stages.value_or(static_cast<int>(plan.stages.size()));
            return std::nullopt;
        }
    };
    if (auto plan = attempt(searched))
        return *plan;
    if (!searched.stages)
        return skipped;
    const int stages = *searched.stages;
    for (const int more : {0, -1, 1, -2, -3}) {
        if (more != 0
            && (problem.stages || stages + more < 1 || stages + more > std::min(problem.devices(), problem.layers())))
            continue;
        searched.stages = stages + more;
        for (const int count : micro_batch_counts(problem)) {
            ScheduleShape shape{kind, *searched.stages, count, default_chunks(kind), {}, 1};
            try {
                check(shape);
            } catch (const Error&) {
                continue;
            }
            if (auto plan = attempt(problem.micro_batch_free ? with_micro_batches(searched, count) : searched))
                return *plan;
        }
    }
    return skipped;
}

}  // namespace

Plan run_planner(const PlannerEntry& entry, const Problem& problem, const PlanRequest& request, const Control& control,
                 const ObjectiveBound* bound)
{
    const bool network = entry.name == "nn-piper" || entry.name == "nn-piper-raw";
    if (network)
        prepare_nn_piper(request);
    const Problem wanted = with_request(problem, request);
    if (std::string reason = lock_contradiction(wanted); !reason.empty()) {
        Plan plan = skipped_plan(entry.name);
        plan.reason = std::move(reason);
        return plan;
    }
    Control limited = control;
    if (request.budget_ms < control.deadline.remaining_ms())
        limited.deadline = Deadline::after_ms(request.budget_ms);
    const bool any_schedule = request.any_schedule && !wanted.schedule;
    Control searching = limited;
    if (any_schedule)
        searching.deadline = Deadline::after_ms(0.6 * limited.deadline.remaining_ms());
    const auto start = std::chrono::steady_clock::now();
    Plan plan = wanted.schedule && !is_searched(*wanted.schedule) ? plan_then_reschedule(entry, wanted, request, limited)
                                                                  : plan_over_degrees(entry, wanted, request, searching);
    if (any_schedule && !plan.stages.empty())
        plan = under_best_schedule(wanted, plan, limited);
    plan.planner = entry.name;
    plan.planning_time_ms =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    if (plan.status == "skipped" || plan.stages.empty())
        return plan;
    predict(wanted, plan);
    // Whoever stops does not wait for a proof; bounds hold for one schedule or for 1F1B and GPipe.
    if (control.stop.stop_requested() || any_schedule) {
        plan.proved_gap.reset();
        return plan;
    }
    const auto own = bound ? std::nullopt : objective_bound(wanted);
    if (const ObjectiveBound* common = bound ? bound : own ? &*own : nullptr) {
        const auto gap = proved_gap(wanted, plan, *common);
        if (gap && (!plan.proved_gap || *gap < *plan.proved_gap))
            plan.proved_gap = gap;
    }
    return plan;
}

}  // namespace nnpiper
