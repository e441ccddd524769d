// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/quality_figures.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace nnpiper {

namespace {

bool counts(const QualityTrial& trial)
{
    return trial.status != "skipped" && trial.best_s > 0;
}

double paired_gap(const QualityTrial& trial)
{
    return trial.feasible ? std::min(trial.gap(), largest_paired_gap) : largest_paired_gap;
}

/// `other` holds the trials of the compared method by group and problem.
QualityFigures figures_of(const std::vector<const QualityTrial*>& own,
                          const std::map<std::pair<std::string, std::string>, const QualityTrial*>& other)
{
    QualityFigures figures;
    std::vector<double> gaps, capped, milliseconds, differences;
    for (const QualityTrial* trial : own) {
        if (trial->status == "skipped") {
            ++figures.skipped;
            continue;
        }
        ++figures.problems;
        milliseconds.push_back(trial->planning_ms);
        if (!counts(*trial)) {
            ++figures.unsolved;
            continue;
        }
        if (trial->feasible)
            gaps.push_back(trial->gap());
        else
            ++figures.infeasible;
        capped.push_back(paired_gap(*trial));
        figures.improved += trial->improved() ? 1 : 0;
        const auto pair = other.find({trial->group, trial->problem});
        if (pair != other.end() && counts(*pair->second))
            differences.push_back(paired_gap(*trial) - paired_gap(*pair->second));
    }
    figures.mean_gap = mean_of(gaps);
    figures.median_gap = percentile(gaps, 0.5);
    figures.p95_gap = percentile(gaps, 0.95);
    figures.capped_mean_gap = mean_of(capped);
    figures.mean_ms = mean_of(milliseconds);
    figures.p95_ms = percentile(milliseconds, 0.95);
    figures.pairs = static_cast<int>(differences.size());
    figures.difference = student_interval(differences, paired_confidence);
    return figures;
}

}  // namespace

std::string verdict(const Interval& difference)
{
    if (!std::isfinite(difference.half_width))
        return {};
    return difference.below_zero() ? "better" : difference.above_zero() ? "worse" : "no clear difference";
}

std::vector<QualityFigures> quality_figures(const std::vector<QualityTrial>& trials,
                                            const std::vector<QualityMethod>& methods)
{
    std::vector<std::string> groups;
    std::vector<std::map<std::pair<std::string, std::string>, const QualityTrial*>> by_method(methods.size());
    for (const QualityTrial& trial : trials) {
        if (std::find(groups.begin(), groups.end(), trial.group) == groups.end())
            groups.push_back(trial.group);
        by_method[trial.method][{trial.group, trial.problem}] = &trial;
    }
    const std::string all = "all";
    if (groups.size() > 1)
        groups.push_back(all);
    std::vector<QualityFigures> result;
    for (const std::string& group : groups) {
        for (std::size_t m = 0; m < methods.size(); ++m) {
            std::vector<const QualityTrial*> own;
            for (const QualityTrial& trial : trials) {
                if (trial.method == m && (group == all || trial.group == group))
                    own.push_back(&trial);
            }
            if (own.empty())
                continue;
            const int against = methods[m].against;
            auto figures =
                figures_of(own, against < 0 ? std::map<std::pair<std::string, std::string>, const QualityTrial*>{}
                                            : by_method[static_cast<std::size_t>(against)]);
            figures.group = group;
            figures.method = m;
            result.push_back(std::move(figures));
        }
    }
    return result;
}

}  // namespace nnpiper
