// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/console.h"
#include "app/cli/input.h"
#include "app/cli/verbs.h"
#include "core/formats/chrome_trace.h"
#include "core/formats/files.h"
#include "core/simulator/simulate.h"

#include <CLI/CLI.hpp>

namespace nnpiper::cli {

namespace {

struct Arguments {
    std::string format;
    std::string input;
    std::string plan;
    std::string out;
};

int run_verb(const Arguments& arguments)
{
    Input input = load(arguments.input);
    if (arguments.format == "problem") {
        deliver(write_problem(input.problem), arguments.out);
        return done;
    }
    Plan plan = arguments.plan.empty() ? kept_plan(input, arguments.input) : load_plan(arguments.plan, input.problem);
    if (arguments.format == "chrome-trace") {
        deliver(chrome_trace(simulate(input.problem, plan), input.problem.name), arguments.out);
    } else {
        predict(input.problem, plan);
        deliver(write_plan(plan), arguments.out);
    }
    return done;
}

}  // namespace

void add_export(CLI::App& program, int& status)
{
    const auto arguments = std::make_shared<Arguments>();
    CLI::App* verb = program.add_subcommand("export", "Write a plan or problem for other programs");
    verb->add_option(
            "FORMAT", arguments->format,
            "chrome-trace (timeline for Perfetto), plan-json (plan with its predicted figures) or problem (the "
            "compiled matrices)")
        ->required()
        ->check(CLI::IsMember({"chrome-trace", "plan-json", "problem"}));
    verb->add_option("INPUT", arguments->input, "Project or problem file")->required();
    verb->add_option("PLAN", arguments->plan, "Plan file; the best plan kept in the project unless given");
    verb->add_option("-o,--output", arguments->out, "Write to this file instead of standard output");
    verb->callback([arguments, &status] { status = run_verb(*arguments); });
}

}  // namespace nnpiper::cli
