// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/published.h"

#include "app/cli/console.h"
#include "app/cli/verbs.h"
#include "core/formats/environment_file.h"
#include "core/formats/files.h"
#include "core/formats/json_text.h"

#include <algorithm>
#include <cmath>

namespace nnpiper::cli {

namespace {

using nlohmann::ordered_json;

/// Four digits, whatever the size of the speed.
std::string speed_text(const PublishedTrial& trial)
{
    if (!trial.feasible)
        return trial.left_out ? "left out" : "none";
    const int whole = trial.samples_per_s < 1 ? 1 : static_cast<int>(std::floor(std::log10(trial.samples_per_s))) + 1;
    return fixed(trial.samples_per_s, std::max(0, 4 - whole));
}

std::string gain_text(double gain)
{
    return std::isfinite(gain) ? (gain >= 0 ? "+" : "") + percent(gain) : "-";
}

std::string speeds(const std::vector<PublishedTrial>& trials, const PublishedQuestion& question, CostView view)
{
    std::vector<std::string> titles{"samples/s"};
    titles.insert(titles.end(), question.own.begin(), question.own.end());
    titles.insert(titles.end(), question.published.begin(), question.published.end());
    Table table(titles);
    std::vector<std::string> row;
    std::string environment;
    for (const PublishedTrial& trial : trials) {
        const bool own = std::find(question.own.begin(), question.own.end(), trial.planner) != question.own.end();
        if (trial.view != view && !own)
            continue;
        if (trial.environment != environment) {
            if (!row.empty())
                table.add(row);
            environment = trial.environment;
            row = {environment};
        }
        row.push_back(speed_text(trial));
    }
    if (!row.empty())
        table.add(row);
    return table.text();
}

std::string gains(const std::vector<PublishedGain>& means, const std::string& first)
{
    Table table({first + " against", "costs", "n", "mean gain", "least", "largest", "no plan", "left out"}, {0, 1});
    for (const PublishedGain& gain : means)
        table.add({gain.planner == "best" ? "best published" : gain.planner,
                   gain.view == CostView::as_published ? "as published" : "true", std::to_string(gain.cases),
                   gain_text(gain.mean), gain_text(gain.least), gain_text(gain.largest),
                   std::to_string(gain.infeasible), std::to_string(gain.left_out)});
    return table.text();
}

std::string reasons(const std::vector<PublishedTrial>& trials)
{
    std::string text;
    for (const PublishedTrial& trial : trials) {
        if (!trial.feasible)
            text += trial.environment + ", " + trial.planner
                    + (trial.view == CostView::as_published ? " as published: " : ": ") + trial.reason + "\n";
    }
    return text;
}

std::string text_of(const std::vector<PublishedTrial>& trials, const PublishedQuestion& question)
{
    const std::string failed = reasons(trials);
    return "Published planners under their papers' assumptions\n" + speeds(trials, question, CostView::as_published)
           + "\nPublished planners over every device and link as it is\n"
           + speeds(trials, question, CostView::true_costs) + "\nGain in training speed, geometric mean\n"
           + gains(published_gains(trials, question), question.own.front())
           + (failed.empty() ? "" : "\nNo feasible plan\n" + failed);
}

std::string json_of(const std::vector<EvaluationCase>& cases, const std::vector<PublishedTrial>& trials,
                    const PublishedQuestion& question)
{
    ordered_json document;
    document["budget_ms"] = json_number(question.request.budget_ms);
    document["seed"] = question.request.seed;
    document["cases"] = ordered_json::array();
    for (const EvaluationCase& item : cases)
        document["cases"].push_back({{"id", item.id},
                                     {"description", item.project.description},
                                     {"source", item.source},
                                     {"devices", item.project.cluster.devices.size()},
                                     {"assumptions", item.project.assumptions}});
    document["gains"] = ordered_json::array();
    for (const PublishedGain& gain : published_gains(trials, question))
        document["gains"].push_back({{"over", gain.planner},
                                     {"costs", name_of(gain.view)},
                                     {"cases", gain.cases},
                                     {"mean", json_number(gain.mean)},
                                     {"least", json_number(gain.least)},
                                     {"largest", json_number(gain.largest)},
                                     {"infeasible", gain.infeasible},
                                     {"left_out", gain.left_out}});
    document["results"] = ordered_json::array();
    for (const PublishedTrial& trial : trials)
        document["results"].push_back(
            {{"case", trial.environment},
             {"planner", trial.planner},
             {"costs", name_of(trial.view)},
             {"left_out", trial.left_out},
             {"reason", trial.reason},
             {"feasible", trial.feasible},
             {"throughput_samples_per_s", trial.feasible ? json_number(trial.samples_per_s) : ordered_json(nullptr)},
             {"planning_time_ms", json_number(trial.planning_ms)}});
    return print_json(document);
}

}  // namespace

int run_published(const PublishedQuestion& question, const std::string& file, const std::string& format,
                  std::stop_token stop)
{
    std::vector<std::string> warnings;
    const auto cases = file.empty() ? shipped_environments() : read_environments(read_text(file), file, &warnings);
    say(warnings);
    bool all = true;
    const auto trials = compare_published(
        cases, question, {std::move(stop), Deadline::never(), {}}, [&](const std::vector<PublishedTrial>& own) {
            all =
                all && std::any_of(own.begin(), own.end(), [](const PublishedTrial& trial) { return trial.feasible; });
        });
    deliver(format == "json" ? json_of(cases, trials, question) : text_of(trials, question), {});
    return all ? done : not_feasible;
}

}  // namespace nnpiper::cli
