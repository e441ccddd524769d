// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/console.h"
#include "app/cli/fidelity.h"
#include "app/cli/fresh_quality.h"
#include "app/cli/input.h"
#include "app/cli/verbs.h"
#include "core/base/error.h"
#include "core/formats/files.h"
#include "core/formats/json_text.h"
#include "core/planners/nn_piper.h"
#include "core/planners/planner.h"
#include "core/simulator/simulate.h"
#include "core/study/self_check.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <map>

namespace nnpiper::cli {

namespace {

struct Arguments {
    std::string suite = "self";
    std::string data;
    std::string planners;
    std::string budget_ms = "30";
    std::string device = "auto";
    int problems = 8;
    std::uint64_t seed = 1;
    std::string format = "table";
};

int run_self(const Arguments& arguments)
{
    Control control;
    control.stop = interruptible();
    int passed = 0, failed = 0, skipped = 0;
    self_check(arguments.seed, control, [&](const CheckResult& result) {
        const bool good = result.outcome == CheckOutcome::passed;
        const bool bad = result.outcome == CheckOutcome::failed;
        ++(good ? passed : bad ? failed : skipped);
        deliver((good  ? "passed   "
                 : bad ? "FAILED   "
                       : "skipped  ")
                    + result.name + (result.message.empty() ? "" : ": " + result.message) + "\n",
                {});
        std::fflush(stdout);
    });
    deliver(std::to_string(passed) + " passed, " + std::to_string(failed) + " failed"
                + (skipped > 0 ? " (" + std::to_string(skipped) + " skipped)" : "") + "\n",
            {});
    return failed == 0 && passed > 0 ? done : not_feasible;
}

/// One planner on one problem; `gap` is makespan / best-known makespan - 1.
struct Outcome {
    std::string problem;
    std::string group;
    std::string planner;
    bool feasible = false;
    double gap = 0;
    double makespan_s = 0;
    double best_known_s = 0;
    double planning_ms = 0;
};

std::vector<const PlannerEntry*> chosen(const std::string& names)
{
    std::vector<const PlannerEntry*> entries;
    if (names.empty()) {
        for (const char* name : {"nn-piper", "nn-piper-no-network", "local-search"})
            for (const PlannerEntry& entry : planner_registry())
                if (entry.name == name)
                    entries.push_back(&entry);
        return entries;
    }
    for (const std::string& name : words(names))
        entries.push_back(&find_planner(name));
    return entries;
}

std::vector<std::filesystem::path> problem_files(const std::string& folder)
{
    std::error_code error;
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error))
        if (entry.path().filename().string().ends_with(".problem.json"))
            files.push_back(entry.path());
    if (error)
        throw Error(folder, "cannot be listed (" + error.message() + ")", "a folder is expected");
    if (files.empty())
        throw Error(folder, "holds no *.problem.json file", "a folder with problems is needed");
    std::sort(files.begin(), files.end());
    return files;
}

std::string quality_json(const std::vector<Outcome>& outcomes, const std::string& budget)
{
    nlohmann::ordered_json document;
    document["budget_ms"] = number(budget, "--budget-ms");
    document["results"] = nlohmann::ordered_json::array();
    for (const Outcome& o : outcomes) {
        nlohmann::ordered_json item;
        item["problem"] = o.problem;
        item["group"] = o.group;
        item["planner"] = o.planner;
        item["feasible"] = o.feasible;
        item["gap"] = o.feasible ? json_number(o.gap) : nlohmann::ordered_json(nullptr);
        item["makespan_s"] = o.makespan_s > 0 ? json_number(o.makespan_s) : nlohmann::ordered_json(nullptr);
        item["best_known_s"] = json_number(o.best_known_s);
        item["planning_time_ms"] = json_number(o.planning_ms);
        document["results"].push_back(std::move(item));
    }
    return print_json(document);
}

std::string signed_percent(double fraction)
{
    return (fraction >= 0 ? "+" : "") + fixed(fraction * 100, 2) + " %";
}

std::string quality_text(const std::vector<Outcome>& outcomes, const std::vector<const PlannerEntry*>& entries)
{
    std::vector<std::string> titles{"problem"};
    for (const PlannerEntry* entry : entries)
        titles.push_back(entry->name);
    Table each(titles);
    titles.front() = "mean of group";
    titles.insert(titles.begin() + 1, "problems");
    Table means(titles);

    const std::size_t columns = entries.size();
    std::vector<std::string> groups;
    for (std::size_t i = 0; i < outcomes.size(); i += columns) {
        std::vector<std::string> row{outcomes[i].problem};
        for (std::size_t c = 0; c < columns && i + c < outcomes.size(); ++c)
            row.push_back(outcomes[i + c].feasible ? signed_percent(outcomes[i + c].gap) : "infeasible");
        each.add(row);
        if (std::find(groups.begin(), groups.end(), outcomes[i].group) == groups.end())
            groups.push_back(outcomes[i].group);
    }
    groups.push_back("all");
    for (const std::string& group : groups) {
        std::vector<std::string> row{group, {}};
        std::size_t problems = 0;
        for (std::size_t c = 0; c < columns; ++c) {
            double sum = 0;
            std::size_t feasible = 0, all = 0;
            for (std::size_t i = c; i < outcomes.size(); i += columns)
                if (group == "all" || outcomes[i].group == group) {
                    ++all;
                    feasible += outcomes[i].feasible ? 1 : 0;
                    sum += outcomes[i].feasible ? outcomes[i].gap : 0;
                }
            problems = std::max(problems, all);
            std::string cell = feasible > 0 ? signed_percent(sum / static_cast<double>(feasible)) : "-";
            if (feasible < all)
                cell += " (" + std::to_string(all - feasible) + " infeasible)";
            row.push_back(cell);
        }
        row[1] = std::to_string(problems);
        means.add(row);
    }
    return each.text() + "\n" + means.text();
}

