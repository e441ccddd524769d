// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/verbs.h"
#include "core/base/error.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <exception>
#include <string>

namespace {

int usage_error(const CLI::App& program, const CLI::ParseError& error)
{
    std::string verb;
    for (const CLI::App* used : program.get_subcommands())
        verb = used->get_name();
    const std::string help = verb.empty() ? "nnpiper --help" : "nnpiper " + verb + " --help";
    std::string what = error.what();
    while (!what.empty() && (what.back() == '\n' || what.back() == '.'))
        what.pop_back();
    std::fprintf(stderr, "nnpiper: %s%s; see %s\n", verb.empty() ? "" : (verb + ": ").c_str(), what.c_str(),
                 help.c_str());
    return nnpiper::cli::bad_input;
}

}  // namespace

int main(int argc, char** argv)
{
    using namespace nnpiper::cli;
    CLI::App program{"Pipeline-parallel training plans for mixed GPUs", "nnpiper"};
    program.set_version_flag("--version", "nnpiper " NNPIPER_VERSION);
    program.require_subcommand(1);
    program.footer("Exit status: 0 done, 1 no feasible plan or a failed check, 2 bad usage or input.");
    program.get_formatter()->column_width(34);
    int status = done;
    for (const auto add : {add_plan, add_simulate, add_schedule, add_import, add_export, add_validate, add_catalog,
                           add_train, add_evaluate, add_calibrate, add_bench, add_whatif})
        add(program, status);
    try {
        program.parse(argc, argv);
    } catch (const CLI::Success& help) {
        return program.exit(help);
    } catch (const CLI::ParseError& error) {
        return usage_error(program, error);
    } catch (const nnpiper::Error& error) {
        std::fprintf(stderr, "nnpiper: %s\n", error.what());
        return bad_input;
    } catch (const std::bad_alloc&) {
        std::fputs("nnpiper: out of memory\n", stderr);
        return bad_input;
    }
    if (std::fflush(stdout) != 0) {
        std::perror("nnpiper: standard output");
        return bad_input;
    }
    return status;
}
