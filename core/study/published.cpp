// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/published.h"

#include "core/planners/nn_piper.h"
#include "core/problem/compile.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace nnpiper {

namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// Ratios of speeds; their mean is geometric, so that twice as fast and half as fast cancel out.
class Ratios {
public:
    void add(double ratio)
    {
        logarithms_ += std::log(ratio);
        least_ = count_ == 0 ? ratio : std::min(least_, ratio);
        largest_ = count_ == 0 ? ratio : std::max(largest_, ratio);
        ++count_;
    }

    void write(PublishedGain& gain) const
    {
        gain.cases = count_;
        gain.mean = count_ == 0 ? unknown : std::exp(logarithms_ / count_) - 1;
        gain.least = count_ == 0 ? unknown : least_ - 1;
        gain.largest = count_ == 0 ? unknown : largest_ - 1;
    }

private:
    int count_ = 0;
    double logarithms_ = 0, least_ = 0, largest_ = 0;
};

PublishedTrial trial_of(const EvaluationCase& environment, const PlannerEntry& entry, const Problem& problem,
                        const PlanRequest& request, const Control& control)
{
    const Plan plan = run_planner(entry, problem, request, {control.stop, Deadline::never(), {}});
    PublishedTrial trial;
    trial.environment = environment.id;
    trial.planner = entry.name;
    trial.view = request.true_costs ? CostView::true_costs : CostView::as_published;
    trial.reason = plan.reason;
    trial.feasible = plan.feasible;
    trial.samples_per_s = plan.feasible ? plan.throughput_samples_per_s : 0;
    trial.planning_ms = plan.planning_time_ms;
    return trial;
}

/// Cases in the order of appearance.
std::vector<std::string> environments_of(const std::vector<PublishedTrial>& trials)
{
    std::vector<std::string> names;
    for (const PublishedTrial& trial : trials) {
        if (names.empty() || names.back() != trial.environment)
            names.push_back(trial.environment);
    }
    return names;
}

}  // namespace

std::string_view name_of(CostView view)
{
    return view == CostView::as_published ? "published" : "true_costs";
}

std::vector<PublishedTrial> compare_published(const std::vector<EvaluationCase>& cases,
                                              const PublishedQuestion& question, const Control& control,
                                              const std::function<void(const std::vector<PublishedTrial>&)>& seen)
{
    std::vector<const PlannerEntry*> own, published;
    for (const auto& name : question.own)
        own.push_back(&find_planner(name));
    for (const auto& name : question.published)
        published.push_back(&find_planner(name));
    prepare_nn_piper(question.request);
    std::vector<PublishedTrial> trials;
    for (std::size_t i = 0; i < cases.size(); ++i) {
        control.report(static_cast<double>(i) / static_cast<double>(cases.size()), cases[i].id);
        const Problem problem = compile(cases[i].project);
        std::vector<PublishedTrial> found;
        PlanRequest request = question.request;
        request.true_costs = true;
        for (const PlannerEntry* entry : own)
            found.push_back(trial_of(cases[i], *entry, problem, request, control));
        request.budget_ms = std::numeric_limits<double>::infinity();
        for (const CostView view : {CostView::as_published, CostView::true_costs}) {
            request.true_costs = view == CostView::true_costs;
            for (const PlannerEntry* entry : published) {
                const auto most = question.largest.find(entry->name);
                if (most == question.largest.end() || problem.devices() <= most->second) {
                    found.push_back(trial_of(cases[i], *entry, problem, request, control));
                    continue;
                }
                PublishedTrial& left_out = found.emplace_back();
                left_out.environment = cases[i].id;
                left_out.planner = entry->name;
                left_out.view = view;
                left_out.left_out = true;
                left_out.reason = "it takes too long for more than " + std::to_string(most->second) + " devices";
            }
        }
        if (control.should_stop())
            break;  // the last planners may have been cut short
        if (seen)
            seen(found);
        trials.insert(trials.end(), found.begin(), found.end());
    }
    return trials;
}

std::vector<PublishedGain> published_gains(const std::vector<PublishedTrial>& trials, const PublishedQuestion& question)
{
    const auto environments = environments_of(trials);
    const auto find = [&](const std::string& environment, const std::string& planner,
                          CostView view) -> const PublishedTrial* {
        const auto it = std::find_if(trials.begin(), trials.end(), [&](const PublishedTrial& trial) {
            return trial.environment == environment && trial.planner == planner && trial.view == view;
        });
        return it == trials.end() ? nullptr : &*it;
    };
    std::vector<PublishedGain> gains;
    const auto add = [&](const std::string& name, const std::vector<std::string>& planners, CostView view) {
        PublishedGain gain;
        gain.planner = name;
        gain.view = view;
        Ratios ratios;
        for (const auto& environment : environments) {
            const PublishedTrial* first = find(environment, question.own.front(), CostView::true_costs);
            const bool reached = first && first->feasible;
            double speed = 0;
            bool left_out = false;
            for (const auto& planner : planners) {
                const PublishedTrial* trial = find(environment, planner, view);
                left_out = left_out || !trial || trial->left_out;
                speed = std::max(speed, trial && trial->feasible ? trial->samples_per_s : 0);
            }
            if (left_out)
                ++gain.left_out;
            else if (reached && speed > 0)
                ratios.add(first->samples_per_s / speed);
            else if (reached)
                ++gain.infeasible;
        }
        ratios.write(gain);
        gains.push_back(std::move(gain));
    };
    for (const CostView view : {CostView::as_published, CostView::true_costs}) {
        for (const auto& planner : question.published)
            add(planner, {planner}, view);
        add("best", question.published, view);
    }
    for (std::size_t i = 1; i < question.own.size(); ++i)
        add(question.own[i], {question.own[i]}, CostView::true_costs);
    return gains;
}

}  // namespace nnpiper
