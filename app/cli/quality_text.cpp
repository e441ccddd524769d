// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/quality_text.h"

#include "app/cli/console.h"
#include "core/formats/json_text.h"

#include <cmath>
#include <map>

namespace nnpiper::cli {

namespace {

using nlohmann::ordered_json;

std::string points(double fraction)
{
    if (!std::isfinite(fraction))
        return "-";
    const std::string text = fixed(fraction * 100, 2);
    return text == "-0.00" ? "0.00" : text;
}

std::string milliseconds(double value)
{
    return std::isfinite(value) ? fixed(value, 1) : "-";
}

std::string signed_points(double fraction)
{
    const std::string text = points(fraction);
    return text.starts_with('-') ? text : "+" + text;
}

std::string difference_text(const QualityFigures& figures)
{
    if (!std::isfinite(figures.difference.half_width))
        return "-";
    return signed_points(figures.difference.mean) + " +- " + fixed(100 * figures.difference.half_width, 2);
}

ordered_json figures_json(const QualityFigures& figures, const QualityMethod& method)
{
    ordered_json item{{"group", figures.group},          {"method", method.name},      {"planner", method.planner},
                      {"problems", figures.problems},    {"skipped", figures.skipped}, {"unsolved", figures.unsolved},
                      {"infeasible", figures.infeasible}};
    item["infeasible_rate"] = json_number(figures.infeasible_rate());
    item["mean_gap"] = json_number(figures.mean_gap);
    item["median_gap"] = json_number(figures.median_gap);
    item["p95_gap"] = json_number(figures.p95_gap);
    item["capped_mean_gap"] = json_number(figures.capped_mean_gap);
    item["mean_planning_time_ms"] = json_number(figures.mean_ms);
    item["p95_planning_time_ms"] = json_number(figures.p95_ms);
    item["improved"] = figures.improved;
    item["pairs"] = figures.pairs;
    item["difference"] = figures.pairs > 0 ? json_number(figures.difference.mean) : ordered_json(nullptr);
    item["half_width_90"] = json_number(figures.difference.half_width);
    const auto word = verdict(figures.difference);
    item["verdict"] = word.empty() ? ordered_json(nullptr) : ordered_json(word);
    return item;
}

ordered_json trial_json(const QualityTrial& trial, const QualityMethod& method)
{
    ordered_json item{{"problem", trial.problem},  {"group", trial.group},   {"method", method.name},
                      {"planner", method.planner}, {"status", trial.status}, {"feasible", trial.feasible}};
    item["gap"] = trial.feasible && trial.best_s > 0 ? json_number(trial.gap()) : ordered_json(nullptr);
    item["makespan_s"] = trial.feasible ? json_number(trial.makespan_s) : ordered_json(nullptr);
    item["best_known_s"] = trial.best_s > 0 ? json_number(trial.best_s) : ordered_json(nullptr);
    item["proved"] = trial.proved;
    item["planning_time_ms"] = json_number(trial.planning_ms);
    return item;
}

}  // namespace

std::string quality_text(const std::vector<QualityTrial>& trials, const std::vector<QualityMethod>& methods)
{
    Table table({"group", "method", "n", "infeasible", "mean gap %", "median", "p95", "capped", "ms", "p95 ms",
                 "difference", "", "than"},
                {0, 1, 11, 12});
    std::string last;
    for (const QualityFigures& figures : quality_figures(trials, methods)) {
        const QualityMethod& method = methods[figures.method];
        const std::string word = verdict(figures.difference);
        table.add({figures.group == last ? "" : figures.group, method.name,
                   figures.problems > 0 ? std::to_string(figures.problems) : "skipped",
                   std::to_string(figures.infeasible), points(figures.mean_gap), points(figures.median_gap),
                   points(figures.p95_gap), points(figures.capped_mean_gap), milliseconds(figures.mean_ms),
                   milliseconds(figures.p95_ms), difference_text(figures), word,
                   word.empty() || method.against < 0 ? "" : methods[static_cast<std::size_t>(method.against)].name});
        last = figures.group;
    }
    std::string text = table.text();
    text += "Gaps in % above the best known makespan, over plans that fit. Capped: mean over all problems, where a\n"
            "plan that does not fit counts as 100 %, and so does any larger gap. Differences in points of capped\n"
            "gap, problem by problem, with Student's 90 % interval.\n";
    std::map<std::string, std::string> reasons;
    std::map<std::string, double> improved;
    for (const QualityTrial& trial : trials) {
        if (trial.status == "skipped")
            reasons.emplace(methods[trial.method].planner, trial.problem + ": " + trial.reason);
        if (trial.improved()) {
            const auto [at, fresh] = improved.emplace(trial.problem + ", " + trial.group, trial.gap());
            if (!fresh)
                at->second = std::min(at->second, trial.gap());
        }
    }
    for (const auto& [planner, reason] : reasons)
        text += "skipped " + planner + ", first " + reason + "\n";
    if (!improved.empty())
        text += "Better than the best known plan: " + std::to_string(improved.size()) + " problems\n";
    for (const auto& [problem, gap] : improved)
        text += "  " + problem + ": " + fixed(gap * 100, 4) + " %\n";
    return text;
}

std::string quality_json(const std::vector<QualityTrial>& trials, const std::vector<QualityMethod>& methods,
                         const std::string& source)
{
    ordered_json document;
    document["source"] = source;
    document["confidence"] = paired_confidence;
    document["methods"] = ordered_json::array();
    for (const QualityMethod& method : methods) {
        ordered_json item{{"method", method.name}, {"planner", method.planner}};
        item["budget_ms"] = json_number(method.request.budget_ms);
        item["against"] = method.against < 0 ? ordered_json(nullptr)
                                             : ordered_json(methods[static_cast<std::size_t>(method.against)].name);
        document["methods"].push_back(std::move(item));
    }
    document["figures"] = ordered_json::array();
    for (const QualityFigures& figures : quality_figures(trials, methods))
        document["figures"].push_back(figures_json(figures, methods[figures.method]));
    document["results"] = ordered_json::array();
    for (const QualityTrial& trial : trials)
        document["results"].push_back(trial_json(trial, methods[trial.method]));
    return print_json(document);
}

}  // namespace nnpiper::cli
