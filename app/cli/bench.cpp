// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/bench_text.h"
#include "app/cli/console.h"
#include "app/cli/input.h"
#include "app/cli/verbs.h"
#include "core/base/error.h"
#include "core/study/engine_bench.h"
#include "core/study/planner_bench.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>

namespace nnpiper::cli {

namespace {

struct Arguments {
    std::vector<std::string> inputs;
    std::string planners = "all";
    int generated = 0;
    int largest = 64;
    std::string budget_ms = "30";
    std::string reference_ms = "1000";
    std::string cancel_after_ms = "20";
    bool true_costs = false;
    std::string device = "auto";
    std::uint64_t seed = 1;
    std::string format = "table";
    std::string out;
};

double at_least_zero(const std::string& text, const std::string& place)
{
    const double value = number(text, place);
    if (value < 0)
        throw Error(place, "\"" + text + "\" is given", "a number of at least 0 is allowed");
    return value;
}

bool is_input(const std::filesystem::path& path)
{
    const std::string name = path.filename().string();
    return name.ends_with(".problem.json") || name.ends_with(".nnpiper.json");
}

std::string group_of(const Problem& problem)
{
    return "L" + std::to_string(problem.layers()) + " D" + std::to_string(problem.devices()) + " S"
           + (problem.stages ? std::to_string(*problem.stages) : "free");
}

/// Files as given; of a folder all that hold a project or problem.
std::vector<BenchProblem> read_problems(const std::vector<std::string>& inputs)
{
    std::vector<std::filesystem::path> files;
    for (const std::string& input : inputs) {
        std::error_code error;
        if (!std::filesystem::is_directory(input, error)) {
            files.emplace_back(input);
            continue;
        }
        std::vector<std::filesystem::path> inside;
        for (const auto& entry : std::filesystem::directory_iterator(input, error)) {
            if (is_input(entry.path()))
                inside.push_back(entry.path());
        }
        if (error)
            throw Error(input, "cannot be listed (" + error.message() + ")", "a folder is expected");
        if (inside.empty())
            throw Error(input, "holds no *.problem.json or *.nnpiper.json file", "a folder with problems or projects");
        std::sort(inside.begin(), inside.end());
        files.insert(files.end(), inside.begin(), inside.end());
    }
    std::vector<BenchProblem> problems;
    for (const auto& file : files) {
        BenchProblem bench;
        bench.problem = load(file.string()).problem;
        bench.problem.name = file.filename().string();
        bench.group = group_of(bench.problem);
        problems.push_back(std::move(bench));
    }
    return problems;
}

std::vector<std::string> names_of(const std::string& list)
{
    std::vector<std::string> names;
    for (const std::string& name : words(list)) {
        if (name == "all") {
            for (const PlannerEntry& entry : planner_registry())
                names.push_back(entry.name);
        } else {
            names.push_back(find_planner(name).name);
        }
    }
    if (names.empty())
        throw Error("--planner", "names no planner", "names separated by commas, or all, are allowed");
    return names;
}

int run_planners(const Arguments& a)
{
    const std::stop_token stop = interruptible();
    BenchQuestion question;
    question.planners = names_of(a.planners);
    question.request.budget_ms = number(a.budget_ms, "--budget-ms");
    if (!(question.request.budget_ms > 0))
        throw Error("--budget-ms", "\"" + a.budget_ms + "\" is given", "a number above 0 is allowed");
    question.request.true_costs = a.true_costs;
    question.request.device = a.device;
    question.request.seed = a.seed;
    question.reference_ms = at_least_zero(a.reference_ms, "--reference-ms");
    question.cancel_after_ms = at_least_zero(a.cancel_after_ms, "--cancel-after-ms");
    std::vector<BenchProblem> problems = read_problems(a.inputs);
    const int count = a.generated > 0 ? a.generated : problems.empty() ? 2 : 0;
    for (BenchProblem& bench : generated_bench_problems(count, a.largest, a.seed))
        problems.push_back(std::move(bench));
    if (problems.empty())
        throw Error("--largest", "it is " + std::to_string(a.largest),
                    "at least 2 devices, the smallest problem that is made");

    Control control;
    control.stop = stop;
    const auto trials = bench_planners(problems, question, control);
    deliver(a.format == "json" ? bench_json(trials, question) : bench_text(trials, question), a.out);
    if (stop.stop_requested())
        say("stopped: these are the problems done so far");
    return trials.empty() ? not_feasible : done;
}

int run_simulator(const Arguments& a)
{
    const auto speeds = bench_engines({interruptible(), Deadline::never(), {}});
    deliver(a.format == "json" ? engines_json(speeds) : engines_text(speeds), a.out);
    return done;
}

void add_format(CLI::App* verb, Arguments& a)
{
    verb->add_option("--format", a.format, "table or json")
        ->check(CLI::IsMember({"table", "json"}))
        ->capture_default_str();
    verb->add_option("-o,--output", a.out, "Write to this file");
}

}  // namespace

void add_bench(CLI::App& program, int& status)
{
    const auto a = std::make_shared<Arguments>();
    CLI::App* bench = program.add_subcommand("bench", "Measure planners or engines against each other in one run");
    bench->require_subcommand(1);
    CLI::App* planners =
        bench->add_subcommand("planners", "Planning time, gap to the best known plan, memory and cancel latency");
    planners->add_option("INPUT", a->inputs, "Projects, problems or folders of them; invented problems unless given");
    planners
        ->add_option("--planner", a->planners, "Names separated by commas, or all; the first is the reference of times")
        ->capture_default_str();
    planners->add_option("--generated", a->generated,
                         "Invented problems of every size from 2 devices on (2 without INPUT)");
    planners->add_option("--largest", a->largest, "Devices of the largest invented problem, up to 1024")
        ->capture_default_str();
    planners->add_option("--budget-ms", a->budget_ms, "Time limit of each planner")->capture_default_str();
    planners
        ->add_option("--reference-ms", a->reference_ms,
                     "Time of the local search that the best known plans come from as well; 0: none")
        ->capture_default_str();
    planners
        ->add_option("--cancel-after-ms", a->cancel_after_ms,
                     "When planners without a limit are stopped to time their return; 0: never")
        ->capture_default_str();
    planners->add_flag("--true-costs", a->true_costs, "Show planners of the literature every device and link as it is");
    planners->add_option("--device", a->device, "Where the network runs: auto, cpu or cuda")
        ->check(CLI::IsMember({"auto", "cpu", "cuda"}))
        ->capture_default_str();
    planners->add_option("--seed", a->seed, "Seed of the invented problems and of everything random")
        ->capture_default_str();
    add_format(planners, *a);
    planners->callback([a, &status] { status = run_planners(*a); });
    CLI::App* simulator = bench->add_subcommand("simulator", "Operations per second of both engines");
    add_format(simulator, *a);
    simulator->callback([a, &status] { status = run_simulator(*a); });
}

}  // namespace nnpiper::cli
