// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/fresh_quality.h"

#include "app/cli/console.h"
#include "app/cli/verbs.h"
#include "core/formats/json_text.h"

#include <cmath>

namespace nnpiper::cli {

namespace {

std::string points(double fraction)
{
    return (fraction >= 0 ? "+" : "") + fixed(fraction * 100, 2);
}

std::string text_of(const std::vector<QualityMean>& means, const QualityQuestion& question)
{
    Table table({"group", "planner", "n", "mean gap %", "infeasible", "against " + question.planners.front()}, {0, 1});
    for (const auto& mean : means)
        table.add({mean.group, mean.planner, std::to_string(mean.problems),
                   mean.infeasible < mean.problems ? points(mean.gap) : "-", std::to_string(mean.infeasible),
                   std::isfinite(mean.half_width) ? points(mean.difference) + " +- " + fixed(100 * mean.half_width, 2) : "-"});
    return table.text();
}

std::string json_of(const std::vector<QualityOutcome>& outcomes, const std::vector<QualityMean>& means,
                    const QualityQuestion& question)
{
    nlohmann::ordered_json document;
    document["budget_ms"] = json_number(question.request.budget_ms);
    document["reference_ms"] = json_number(question.reference_ms);
    document["seed"] = question.seed;
    document["means"] = nlohmann::ordered_json::array();
    for (const auto& mean : means) {
        nlohmann::ordered_json item{{"group", mean.group}, {"planner", mean.planner}, {"problems", mean.problems},
                                    {"infeasible", mean.infeasible}};
        item["mean_gap"] = mean.infeasible < mean.problems ? json_number(mean.gap) : nlohmann::ordered_json(nullptr);
        const bool paired = std::isfinite(mean.half_width);
        item["difference"] = paired ? json_number(mean.difference) : nlohmann::ordered_json(nullptr);
        item["half_width_95"] = paired ? json_number(mean.half_width) : nlohmann::ordered_json(nullptr);
        document["means"].push_back(std::move(item));
    }
    document["results"] = nlohmann::ordered_json::array();
    for (const auto& outcome : outcomes) {
        nlohmann::ordered_json item{{"problem", outcome.problem}, {"group", outcome.group}, {"planner", outcome.planner},
                                    {"feasible", outcome.feasible}};
        item["gap"] = outcome.feasible ? json_number(outcome.gap) : nlohmann::ordered_json(nullptr);
        item["makespan_s"] = outcome.makespan_s > 0 ? json_number(outcome.makespan_s) : nlohmann::ordered_json(nullptr);
        item["best_s"] = json_number(outcome.best_s);
        item["planning_time_ms"] = json_number(outcome.planning_ms);
        document["results"].push_back(std::move(item));
    }
    return print_json(document);
}

}  // namespace

int run_fresh_quality(const QualityQuestion& question, const std::string& format, std::stop_token stop)
{
    const auto outcomes = measure_quality(question, {std::move(stop), Deadline::never(), {}});
    const auto means = quality_means(outcomes);
    deliver(format == "json" ? json_of(outcomes, means, question) : text_of(means, question), {});
    return done;
}

}  // namespace nnpiper::cli
