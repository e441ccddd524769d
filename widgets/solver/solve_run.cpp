// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/solver/solve_run.h"

#include "core/base/error.h"
#include "core/planners/bounds/lower_bound.h"
#include "core/planners/planner.h"
#include "core/problem/compile.h"
#include "core/simulator/simulate.h"

#include <exception>

namespace nnpiper {

namespace {

Plan runOne(const PlannerEntry& entry, const Problem& problem, const PlanRequest& request, const Control& control,
            const ObjectiveBound* bound)
{
    std::string reason;
    try {
        return run_planner(entry, problem, request, control, bound);
    } catch (const std::exception& failure) {
        reason = failure.what();
    }
    Plan plan;
    plan.planner = entry.name;
    plan.status = "skipped";
    plan.reason = reason;
    return plan;
}

std::string run(const Project& snapshot, const SolveOptions& options, const std::stop_token& stop,
                const SolveReport& report)
{
    const auto problem = std::make_shared<const Problem>(compile(snapshot));
    std::vector<const PlannerEntry*> entries;
    if (options.planners.empty())
        for (const PlannerEntry& entry : planner_registry())
            entries.push_back(&entry);
    for (const std::string& name : options.planners)
        entries.push_back(&find_planner(name));

    PlanRequest request;
    request.budget_ms = options.budget_ms;
    const auto bound = objective_bound(*problem);  // the same for all
    for (const PlannerEntry* entry : entries) {
        if (stop.stop_requested())
            break;
        report.progress(entry->name, 0);
        Control control;
        control.stop = stop;
        control.progress = [&](double fraction, std::string_view) { report.progress(entry->name, fraction); };
        report.plan(solved(problem, runOne(*entry, *problem, request, control, bound ? &*bound : nullptr)));
    }
    return {};
}

}  // namespace

std::shared_ptr<const SolvedPlan> solved(std::shared_ptr<const Problem> problem, Plan plan)
{
    auto result = std::make_shared<SolvedPlan>();
    result->problem = std::move(problem);
    result->plan = std::move(plan);
    if (!result->plan.stages.empty() && validate(*result->problem, result->plan).empty())
        result->timeline = simulate(*result->problem, result->plan);
    return result;
}

std::string runPlanners(const Project& snapshot, const SolveOptions& options, std::stop_token stop,
                        const SolveReport& report) noexcept
{
    try {
        return run(snapshot, options, stop, report);
    } catch (const std::exception& failure) {
        return failure.what();
    }
}

}  // namespace nnpiper
