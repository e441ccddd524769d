// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/quality.h"

#include "core/planners/bounds/lower_bound.h"
#include "core/planners/nn_piper.h"

#include <algorithm>
#include <limits>

namespace nnpiper {

std::vector<QualityTrial> measure_quality(const QualityInstance& instance, const std::vector<QualityMethod>& methods,
                                          double reference_ms, const Control& control)
{
    const Control part{control.stop, control.deadline, {}};
    const ObjectiveBound none;  // proofs take time and are not asked for
    double best = instance.best_known_s.value_or(std::numeric_limits<double>::infinity());
    std::vector<QualityTrial> trials;
    for (std::size_t m = 0; m < methods.size(); ++m) {
        const Plan plan =
            run_planner(find_planner(methods[m].planner), instance.problem, methods[m].request, part, &none);
        if (control.should_stop())
            return {};  // it may have been cut short
        QualityTrial trial{instance.name, instance.group, m, plan.status, plan.reason, plan.feasible};
        trial.makespan_s = plan.feasible ? plan.makespan_s : 0;
        trial.known = instance.best_known_s.has_value();
        trial.proved = instance.proved;
        trial.planning_ms = plan.planning_time_ms;
        if (!trial.known && plan.feasible)
            best = std::min(best, plan.makespan_s);
        trials.push_back(std::move(trial));
    }
    if (!instance.best_known_s && !instance.proved && reference_ms > 0) {
        PlanRequest longer;
        longer.budget_ms = reference_ms;
        const Plan plan = run_planner(find_planner("local-search"), instance.problem, longer, part, &none);
        if (control.should_stop())
            return {};
        if (plan.feasible)
            best = std::min(best, plan.makespan_s);
    }
    for (QualityTrial& trial : trials)
        trial.best_s = best < std::numeric_limits<double>::infinity() ? best : 0;
    return trials;
}

std::vector<QualityTrial> measure_quality(std::size_t count,
                                          const std::function<QualityInstance(std::size_t)>& instance,
                                          const std::vector<QualityMethod>& methods, double reference_ms,
                                          const Control& control)
{
    for (const QualityMethod& method : methods) {
        const std::string& name = find_planner(method.planner).name;
        if (name == "nn-piper" || name == "nn-piper-raw") {
            prepare_nn_piper(method.request);
            break;
        }
    }
    std::vector<QualityTrial> all;
    for (std::size_t i = 0; i < count && !control.should_stop(); ++i) {
        const QualityInstance made = instance(i);
        control.report(static_cast<double>(i) / static_cast<double>(count), made.group);
        auto trials = measure_quality(made, methods, reference_ms, control);
        std::move(trials.begin(), trials.end(), std::back_inserter(all));
    }
    return all;
}

}  // namespace nnpiper
