// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/bench_text.h"

#include "app/cli/console.h"
#include "core/formats/json_text.h"

#include <cmath>
#include <map>

namespace nnpiper::cli {

namespace {

std::string points(double fraction)
{
    return std::isfinite(fraction) ? fixed(fraction * 100, 3) : "-";
}

nlohmann::ordered_json known(const std::optional<double>& value)
{
    return value && std::isfinite(*value) ? json_number(*value) : nlohmann::ordered_json(nullptr);
}

}  // namespace

std::string bench_text(const std::vector<BenchTrial>& trials, const BenchQuestion& question)
{
    Table table({"group", "planner", "n", "mean gap %", "median", "largest", "infeasible", "skipped", "ms",
                 "x " + question.planners.front(), "memory MB", "cancel ms"},
                {0, 1});
    for (const BenchMean& mean : bench_means(trials))
        table.add({mean.group, mean.planner, std::to_string(mean.problems), points(mean.mean_gap),
                   points(mean.median_gap), points(mean.largest_gap), std::to_string(mean.infeasible),
                   std::to_string(mean.skipped), std::isfinite(mean.planning_ms) ? fixed(mean.planning_ms, 2) : "-",
                   std::isfinite(mean.time_ratio) ? fixed(mean.time_ratio, 3) : "-",
                   mean.peak_bytes ? fixed(*mean.peak_bytes / 1e6, 1) : "-",
                   mean.cancel_ms ? fixed(*mean.cancel_ms, 1) : "-"});
    std::string text = table.text();
    std::map<std::string, std::string> reasons;
    for (const BenchTrial& trial : trials) {
        if (trial.status == "skipped")
            reasons.emplace(trial.planner, trial.problem + ": " + trial.reason);
    }
    for (const auto& [planner, reason] : reasons)
        text += "skipped " + planner + ", first " + reason + "\n";
    return text;
}

std::string bench_json(const std::vector<BenchTrial>& trials, const BenchQuestion& question)
{
    using nlohmann::ordered_json;
    ordered_json document;
    document["budget_ms"] = json_number(question.request.budget_ms);
    document["reference_ms"] = json_number(question.reference_ms);
    document["true_costs"] = question.request.true_costs;
    document["seed"] = question.request.seed;
    std::vector<ordered_json> items;
    for (const BenchMean& mean : bench_means(trials)) {
        ordered_json item{{"group", mean.group},
                          {"planner", mean.planner},
                          {"problems", mean.problems},
                          {"infeasible", mean.infeasible},
                          {"skipped", mean.skipped}};
        item["mean_gap"] = known(mean.mean_gap);
        item["median_gap"] = known(mean.median_gap);
        item["largest_gap"] = known(mean.largest_gap);
        item["planning_time_ms"] = known(mean.planning_ms);
        item["time_ratio"] = known(mean.time_ratio);
        item["peak_bytes"] = known(mean.peak_bytes);
        item["cancel_ms"] = known(mean.cancel_ms);
        items.push_back(std::move(item));
    }
    document["means"] = items;
    items.clear();
    for (const BenchTrial& trial : trials) {
        ordered_json item{{"group", trial.group},
                          {"problem", trial.problem},
                          {"planner", trial.planner},
                          {"status", trial.status},
                          {"feasible", trial.feasible}};
        if (!trial.reason.empty())
            item["reason"] = trial.reason;
        item["value"] = trial.feasible ? json_number(trial.value) : ordered_json(nullptr);
        item["best_value"] = trial.best_value > 0 ? json_number(trial.best_value) : ordered_json(nullptr);
        item["gap"] = trial.feasible ? json_number(trial.gap()) : ordered_json(nullptr);
        item["proved_gap"] = known(trial.proved_gap);
        item["planning_time_ms"] = json_number(trial.planning_ms);
        item["peak_bytes"] = known(trial.peak_bytes);
        item["cancel_ms"] = known(trial.cancel_ms);
        items.push_back(std::move(item));
    }
    document["results"] = items;
    return print_json(document);
}

std::string engines_text(const std::vector<EngineSpeed>& speeds)
{
    Table table({"stages x micro-batches", "schedule", "engine", "million ops/s", "x fast 1f1b"}, {0, 1, 2});
    for (const EngineSpeed& speed : speeds)
        table.add({std::to_string(speed.stages) + " x " + std::to_string(speed.micro_batches), speed.schedule,
                   speed.engine, fixed(speed.ops_per_s / 1e6, 1), fixed(speed.ratio, 3)});
    return table.text();
}

std::string engines_json(const std::vector<EngineSpeed>& speeds)
{
    std::vector<nlohmann::ordered_json> items;
    for (const EngineSpeed& speed : speeds) {
        nlohmann::ordered_json item{{"stages", speed.stages},
                                    {"micro_batches", speed.micro_batches},
                                    {"schedule", speed.schedule},
                                    {"engine", speed.engine}};
        item["ops_per_s"] = json_number(speed.ops_per_s);
        item["ratio"] = json_number(speed.ratio);
        items.push_back(std::move(item));
    }
    nlohmann::ordered_json document;
    document["results"] = items;
    return print_json(document);
}

}  // namespace nnpiper::cli
