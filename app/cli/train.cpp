// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/console.h"
#include "app/cli/input.h"
#include "app/cli/verbs.h"
#include "core/base/error.h"
#include "core/planners/order_network.h"

#include <CLI/CLI.hpp>

#include <unistd.h>

#include <cstdio>

namespace nnpiper::cli {

namespace {

struct Arguments {
    std::string out;
    bool resume = false;
    std::string minutes;
    int steps = 0;
    std::string device = "auto";
    std::uint64_t seed = 1;
};

int run_verb(const Arguments& arguments)
{
    TrainRequest request;
    request.out = arguments.out;
    request.resume = arguments.resume;
    request.steps = arguments.steps;
    if (!arguments.minutes.empty()) {
        request.minutes = number(arguments.minutes, "--minutes");
        if (!(request.minutes > 0))
            throw Error("--minutes", "\"" + arguments.minutes + "\" is given", "a number above 0 is allowed");
    }
    request.device = arguments.device;
    request.seed = arguments.seed;

    Control control;
    control.stop = interruptible();
    // On a terminal the line is rewritten; in a log every report is a line.
    const bool terminal = ::isatty(STDERR_FILENO) == 1;
    control.progress = [terminal](double fraction, std::string_view what) {
        std::fprintf(stderr, terminal ? "\r\033[K%s  %.*s" : "%s  %.*s\n", percent(fraction).c_str(),
                     static_cast<int>(what.size()), what.data());
    };
    torch_module().train(request, control);
    if (terminal)
        std::fputc('\n', stderr);
    if (control.stop.stop_requested())
        say("stopped: what was learned so far is in " + arguments.out);
    return done;
}

}  // namespace

void add_train(CLI::App& program, int& status)
{
    const auto a = std::make_shared<Arguments>();
    CLI::App* verb = program.add_subcommand("train", "Train the network of nn-piper on virtual instances");
    verb->add_option("--out", a->out, "Weights file to write (safetensors)")->default_val("nn-piper.safetensors");
    verb->add_flag("--resume", a->resume, "Go on from the weights in that file");
    verb->add_option("--minutes", a->minutes, "Stop after so many minutes");
    verb->add_option("--steps", a->steps, "Stop after so many steps")->check(CLI::Range(1, 2000000000));
    verb->add_option("--device", a->device, "auto, cpu or cuda")
        ->check(CLI::IsMember({"auto", "cpu", "cuda"}))
        ->capture_default_str();
    verb->add_option("--seed", a->seed, "Seed of everything random")->capture_default_str();
    verb->callback([a, &status] { status = run_verb(*a); });
}

}  // namespace nnpiper::cli
