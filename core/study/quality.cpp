// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/quality.h"

#include "core/planners/nn_piper.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace nnpiper {

namespace {

/// Two-sided 95 % quantile of Student's distribution.
double student(int freedom)
{
    constexpr std::array table{12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
                               2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086};
    if (freedom < 1)
        return std::numeric_limits<double>::infinity();
    return freedom <= static_cast<int>(table.size()) ? table[static_cast<std::size_t>(freedom - 1)] : 1.96 + 2.5 / freedom;
}

std::string group_name(const VirtualSize& size, VirtualKind kind)
{
    std::string name = "L" + std::to_string(size.layers) + " D" + std::to_string(size.devices) + " S" + std::to_string(size.stages);
    return kind == VirtualKind::any ? name : name + ", " + std::string(name_of(kind));
}

QualityMean mean_of(const std::string& group, const std::string& planner, const std::vector<const QualityOutcome*>& own,
                    const std::vector<const QualityOutcome*>& first)
{
    QualityMean mean{group, planner, static_cast<int>(own.size()), 0, 0, 0, std::numeric_limits<double>::infinity()};
    std::vector<double> differences;
    for (std::size_t i = 0; i < own.size(); ++i) {
        if (!own[i]->feasible) {
            ++mean.infeasible;
            continue;
        }
        mean.gap += own[i]->gap;
        if (i < first.size() && first[i]->feasible)
            differences.push_back(own[i]->gap - first[i]->gap);
    }
    mean.gap /= std::max(1, mean.problems - mean.infeasible);
    const double n = static_cast<double>(differences.size());
    for (const double d : differences)
        mean.difference += d / n;
    double square = 0;
    for (const double d : differences)
        square += (d - mean.difference) * (d - mean.difference);
    if (differences.size() > 1)
        mean.half_width = student(static_cast<int>(n) - 1) * std::sqrt(square / (n - 1) / n);
    return mean;
}

}  // namespace

std::vector<QualityOutcome> measure_quality(const QualityQuestion& question, const Control& control)
{
    std::vector<const PlannerEntry*> entries;
    for (const auto& name : question.planners)
        entries.push_back(&find_planner(name));
    const auto& reference = find_planner("local-search");
    prepare_nn_piper(question.request);

    std::vector<QualityOutcome> outcomes;
    const std::size_t all = question.sizes.size() * question.kinds.size() * static_cast<std::size_t>(std::max(0, question.problems));
    std::uint64_t index = 0;
    for (const auto& size : question.sizes)
        for (const auto kind : question.kinds)
            for (int k = 0; k < question.problems; ++k, ++index) {
                if (control.should_stop())
                    return outcomes;
                control.report(static_cast<double>(index) / static_cast<double>(all), group_name(size, kind));
                const auto problem = virtual_problem(evaluation_seed(question.seed, index), size, kind);
                std::vector<QualityOutcome> own;
                double best = std::numeric_limits<double>::infinity();
                for (const auto* entry : entries) {
                    const auto plan = run_planner(*entry, problem, question.request, {control.stop, control.deadline, {}});
                    own.push_back({problem.name, group_name(size, kind), entry->name, plan.feasible, plan.makespan_s, 0, 0,
                                   plan.planning_time_ms});
                    if (plan.feasible)
                        best = std::min(best, plan.makespan_s);
                }
                if (control.should_stop())
                    return outcomes;  // the last planners may have been cut short
                PlanRequest longer = question.request;
                longer.budget_ms = question.reference_ms;
                if (const auto plan = run_planner(reference, problem, longer, {control.stop, control.deadline, {}}); plan.feasible)
                    best = std::min(best, plan.makespan_s);
                if (!std::isfinite(best))
                    continue;
                for (auto& outcome : own) {
                    outcome.best_s = best;
                    outcome.gap = outcome.feasible ? outcome.makespan_s / best - 1 : 0;
                    outcomes.push_back(std::move(outcome));
                }
            }
    return outcomes;
}

std::vector<QualityMean> quality_means(const std::vector<QualityOutcome>& outcomes)
{
    std::vector<std::string> groups, planners;
    const auto add = [](std::vector<std::string>& names, const std::string& name) {
        if (std::find(names.begin(), names.end(), name) == names.end())
            names.push_back(name);
    };
    for (const auto& outcome : outcomes) {
        add(groups, outcome.group);
        add(planners, outcome.planner);
    }
    groups.push_back("all");
    std::vector<QualityMean> means;
    for (const auto& group : groups) {
        std::vector<const QualityOutcome*> first;
        for (const auto& planner : planners) {
            std::vector<const QualityOutcome*> own;
            for (const auto& outcome : outcomes)
                if (outcome.planner == planner && (group == "all" || outcome.group == group))
                    own.push_back(&outcome);
            if (planner == planners.front())
                first = own;
            means.push_back(mean_of(group, planner, own, first));
        }
    }
    return means;
}

}  // namespace nnpiper