int run_quality(const Arguments& arguments)
{
    const std::stop_token stop = interruptible();
    const auto entries = chosen(arguments.planners);
    PlanRequest request;
    request.budget_ms = number(arguments.budget_ms, "--budget-ms");
    request.device = arguments.device;
    request.seed = arguments.seed;
    if (arguments.data.empty()) {
        QualityQuestion question;
        question.planners.clear();
        for (const PlannerEntry* entry : entries)
            question.planners.push_back(entry->name);
        question.problems = arguments.problems;
        question.request = request;
        question.seed = arguments.seed;
        return run_fresh_quality(question, arguments.format, stop);
    }
    const auto files = problem_files(arguments.data);
    if (std::any_of(entries.begin(), entries.end(),
                    [](const PlannerEntry* e) { return e->name.starts_with("nn-piper"); }))
        prepare_nn_piper(request);

    std::vector<Outcome> outcomes;
    bool missed = false;
    for (const auto& file : files) {
        const Problem problem = read_problem(read_text(file), file.string());
        if (!problem.best_known) {
            say(file.string() + ": no best_known, left out");
            continue;
        }
        Plan best = *problem.best_known;
        predict(problem, best);
        const std::string group = "L" + std::to_string(problem.layers()) + " D" + std::to_string(problem.devices())
                                  + " S" + std::to_string(best.stages.size());
        for (const PlannerEntry* entry : entries) {
            const Plan plan = run_planner(*entry, problem, request, {stop, Deadline::never(), {}});
            Outcome outcome{file.filename().string(),
                            group,
                            entry->name,
                            plan.feasible,
                            plan.makespan_s / best.makespan_s - 1,
                            plan.makespan_s,
                            best.makespan_s,
                            plan.planning_time_ms};
            outcome.problem.resize(outcome.problem.size() - std::string_view(".problem.json").size());
            missed = missed || (best.feasible && !plan.feasible);
            outcomes.push_back(std::move(outcome));
        }
        if (stop.stop_requested())
            break;
    }
    if (arguments.format == "json")
        deliver(quality_json(outcomes, arguments.budget_ms), {});
    else
        deliver(quality_text(outcomes, entries), {});
    return missed ? not_feasible : done;
}

}  // namespace

void add_evaluate(CLI::App& program, int& status)
{
    const auto a = std::make_shared<Arguments>();
    CLI::App* verb = program.add_subcommand("evaluate", "Check the program itself, or how good its plans are");
    verb->add_option("--suite", a->suite, "self (invariants), quality (planners against best-known plans) or fidelity (predictions "
                                         "against measured runs)")
        ->check(CLI::IsMember({"self", "quality", "fidelity"}))
        ->capture_default_str();
    verb->add_option("--data", a->data, "quality: folder with *.problem.json files that have a best_known plan; "
                                       "without it, fresh virtual problems. fidelity: folder with *.fidelity.json records; without it, "
                                       "those that come with the program");
    verb->add_option("--problems", a->problems, "quality without --data: problems of every size")
        ->check(CLI::Range(1, 10000))
        ->capture_default_str();
    verb->add_option("--planner", a->planners, "quality: planners to compare (nn-piper, its ablation and local-search)");
    verb->add_option("--budget-ms", a->budget_ms, "quality: time limit of each planner in milliseconds")->capture_default_str();
    verb->add_option("--device", a->device, "Where the network runs: auto, cpu or cuda")
        ->check(CLI::IsMember({"auto", "cpu", "cuda"}))
        ->capture_default_str();
    verb->add_option("--seed", a->seed, "Seed of everything random")->capture_default_str();
    verb->add_option("--format", a->format, "quality and fidelity: table or json")
        ->check(CLI::IsMember({"table", "json"}))
        ->capture_default_str();
    verb->callback([a, &status] {
        status = a->suite == "self"       ? run_self(*a)
                 : a->suite == "fidelity" ? run_fidelity(a->data, a->format, interruptible())
                                          : run_quality(*a);
    });
}

}  // namespace nnpiper::cli
