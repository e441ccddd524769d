// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/calibrate.h"
#include "app/cli/console.h"
#include "app/cli/verbs.h"
#include "core/base/error.h"
#include "core/formats/files.h"
#include "core/formats/json_text.h"
#include "core/formats/measured_csv.h"

#include <CLI/CLI.hpp>

#include <cmath>
#include <filesystem>

namespace nnpiper::cli {

namespace {

using nlohmann::ordered_json;

struct Arguments {
    std::string measured;
    std::string apply_to;
    std::string out;
    std::string format = "table";
    bool no_fixed_cost = false;
};

std::string error_of(double predicted, double measured)
{
    const double error = predicted / measured - 1;
    return std::isfinite(error) ? (error >= 0 ? "+" : "") + fixed(error * 100, 1) + " %" : "-";
}

std::string share(double value)
{
    return std::isfinite(value) ? percent(value) : "-";
}

std::string text_of(const Calibration& result)
{
    std::string text;
    Table constants({"constant", "before", "fitted"});
    for (const auto& [type, value] : result.achieved_fractions)
        constants.add({"achieved fraction of " + type, fixed(value.before, 4), fixed(value.after, 4)});
    for (const auto& [type, value] : result.time_scales)
        constants.add(
            {type.empty() ? "time scale" : "time scale of " + type, fixed(value.before, 4), fixed(value.after, 4)});
    if (result.fixed_cost_fitted)
        constants.add(
            {"fixed cost of a step, s", fixed(result.fixed_step_s.before, 6), fixed(result.fixed_step_s.after, 6)});
    Table runs({"run", "measured s", "before", "after", "left out"});
    for (const CalibratedStep& step : result.steps)
        runs.add({step.name, fixed(step.measured_s, 4), error_of(step.before_s, step.measured_s),
                  error_of(step.after_s, step.measured_s), error_of(step.left_out_s, step.measured_s)});
    Table errors({"error of " + std::to_string(result.steps.size()) + " runs", "mean", "largest"});
    errors.add({"before", share(result.before.mean), share(result.before.largest)});
    errors.add({"after, on the same runs", share(result.after.mean), share(result.after.largest)});
    errors.add({"after, each run left out of its fit", share(result.left_out.mean), share(result.left_out.largest)});
    text += constants.text() + "\n" + runs.text() + "\n" + errors.text();
    for (const std::string& note : result.notes)
        text += note + "\n";
    return text;
}

ordered_json value_json(const CalibratedValue& value)
{
    return {{"before", json_number(value.before)}, {"after", json_number(value.after)}};
}

ordered_json errors_json(const ErrorSummary& errors)
{
    return {{"mean", json_number(errors.mean)}, {"largest", json_number(errors.largest)}};
}

std::string json_of(const Calibration& result)
{
    ordered_json document;
    document["achieved_fraction"] = ordered_json::object();
    for (const auto& [type, value] : result.achieved_fractions)
        document["achieved_fraction"][type] = value_json(value);
    document["time_scale"] = ordered_json::object();
    for (const auto& [type, value] : result.time_scales)
        document["time_scale"][type] = value_json(value);
    document["fixed_step_s"] = value_json(result.fixed_step_s);
    document["fixed_step_fitted"] = result.fixed_cost_fitted;
    document["error"] = {{"before", errors_json(result.before)},
                         {"after", errors_json(result.after)},
                         {"left_out", errors_json(result.left_out)}};
    document["runs"] = ordered_json::array();
    for (const CalibratedStep& step : result.steps)
        document["runs"].push_back({{"name", step.name},
                                    {"measured_s", json_number(step.measured_s)},
                                    {"before_s", json_number(step.before_s)},
                                    {"after_s", json_number(step.after_s)},
                                    {"left_out_s", json_number(step.left_out_s)}});
    document["notes"] = result.notes;
    return print_json(document);
}

int run_verb(const Arguments& a)
{
    const std::stop_token stop = interruptible();
    const auto folder = std::filesystem::path(a.measured).parent_path();
    const auto steps = read_measured_csv(read_text(a.measured), a.measured, folder);
    Calibration result;
    try {
        result = calibrate(steps, {!a.no_fixed_cost}, {stop, Deadline::never(), {}});
    } catch (const Error& error) {
        throw error.within(a.measured);
    }
    if (!a.apply_to.empty()) {
        Project project = read_project(read_text(a.apply_to), a.apply_to);
        const auto changed = apply(result, project);
        if (changed.empty())
            throw Error(a.apply_to, "has none of the calibrated device types",
                        "a project with one of the measured types is expected");
        write_text(a.apply_to, write_project(project));
        for (const std::string& type : changed)
            say(a.apply_to + ": " + type + " now achieves "
                + percent(std::min(1.0, result.achieved_fractions.at(type).after)) + " of its peak");
    }
    if (!a.out.empty())
        deliver(json_of(result), a.out);
    if (a.out != "-")
        deliver(a.format == "json" ? json_of(result) : text_of(result), {});
    return done;
}

}  // namespace

void add_calibrate(CLI::App& program, int& status)
{
    const auto a = std::make_shared<Arguments>();
    CLI::App* verb = program.add_subcommand(
        "calibrate", "Fit achieved fractions and the fixed cost of a step to measured step times");
    verb->add_option("MEASURED", a->measured, "Table (CSV) of measured runs, see below")->required();
    verb->add_option("-o,--output", a->out, "Write constants and errors to this file as JSON");
    verb->add_option("--apply", a->apply_to, "Write the fitted constants into this project");
    verb->add_flag("--no-fixed-cost", a->no_fixed_cost, "Fit no fixed cost of a step");
    verb->add_option("--format", a->format, "table or json")
        ->check(CLI::IsMember({"table", "json"}))
        ->capture_default_str();
    verb->footer(
        "The table has a heading and a line for each measured run. Columns, in any order:\n"
        "  iteration_s               measured time of a step, seconds\n"
        "  project, plan             what was run: files beside the table (without plan: the project's only one)\n"
        "  problem, plan             the same for a raw problem; its times are scaled\n"
        "  schedule, stages, micro_batches, forward_s, backward_input_s, backward_weight_s, delay_s, transfer_s,\n"
        "  chunks                    or a textbook pipeline; a list has one number for each stage, with blanks "
        "between\n"
        "  blocking                  yes: a device waits while it sends\n"
        "  name                      as you like\n"
        "Numbers have a decimal point. Errors are given on all runs, and for each run with constants fitted on the\n"
        "others (cross-validation): the second tells what to expect of a plan that was not measured.");
    verb->callback([a, &status] { status = run_verb(*a); });
}

}  // namespace nnpiper::cli
