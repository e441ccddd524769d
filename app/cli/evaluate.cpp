// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/console.h"
#include "app/cli/fidelity.h"
#include "app/cli/input.h"
#include "app/cli/published.h"
#include "app/cli/quality.h"
#include "app/cli/verbs.h"
#include "core/base/error.h"
#include "core/study/self_check.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <memory>

namespace nnpiper::cli {

namespace {

struct Arguments {
    std::string suite = "self";
    std::string data;
    int fresh = 0;
    std::string freeze;
    std::string seconds = "5";
    int problems = 0;
    std::string sizes;
    std::string kinds;
    std::string methods;
    std::string planners;
    std::string budget_ms = "30";
    std::string device = "auto";
    std::uint64_t seed = 1;
    std::string format = "table";
};

double positive(const std::string& text, const std::string& place)
{
    const double value = number(text, place);
    if (!(value > 0))
        throw Error(place, "\"" + text + "\" is given", "a number above 0 is allowed");
    return value;
}

QualityOptions quality_options(const Arguments& arguments)
{
    QualityOptions options;
    options.data = arguments.data;
    options.fresh = arguments.fresh;
    options.freeze = arguments.freeze;
    options.seconds = positive(arguments.seconds, "--seconds");
    options.problems = arguments.problems;
    options.sizes = words(arguments.sizes);
    options.kinds = words(arguments.kinds);
    options.methods = words(arguments.methods);
    options.planners = words(arguments.planners);
    options.request.budget_ms = positive(arguments.budget_ms, "--budget-ms");
    options.request.device = arguments.device;
    options.request.seed = arguments.seed;
    options.format = arguments.format;
    return options;
}

PublishedQuestion published_question(const Arguments& arguments)
{
    PublishedQuestion question;
    question.request.budget_ms = positive(arguments.budget_ms, "--budget-ms");
    question.request.device = arguments.device;
    question.request.seed = arguments.seed;
    if (!arguments.planners.empty())
        question.published = words(arguments.planners);
    return question;
}

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

}  // namespace

void add_evaluate(CLI::App& program, int& status)
{
    const auto a = std::make_shared<Arguments>();
    CLI::App* verb = program.add_subcommand("evaluate", "Check the program itself, or how good its plans are");
    verb->add_option("--suite", a->suite,
                     "self (invariants), quality (planners against best-known plans), fidelity (predictions "
                     "against measured runs) or published (NN-Piper against published planners on real environments)")
        ->check(CLI::IsMember({"self", "quality", "fidelity", "published"}))
        ->capture_default_str();
    CLI::Option* data = verb->add_option(
        "--data", a->data,
        "quality: folder with *.problem.json files that have a best_known plan; without it, the frozen problems that "
        "come with "
        "the program. fidelity: folder with *.fidelity.json records; without it, those that come with the program. "
        "published: a file of environments; without it, those that come with the program");
    CLI::Option* fresh =
        verb->add_option("--fresh", a->fresh,
                         "quality: in place of the frozen problems so many new ones of every size and kind")
            ->check(CLI::Range(1, 100000))
            ->excludes(data);
    verb->add_option("--problems", a->problems, "quality: at most so many frozen problems of every size and kind")
        ->check(CLI::Range(1, 100000))
        ->excludes(data)
        ->excludes(fresh);
    verb->add_option("--sizes", a->sizes,
                     "quality: layers x devices x stages, e.g. 64x16x16,96x32x24 (all; micro-batches may stand behind: "
                     "96x32x24x1)")
        ->excludes(data);
    verb->add_option("--kinds", a->kinds,
                     "quality: any, mixed-devices, equal-devices, slow-wan, unlike-layers, separated by commas (all)")
        ->excludes(data);
    verb->add_option(
        "--methods", a->methods,
        "quality: procedures of NN-Piper, each beside the same without the network: raw, greedy, best-of, full-N in N "
        "milliseconds (raw,greedy,best-of,full-10,full-30,full-100 unless planners are named)");
    verb->add_option("--planner", a->planners,
                     "quality: planners to compare, names separated by commas, or all; published: those that NN-Piper is "
                     "held against");
    verb->add_option("--budget-ms", a->budget_ms,
                     "quality: time limit of each of these planners in milliseconds; published: of NN-Piper")
        ->capture_default_str();
    verb->add_option(
            "--freeze", a->freeze,
            "quality: make the set of frozen problems in this file, or improve its best-known plans (not by NN-Piper)")
        ->excludes(data)
        ->excludes(fresh);
    verb->add_option("--seconds", a->seconds, "quality with --freeze: search every problem so long in all")
        ->capture_default_str();
    verb->add_option("--device", a->device, "Where the network runs: auto, cpu or cuda")
        ->check(CLI::IsMember({"auto", "cpu", "cuda"}))
        ->capture_default_str();
    verb->add_option("--seed", a->seed, "Seed of everything random")->capture_default_str();
    verb->add_option("--format", a->format, "quality, fidelity and published: table or json")
        ->check(CLI::IsMember({"table", "json"}))
        ->capture_default_str();
    verb->callback([a, &status] {
        status = a->suite == "self"        ? run_self(*a)
                 : a->suite == "fidelity"  ? run_fidelity(a->data, a->format, interruptible())
                 : a->suite == "published" ? run_published(published_question(*a), a->data, a->format, interruptible())
                                           : run_quality(quality_options(*a), interruptible());
    });
}

}  // namespace nnpiper::cli
