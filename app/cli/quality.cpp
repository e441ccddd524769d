// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/quality.h"

#include "app/cli/console.h"
#include "app/cli/freeze.h"
#include "app/cli/quality_sources.h"
#include "app/cli/quality_text.h"
#include "app/cli/verbs.h"

#include <algorithm>
#include <memory>

namespace nnpiper::cli {

namespace {

constexpr double reference_ms = 1000;
constexpr double progress_every_ms = 10000;

QualityFilter filter_of(const QualityOptions& options)
{
    QualityFilter filter;
    for (const std::string& size : options.sizes)
        filter.sizes.push_back(virtual_size_from_text(size, "--sizes"));
    for (const std::string& kind : options.kinds)
        filter.kinds.push_back(virtual_kind_from_name(kind, "--kinds"));
    return filter;
}

std::vector<std::string> planner_names(const std::vector<std::string>& words)
{
    std::vector<std::string> names;
    for (const std::string& word : words) {
        if (word != "all")
            names.push_back(word);
        else
            for (const PlannerEntry& entry : planner_registry())
                names.push_back(entry.name);
    }
    return names;
}

Control reporting(std::stop_token stop)
{
    Control control;
    control.stop = std::move(stop);
    const auto next = std::make_shared<Deadline>(Deadline::after_ms(progress_every_ms));
    control.progress = [next](double fraction, std::string_view what) {
        if (!next->passed())
            return;
        say(percent(fraction) + ", " + std::string(what));
        *next = Deadline::after_ms(progress_every_ms);
    };
    return control;
}

/// A full search or planner, which should find a plan wherever there is one; steps of the network alone need not.
bool must_find(const QualityMethod& method)
{
    return method.planner != "nn-piper-raw" && method.request.network_steps == NetworkSteps::full;
}

}  // namespace

int run_quality(const QualityOptions& options, std::stop_token stop)
{
    const QualityFilter filter = filter_of(options);
    if (!options.freeze.empty())
        return run_freeze(options.freeze, options.seconds, filter, stop);
    const bool standard = options.methods.empty() && options.planners.empty();
    const auto methods = quality_methods(standard ? standard_procedures() : options.methods,
                                         planner_names(options.planners), options.request);
    const QualitySource source = !options.data.empty() ? problems_of_folder(options.data)
                                 : options.fresh > 0   ? fresh_problems(filter, options.fresh, options.request.seed)
                                                       : frozen_problems(filter, options.problems);
    const auto trials = measure_quality(source.count, source.instance, methods, reference_ms, reporting(stop));
    if (stop.stop_requested())
        say("stopped: these are the problems done so far");
    deliver(options.format == "json" ? quality_json(trials, methods, source.name) : quality_text(trials, methods), {});

    bool failed = false;
    for (const QualityTrial& trial : trials) {
        if (trial.improved() && trial.proved) {
            say(methods[trial.method].name + " beats a plan of " + trial.problem + " that is stored as optimal");
            failed = true;
        }
        failed =
            failed || (!options.data.empty() && !trial.feasible && trial.known && must_find(methods[trial.method]));
    }
    return failed ? not_feasible : done;
}

}  // namespace nnpiper::cli
