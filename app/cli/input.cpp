// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/input.h"

#include "app/cli/console.h"
#include "core/base/error.h"
#include "core/formats/files.h"
#include "core/problem/compile.h"
#include "core/problem/pipeline.h"
#include "core/simulator/simulate.h"

#include <charconv>
#include <cmath>

namespace nnpiper::cli {

double number(const std::string& text, const std::string& place)
{
    double value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || stop != end || !std::isfinite(value))
        throw Error(place, "\"" + text + "\" is not a number", "a number with a decimal point is allowed, e.g. 1.5");
    return value;
}

std::vector<std::string> words(const std::string& text)
{
    std::vector<std::string> parts;
    std::size_t start = 0;
    while (start <= text.size()) {
        const std::size_t end = std::min(text.find(',', start), text.size());
        if (end > start)
            parts.push_back(text.substr(start, end - start));
        start = end + 1;
    }
    return parts;
}

std::vector<double> numbers(const std::vector<std::string>& arguments, const std::string& place)
{
    std::vector<double> values;
    for (const std::string& argument : arguments)
        for (const std::string& part : words(argument))
            values.push_back(number(part, place));
    return values;
}

int positive_integer(const std::string& text, const std::string& place)
{
    int value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || stop != end || value < 1)
        throw Error(place, "\"" + text + "\" is given", "a whole number of at least 1 is allowed");
    return value;
}

namespace {

Project overridden(Project project, const Overrides& overrides)
{
    Job& job = project.job;
    if (overrides.micro_batches)
        job.micro_batch.reset();  // the asked number decides among the sizes that divide the batch
    if (overrides.objective)
        job.objective = *overrides.objective;
    if (overrides.recompute_given)
        job.recompute = overrides.recompute;
    if (overrides.stages_given)
        job.stages = overrides.stages;
    if (overrides.schedule_given)
        job.schedule = overrides.schedule;
    if (!overrides.profile.empty())
        project.profile = read_profile(read_text(overrides.profile), overrides.profile);
    return project;
}

void override_raw(Problem& problem, const Overrides& overrides)
{
    if (overrides.objective)
        problem.objective = *overrides.objective;
    if (overrides.recompute_given && overrides.recompute && *overrides.recompute != problem.variants.front().recompute)
        throw Error("--recompute", "\"" + std::string(name_of(*overrides.recompute)) + "\" is asked for",
                    "the problem file has figures for \"" + std::string(name_of(problem.variants.front().recompute))
                        + "\" alone");
    if (overrides.stages_given)
        problem.stages = overrides.stages;
    if (overrides.schedule_given)
        problem.schedule = overrides.schedule;
    if (!overrides.profile.empty())
        throw Error("--measured-profile", "\"" + overrides.profile + "\" is given",
                    "only a project takes one: a problem file has times of its own");
}

}  // namespace

Input load(const std::string& path, const Overrides& overrides)
{
    Input input;
    const std::string text = read_text(path);
    std::vector<std::string> warnings;
    switch (file_kind(text, path)) {
    case FileKind::project:
        input.project = overridden(read_project(text, path, &warnings), overrides);
        try {
            input.problem = compile(*input.project);
        } catch (const Error& error) {
            const bool of_profile = !overrides.profile.empty() && error.place().starts_with("/profile/");
            throw error.within(of_profile ? overrides.profile : path);
        }
        break;
    case FileKind::problem:
        input.problem = read_problem(text, path, &warnings);
        override_raw(input.problem, overrides);
        break;
    case FileKind::plan:
        throw Error(path + ": /format", "is \"nnpiper-plan\"", "a project or a problem is expected");
    }
    say(warnings);
    if (overrides.micro_batches)
        input.problem = with_micro_batches(std::move(input.problem), *overrides.micro_batches);
    const int most = std::min(input.problem.layers(), input.problem.devices());
    if (overrides.stages_given && overrides.stages && *overrides.stages > most)
        throw Error("--stages", "\"" + std::to_string(*overrides.stages) + "\" is given",
                    "at most " + std::to_string(most) + " is allowed, a layer and a device for each stage");
    return input;
}

Plan load_plan(const std::string& path, Problem& problem)
{
    Plan plan = read_plan(read_text(path), path, &problem);
    if (plan.stages.empty())
        throw Error(path + ": /stages", "the planner skipped this problem: there is no stage",
                    "a plan with stages is expected");
    if (problem.raw && plan.micro_batches != problem.variants.front().micro_batches)
        problem = with_micro_batches(std::move(problem), plan.micro_batches);
    if (const auto faults = validate(problem, plan); !faults.empty())
        throw Error(path, faults.front());
    return plan;
}

Plan kept_plan(const Input& input, const std::string& path)
{
    std::optional<Plan> best;
    if (input.project) {
        for (Plan plan : input.project->plans) {
            if (plan.stages.empty() || !validate(input.problem, plan).empty())
                continue;
            predict(input.problem, plan);
            const bool better =
                !best || (plan.feasible && !best->feasible)
                || (plan.feasible == best->feasible && plan.throughput_samples_per_s > best->throughput_samples_per_s);
            if (better)
                best = std::move(plan);
        }
    }
    if (!best)
        throw Error(path, "holds no plan for its problem", "give a PLAN.json, e.g. one that nnpiper plan -o wrote");
    return *best;
}

}  // namespace nnpiper::cli
