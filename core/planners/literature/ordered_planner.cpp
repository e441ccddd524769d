// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planners/literature/ordered_planner.h"

#include "core/simulator/simulate.h"

#include <algorithm>
#include <limits>

namespace nnpiper {

namespace {

/// Settings that are solved together, the usual micro-batch size first.
std::vector<std::vector<OrderedSetting>> questions(const Problem& problem, const OrderedPlanner& planner)
{
    const Variant& usual = problem.variants[static_cast<std::size_t>(problem.default_variant)];
    std::vector<OrderedSetting> settings = ordered_settings(problem);
    const auto unusual = [&](const OrderedSetting& setting) {
        return (setting.micro_batch_samples != usual.micro_batch_samples ? 2 : 0)
               + (setting.recompute != usual.recompute ? 1 : 0);
    };
    std::stable_sort(settings.begin(), settings.end(),
                     [&](const OrderedSetting& a, const OrderedSetting& b) { return unusual(a) < unusual(b); });
    std::vector<std::vector<OrderedSetting>> all;
    for (OrderedSetting& setting : settings) {
        if (!planner.chooses_degree) {
            if (setting.degrees.front() != 1)
                continue;
            setting.degrees = {1};
        }
        const auto same = std::find_if(all.begin(), all.end(), [&](const auto& together) {
            return planner.chooses_recompute && together.front().micro_batch_samples == setting.micro_batch_samples;
        });
        if (same == all.end())
            all.push_back({setting});
        else
            same->push_back(setting);
    }
    return all;
}

}  // namespace

Plan plan_over_settings(const Problem& problem, const PlanRequest& request, const Control& control,
                        const OrderedPlanner& planner, const OrderedSolver& solve)
{
    Plan best;
    best.status = "skipped";
    best.reason = "no plan within its rules: too few devices or layers for the stages, or too little memory";
    const CostView view = request.true_costs ? CostView::true_costs : CostView::as_published;
    if (!request.true_costs)
        best.reason += " (its paper's equal devices all have the least memory here)";
    const auto all = questions(problem, planner);
    int longest = 1;
    for (const auto& together : all) {
        for (const OrderedSetting& setting : together)
            longest = std::max(longest,
                               (problem.replicas_allowed() ? setting.micro_batch_samples : 1) * setting.degrees.back());
    }
    const OrderedLinks links(problem, default_order(problem, view), view, longest);
    double best_value = std::numeric_limits<double>::infinity();
    bool stopped = false;
    for (const auto& together : all) {
        stopped = control.stop.stop_requested() || (!best.stages.empty() && control.should_stop());
        if (stopped)
            break;
        Control patient = control;
        if (best.stages.empty())
            patient.deadline = Deadline::never();
        std::vector<OrderedCosts> costs;
        for (const OrderedSetting& setting : together)
            costs.emplace_back(problem, setting, links);
        Plan plan;
        plan.schedule = problem.schedule.value_or(ScheduleKind::one_f_one_b);
        plan.micro_batches = together.front().micro_batches;
        plan.stages = solve(costs, patient);
        if (plan.stages.empty())
            continue;
        predict(problem, plan);
        const double value = objective_value(problem, plan);
        if (best.stages.empty() || value < best_value) {
            best = std::move(plan);
            best_value = value;
        }
    }
    if (stopped) {
        best.status = "stopped";
        if (best.stages.empty()) {
            best.status = "skipped";
            best.reason = "stopped before the first plan was found";
        }
    }
    return best;
}

}  // namespace nnpiper
