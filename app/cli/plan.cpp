// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/console.h"
#include "app/cli/decisions_json.h"
#include "app/cli/input.h"
#include "app/cli/plan_text.h"
#include "app/cli/verbs.h"
#include "core/base/error.h"
#include "core/formats/files.h"
#include "core/planners/nn_piper.h"
#include "core/planners/planner.h"
#include "core/simulator/simulate.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>

namespace nnpiper::cli {

namespace {

using Clock = std::chrono::steady_clock;

struct Arguments {
    std::string input;
    std::string planners;
    std::string schedule;
    std::string stages;
    std::string micro_batches;
    std::string objective;
    std::string recompute;
    std::string budget_ms;
    std::string device = "auto";
    std::uint64_t seed = 1;
    bool true_costs = false;
    bool profile = false;
    std::string decisions;
    std::string measured_profile;
    std::string format = "table";
    std::string out;
};

/// Wall time of the steps, for --profile.
class Phases {
public:
    void mark(const std::string& name)
    {
        const auto now = Clock::now();
        phases_.emplace_back(name, std::chrono::duration<double, std::milli>(now - last_).count());
        last_ = now;
    }
    std::string text() const
    {
        Table table({"phase", "ms"});
        double sum = 0;
        for (const auto& [name, ms] : phases_) {
            table.add({name, fixed(ms, 2)});
            sum += ms;
        }
        table.add({"all", fixed(sum, 2)});
        return table.text();
    }

private:
    Clock::time_point last_ = Clock::now();
    std::vector<std::pair<std::string, double>> phases_;
};

std::vector<const PlannerEntry*> chosen(const std::string& names)
{
    std::vector<const PlannerEntry*> entries;
    for (const std::string& name : words(names)) {
        if (name == "all") {
            for (const PlannerEntry& entry : planner_registry())
                entries.push_back(&entry);
        } else {
            try {
                entries.push_back(&find_planner(name));
            } catch (const Error& error) {
                throw Error("--planner", error.found(), error.allowed() + ", or all");
            }
        }
    }
    if (entries.empty())
        throw Error("--planner", "names no planner", "names separated by commas, or all, are allowed");
    return entries;
}

Overrides overrides_of(const Arguments& arguments)
{
    Overrides overrides;
    if (!arguments.micro_batches.empty())
        overrides.micro_batches = positive_integer(arguments.micro_batches, "--micro-batches");
    if (!arguments.objective.empty())
        overrides.objective = objective_from_name(arguments.objective, "--objective");
    if (!arguments.recompute.empty()) {
        overrides.recompute_given = true;
        if (arguments.recompute != "auto")
            overrides.recompute = recompute_from_name(arguments.recompute, "--recompute");
    }
    if (!arguments.stages.empty()) {
        overrides.stages_given = true;
        if (arguments.stages != "auto")
            overrides.stages = positive_integer(arguments.stages, "--stages");
    }
    overrides.schedule_given = !arguments.schedule.empty();
    if (overrides.schedule_given && arguments.schedule != "auto")
        overrides.schedule = schedule_from_name(arguments.schedule, "--schedule");
    overrides.profile = arguments.measured_profile;
    return overrides;
}

PlanRequest request_of(const Arguments& arguments, const Overrides& overrides)
{
    PlanRequest request;
    request.schedule = overrides.schedule;
    request.any_schedule = overrides.schedule_given && !overrides.schedule;
    request.stages = overrides.stages;
    request.micro_batches = overrides.micro_batches;
    request.recompute = overrides.recompute;
    request.objective = overrides.objective;
    if (!arguments.budget_ms.empty()) {
        request.budget_ms = number(arguments.budget_ms, "--budget-ms");
        if (!(request.budget_ms > 0))
            throw Error("--budget-ms", "\"" + arguments.budget_ms + "\" is given", "a number above 0 is allowed");
    }
    request.true_costs = arguments.true_costs;
    request.device = arguments.device;
    request.seed = arguments.seed;
    return request;
}

int run_verb(const Arguments& arguments)
{
    const std::stop_token stop = interruptible();
    Phases phases;
    const Overrides overrides = overrides_of(arguments);
    const PlanRequest request = request_of(arguments, overrides);
    const auto entries = chosen(arguments.planners.empty() ? "nn-piper" : arguments.planners);
    const Input input = load(arguments.input, overrides);
    const Problem& problem = input.problem;
    phases.mark("read " + arguments.input);

    Control control;
    control.stop = stop;
    std::vector<Plan> plans;
    const auto bound = objective_bound(with_request(problem, request));
    phases.mark("bound");
    const auto run = [&](const PlannerEntry& entry) {
        std::string step;  // what the planner said last
        control.progress = [&](double, std::string_view what) {
            if (what == step)
                return;
            if (!step.empty())
                phases.mark(entry.name + ": " + step);
            step = what;
        };
        if (!arguments.profile)
            control.progress = {};
        plans.push_back(run_planner(entry, problem, request, control, bound ? &*bound : nullptr));
        phases.mark(entry.name + (step.empty() ? "" : ": " + step));
    };
    if (std::any_of(entries.begin(), entries.end(),
                    [](const PlannerEntry* e) { return e->name == "nn-piper" || e->name == "nn-piper-raw"; })) {
        prepare_nn_piper(request);
        phases.mark("open the network");
    }
    for (const PlannerEntry* entry : entries)
        run(*entry);
    if (arguments.planners.empty() && plans.front().status == "skipped") {
        say(reason_text(plans.front()) + "; local-search plans instead");
        run(find_planner("local-search"));
    }

    const Objective objective = problem.objective;
    const int best = best_plan(problem, plans, objective);
    if (arguments.format == "json") {
        deliver(write_plans(plans), {});
    } else if (arguments.format == "csv") {
        deliver(comparison_csv(problem, plans), {});
    } else {
        std::string text = comparison_text(problem, plans, objective);
        if (best >= 0) {
            const Plan& plan = plans[static_cast<std::size_t>(best)];
            const Timeline timeline = simulate(problem, plan);
            text += "\n" + summary_text(problem, plan) + "\n" + stages_text(problem, plan, timeline)
                    + limits_text(limits_of(problem, plan, timeline));
        }
        deliver(text, {});
    }
    if (stop.stop_requested())
        say("stopped: these are the best plans so far");
    if (best >= 0 && !arguments.out.empty())
        deliver(write_plan(plans[static_cast<std::size_t>(best)]), arguments.out);
    if (!arguments.decisions.empty())
        deliver(decisions_json(problem, nn_piper_decisions(problem, request)), arguments.decisions);
    phases.mark("write");
    if (arguments.profile)
        std::fputs(phases.text().c_str(), stderr);
    if (best < 0) {
        std::string sentence = "no feasible plan";
        for (const Plan& plan : plans)
            if (plans.size() == 1 && !plan.reason.empty())
                sentence += ": " + plan.reason;
        say(sentence + (arguments.out.empty() ? "" : "; " + arguments.out + " is not written"));
    }
    return best >= 0 ? done : not_feasible;
}

}  // namespace

void add_plan(CLI::App& program, int& status)
{
    const auto a = std::make_shared<Arguments>();
    CLI::App* verb = program.add_subcommand("plan", "Plan a training run and predict its throughput");
    verb->add_option("INPUT", a->input, "Project (*.nnpiper.json) or problem (*.problem.json)")->required();
    verb->add_option("--planner", a->planners, "Names separated by commas, or all; nn-piper unless given");
    verb->add_option("--schedule", a->schedule, "Pipeline schedule, e.g. 1f1b, or auto for whichever is best; as the file says unless given");
    verb->add_option("--stages", a->stages, "Number of pipeline stages, or auto");
    verb->add_option("--micro-batches", a->micro_batches, "Micro-batches an iteration");
    verb->add_option("--objective", a->objective, "throughput, cost or latency");
    verb->add_option("--recompute", a->recompute, "none, selective, full or auto");
    verb->add_option("--measured-profile", a->measured_profile,
                     "Measured layer times (CSV or *.profile.json) that win over the cost model");
    verb->add_option("--budget-ms", a->budget_ms, "Time limit of each planner in milliseconds (1000)");
    verb->add_option("--device", a->device, "Where the network runs: auto, cpu or cuda")
        ->check(CLI::IsMember({"auto", "cpu", "cuda"}))
        ->capture_default_str();
    verb->add_option("--seed", a->seed, "Seed of everything random")->capture_default_str();
    verb->add_flag("--true-costs", a->true_costs,
                   "Show planners of the literature every device and link as it is, not the averages they assume");
    verb->add_flag("--profile", a->profile, "Print what took how long to standard error");
    verb->add_option("--decisions", a->decisions,
                     "Write to this file (JSON) how probable the network held each device at each of its decisions");
    verb->add_option("--format", a->format, "table, json or csv")
        ->check(CLI::IsMember({"table", "json", "csv"}))
        ->capture_default_str();
    verb->add_option("-o,--output", a->out, "Write the best plan to this file");
    verb->callback([a, &status] { status = run_verb(*a); });
}

}  // namespace nnpiper::cli
