// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/console.h"
#include "app/cli/input.h"
#include "app/cli/verbs.h"
#include "core/base/error.h"
#include "core/formats/files.h"
#include "core/problem/compile.h"
#include "core/problem/pipeline.h"

#include <CLI/CLI.hpp>

namespace nnpiper::cli {

namespace {

std::string counted(std::size_t count, const std::string& word)
{
    return std::to_string(count) + " " + word + (count == 1 ? "" : word.ends_with("ch") ? "es" : "s");
}

int run_verb(const std::string& path, const std::string& against)
{
    const std::string text = read_text(path);
    std::vector<std::string> warnings;
    std::string found;
    std::string notes;
    switch (file_kind(text, path)) {
    case FileKind::project: {
        const Project project = read_project(text, path, &warnings);
        const Cluster& cluster = project.cluster;
        found = "a project with " + counted(cluster.nodes.size(), "node") + ", "
                + counted(cluster.devices.size(), "device") + ", " + counted(cluster.switches.size(), "switch") + ", "
                + counted(cluster.links.size(), "link") + ", a model of "
                + counted(static_cast<std::size_t>(project.model.architecture.blocks), "block") + " and "
                + counted(project.plans.size(), "kept plan");
        try {
            compile(project);
        } catch (const Error& error) {
            throw error.within(path);
        }
        for (const std::string& note : compile_notes(project))
            notes += "  " + note + "\n";
        break;
    }
    case FileKind::problem: {
        const Problem problem = read_problem(text, path, &warnings);
        found = "a problem with " + counted(problem.layer_names.size(), "layer") + " and "
                + counted(problem.device_ids.size(), "device");
        if (problem.best_known) {
            if (const auto faults = validate(problem, *problem.best_known); !faults.empty())
                throw Error(path + ": /best_known", faults.front());
            found += ", and a best-known plan";
        }
        break;
    }
    case FileKind::plan: {
        if (against.empty()) {
            const Plan plan = read_plan(text, path, nullptr, &warnings);
            found = "a plan with " + counted(plan.stages.size(), "stage") + " (give --problem to check it against one)";
        } else {
            Problem problem = load(against).problem;
            const Plan plan = load_plan(path, problem);
            found = "a plan with " + counted(plan.stages.size(), "stage") + " that fits " + against;
        }
        break;
    }
    }
    say(warnings);
    deliver(path + ": " + found + "\n" + notes, {});
    return done;
}

}  // namespace

void add_validate(CLI::App& program, int& status)
{
    const auto path = std::make_shared<std::string>();
    const auto against = std::make_shared<std::string>();
    CLI::App* verb = program.add_subcommand("validate", "Check a project, problem or plan file");
    verb->add_option("FILE", *path, "File to check")->required();
    verb->add_option("--problem", *against, "Project or problem that a plan must fit");
    verb->callback([path, against, &status] { status = run_verb(*path, *against); });
}

}  // namespace nnpiper::cli
