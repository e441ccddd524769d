// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/what_if_effect.h"

#include "core/problem/compile.h"
#include "core/problem/pipeline.h"
#include "core/simulator/simulate.h"

#include <exception>
#include <tuple>

namespace nnpiper {

namespace {

constexpr double noticeable = 5e-4;

Plan planned(const Problem& problem, const PlanRequest& request, const Control& control)
{
    Plan plan = run_planner(find_planner("nn-piper"), problem, request, control);
    if (plan.status == "skipped")
        plan = run_planner(find_planner("local-search"), problem, request, control);
    return plan;
}

/// Place in the order of pays_more.
int rank(const WhatIfEffect& effect)
{
    if (!effect.planned.failure.empty())
        return 6;
    if (!effect.gain)
        return 5;
    if (*effect.gain < -noticeable)
        return 4;
    if (*effect.gain <= noticeable)
        return 3;
    const std::optional<double>& price = effect.change.price_change_dollars_per_h;
    return !price ? 2 : *price > 0 ? 1 : 0;
}

/// Higher is better among effects of one rank.
std::tuple<double, double> worth(const WhatIfEffect& effect)
{
    const double gain = effect.gain.value_or(0);
    const double saving = -effect.change.price_change_dollars_per_h.value_or(0);
    switch (rank(effect)) {
    case 1:
        return {effect.gain_per_cost.value_or(0), gain};
    case 3:
        return {saving, gain};
    case 5:
        return {effect.planned.throughput_samples_per_s().value_or(0), saving};
    default:
        return {gain, saving};
    }
}

}  // namespace

std::optional<double> PlannedProject::throughput_samples_per_s() const
{
    return failure.empty() && plan.throughput_samples_per_s > 0 ? std::optional(plan.throughput_samples_per_s)
                                                                : std::nullopt;
}

PlannedProject plan_project(const Project& project, const PlanRequest& request, const Control& control,
                            const Plan* before)
{
    PlannedProject result;
    try {
        const Problem problem = compile(project);
        result.plan = planned(problem, request, control);
        if (before && !before->stages.empty() && validate(problem, *before).empty()) {
            Plan kept = *before;
            kept.bound_s.reset();
            kept.proved_gap.reset();
            predict(problem, kept);
            if (objective_value(problem, kept) < objective_value(problem, result.plan))
                result.plan = std::move(kept);
        }
        if (!result.plan.feasible)
            result.failure = result.plan.reason.empty() ? "no feasible plan was found" : result.plan.reason;
    } catch (const std::exception& failure) {
        result.failure = failure.what();
    }
    return result;
}

WhatIfEffect effect_of(WhatIf change, const PlannedProject& before, const PlanRequest& request, const Control& control)
{
    WhatIfEffect effect;
    effect.planned = plan_project(change.after, request, control, &before.plan);
    effect.change = std::move(change);
    const auto was = before.throughput_samples_per_s();
    const auto is = effect.planned.throughput_samples_per_s();
    if (was && is)
        effect.gain = *is / *was - 1;
    const std::optional<double>& price = effect.change.price_change_dollars_per_h;
    if (effect.gain && *effect.gain > noticeable && price && *price > 0)
        effect.gain_per_cost = *effect.gain / *price;
    return effect;
}

bool pays_more(const WhatIfEffect& a, const WhatIfEffect& b)
{
    return rank(a) != rank(b) ? rank(a) < rank(b) : worth(a) > worth(b);
}

}  // namespace nnpiper
