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
    TrainRequest request;
    std::string loss = "contrast";
    std::string reward = "split";
    bool no_search_anchor = false;
};

int run_verb(const Arguments& arguments)
{
    TrainRequest request = arguments.request;
    request.out = arguments.out;
    request.resume = arguments.resume;
    if (!arguments.minutes.empty()) {
        request.minutes = number(arguments.minutes, "--minutes");
        if (!(request.minutes > 0))
            throw Error("--minutes", "\"" + arguments.minutes + "\" is given", "a number above 0 is allowed");
    }
    using Loss = TrainRequest::Loss;
    request.loss = arguments.loss == "contrast"     ? Loss::contrast
                   : arguments.loss == "preference" ? Loss::preference
                   : arguments.loss == "reinforce"  ? Loss::reinforce
                                                    : Loss::imitation;
    request.reward = arguments.reward == "split" ? TrainRequest::Reward::split : TrainRequest::Reward::probe;
    request.search_anchor = !arguments.no_search_anchor;

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
    TrainRequest& r = a->request;
    verb->add_option("--minutes", a->minutes, "Stop after so many minutes, those before a resume included");
    verb->add_option("--steps", r.steps, "Stop after so many steps, those before a resume included")
        ->check(CLI::Range(1, 2000000000));
    verb->add_option("--patience", r.patience, "Stop when so many validations in a row brought nothing (0: never)")
        ->check(CLI::Range(0, 1000000));
    verb->add_option("--log", r.log, "Append figures to this file as JSON Lines: loss, rate, gaps, speed, validation");
    verb->add_option("--loss", a->loss, "What judged orders teach: contrast, preference, reinforce, or imitation only")
        ->check(CLI::IsMember({"contrast", "preference", "reinforce", "imitation"}))
        ->capture_default_str();
    verb->add_option("--reward", a->reward, "How orders are judged: split (throttle-aware split, simulated) or probe (estimate)")
        ->check(CLI::IsMember({"split", "probe"}))
        ->capture_default_str();
    verb->add_flag("--no-search-anchor", a->no_search_anchor, "Do not improve the best order drawn by a short search");
    verb->add_option("--samples", r.samples, "Orders drawn a problem")->check(CLI::Range(2, 4096))->capture_default_str();
    verb->add_option("--max-devices", r.max_devices, "Devices of the largest problems")->check(CLI::Range(2, 64))->capture_default_str();
    verb->add_option("--imitation-steps", r.imitation_steps, "Steps of imitating a local search before orders are judged")
        ->check(CLI::Range(0, 2000000000))
        ->capture_default_str();
    verb->add_option("--threads", r.threads, "One learns, the others draw and judge (0: one a processor)")
        ->check(CLI::Range(0, 256))
        ->capture_default_str();
    verb->add_option("--device", r.device, "Where it learns: auto, cpu or cuda")
        ->check(CLI::IsMember({"auto", "cpu", "cuda"}))
        ->capture_default_str();
    verb->add_option("--seed", r.seed, "Seed of everything random")->capture_default_str();
    verb->callback([a, &status] { status = run_verb(*a); });
}

}  // namespace nnpiper::cli
