// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/simulator/simulate.h"
#include "app/cli/console.h"
#include "app/cli/input.h"
#include "app/cli/plan_text.h"
#include "app/cli/timeline_json.h"
#include "app/cli/verbs.h"
#include "core/base/error.h"
#include "core/base/quantity.h"
#include "core/formats/chrome_trace.h"
#include "core/formats/json_text.h"
#include "core/formats/timeline_csv.h"
#include "core/problem/pipeline.h"
#include "core/schedule/schedule.h"
#include "core/simulator/evaluator.h"
#include "core/study/range_statistics.h"

#include <CLI/CLI.hpp>

#include <optional>

namespace nnpiper::cli {

namespace {

using nlohmann::ordered_json;

struct Arguments {
    std::string input;
    std::string plan;
    std::string engine = "detailed";
    std::string trace;
    std::string csv;
    std::string range;
    std::string format = "table";
    std::string out;
};

ordered_json stages_json(const Timeline& timeline, const Plan& plan)
{
    ordered_json list = ordered_json::array();
    for (std::size_t s = 0; s < plan.stages.size(); ++s) {
        const DeviceMetrics& metrics = timeline.metrics[static_cast<std::size_t>(timeline.map.device(static_cast<int>(s)))];
        ordered_json item;
        item["devices"] = plan.stages[s].devices;
        item["first_layer"] = plan.stages[s].first_layer;
        item["end_layer"] = plan.stages[s].end_layer;
        item["busy_s"] = json_number(metrics.busy_s);
        item["idle_s"] = json_number(metrics.idle_s);
        item["span_s"] = json_number(metrics.span_s);
        item["peak_in_flight"] = json_number(metrics.peak_in_flight);
        item["bubble"] = bubble_json(metrics.bubble);
        list.push_back(std::move(item));
    }
    return list;
}

ordered_json memory_json(const std::vector<DeviceMemory>& memory)
{
    ordered_json list = ordered_json::array();
    for (const DeviceMemory& device : memory) {
        ordered_json item;
        item["device"] = device.device;
        item["stage"] = device.stage;
        item["needed_bytes"] = json_number(device.needed_bytes());
        item["capacity_bytes"] = json_number(device.capacity_bytes);
        item["state_bytes"] = json_number(device.state_bytes);
        item["stored_bytes"] = json_number(device.stored_bytes);
        item["transient_bytes"] = json_number(device.transient_bytes);
        item["buffer_bytes"] = json_number(device.buffer_bytes);
        item["fits"] = device.fits();
        list.push_back(std::move(item));
    }
    return list;
}

ordered_json limits_json(const PlanLimits& limits)
{
    ordered_json item;
    item["kind"] = name_of(limits.kind);
    item["critical_path_compute"] = json_number(limits.compute_share);
    item["critical_path_link"] = json_number(limits.link_share);
    item["busiest_device"] = limits.busiest_device;
    item["busy_s"] = json_number(limits.busy_s);
    item["fullest_device"] = limits.fullest_device;
    item["needed_bytes"] = json_number(limits.needed_bytes);
    item["capacity_bytes"] = json_number(limits.capacity_bytes);
    ordered_json links = ordered_json::array();
    for (const LinkLoad& load : limits.links) {
        ordered_json link;
        link["link"] = load.link;
        link["bytes_per_iteration"] = json_number(load.bytes);
        link["busy_s"] = json_number(load.busy_s);
        links.push_back(std::move(link));
    }
    item["links"] = std::move(links);
    item["basis"] = name_of(limits.basis);
    item["measured_share"] = json_number(limits.measured_share);
    return item;
}

ordered_json range_json(const RangeStatistics& range)
{
    ordered_json item;
    item["from_s"] = json_number(range.from_s);
    item["to_s"] = json_number(range.to_s);
    item["bubble_fraction"] = json_number(range.bubble_fraction);
    item["finished_micro_batches"] = range.finished;
    item["critical_path_compute_s"] = json_number(range.critical_compute_s);
    item["critical_path_link_s"] = json_number(range.critical_link_s);
    ordered_json rows = ordered_json::array();
    for (const RangeRow& row : range.rows) {
        ordered_json group;
        group["busy_s"] = json_number(row.busy_s);
        group["forward_s"] = json_number(row.forward_s);
        group["backward_s"] = json_number(row.backward_s);
        group["weight_gradient_s"] = json_number(row.weight_s);
        group["bubble"] = bubble_json(row.bubble);
        rows.push_back(std::move(group));
    }
    item["device_groups"] = std::move(rows);
    ordered_json channels = ordered_json::array();
    for (const RangeChannel& channel : range.channels) {
        ordered_json one;
        one["boundary"] = channel.boundary;
        one["direction"] = channel.backward ? "gradients" : "activations";
        one["busy_s"] = json_number(channel.busy_s);
        one["messages"] = channel.messages;
        channels.push_back(std::move(one));
    }
    item["channels"] = std::move(channels);
    return item;
}

/// "FROM:TO" of a quantity each; an empty end is the iteration's.
RangeStatistics range_of(const std::string& text, const Timeline& timeline)
{
    const std::size_t colon = text.find(':');
    if (colon == std::string::npos)
        throw Error("--range", "\"" + text + "\"", "FROM:TO, such as 0.1s:250ms");
    const auto end = [&](const std::string& word, double open) {
        return word.empty() ? open : parse_quantity(word, Unit::seconds);
    };
    try {
        return range_statistics(timeline, critical_path(timeline), end(text.substr(0, colon), 0),
                                end(text.substr(colon + 1), timeline.makespan_s));
    } catch (const Error& error) {
        throw error.within("--range");
    }
}

int run_verb(const Arguments& arguments)
{
    Input input = load(arguments.input);
    Plan plan = load_plan(arguments.plan, input.problem);
    predict_fast(input.problem, plan);
    const Timeline timeline = simulate(input.problem, plan);
    const PlanLimits limits = limits_of(input.problem, plan, timeline);
    std::optional<RangeStatistics> range;
    if (!arguments.range.empty())
        range = range_of(arguments.range, timeline);
    // The engines agree to rounding where no link is shared.
    const bool fast = arguments.engine == "fast";
    const double makespan = fast ? plan.makespan_s : timeline.makespan_s;
    const double iteration = fast ? plan.iteration_s : timeline.iteration_s;
    const double throughput = fast ? plan.throughput_samples_per_s : timeline.throughput_samples_per_s;

    if (arguments.format == "json") {
        ordered_json document;
        document["engine"] = arguments.engine;
        document["planner"] = plan.planner;
        document["cost_basis"] = name_of(input.problem.basis);
        document["measured_layer_times"] = input.problem.measured_cells;
        document["schedule"] = name_of(plan.schedule);
        document["micro_batches"] = plan.micro_batches;
        document["feasible"] = timeline.fits;
        if (!timeline.fits)
            document["reason"] = timeline.shortfall;
        document["makespan_s"] = json_number(makespan);
        document["max_span_s"] = json_number(timeline.max_span_s);
        document["iteration_s"] = json_number(iteration);
        document["throughput_samples_per_s"] = json_number(throughput);
        document["bubble_fraction"] = json_number(fast ? plan.bubble_fraction : timeline.bubble_fraction);
        document["stages"] = stages_json(timeline, plan);
        document["memory"] = memory_json(timeline.memory);
        document["limits"] = limits_json(limits);
        if (range)
            document["range"] = range_json(*range);
        deliver(print_json(document), arguments.out);
    } else {
        plan.makespan_s = makespan;
        plan.iteration_s = iteration;
        plan.throughput_samples_per_s = throughput;
        deliver(summary_text(input.problem, plan) + "\n" + stages_text(input.problem, plan, timeline)
                    + limits_text(limits) + (range ? "\n" + range_text(timeline, *range) : std::string()),
                arguments.out);
    }
    if (!arguments.trace.empty())
        deliver(chrome_trace(timeline, input.problem.name), arguments.trace);
    if (!arguments.csv.empty())
        deliver(timeline_csv(timeline), arguments.csv);
    if (!timeline.fits)
        say(timeline.shortfall);
    return timeline.fits ? done : not_feasible;
}

}  // namespace

void add_simulate(CLI::App& program, int& status)
{
    const auto arguments = std::make_shared<Arguments>();
    CLI::App* verb = program.add_subcommand("simulate", "Predict a plan: times, bubble and memory of every stage");
    verb->add_option("INPUT", arguments->input, "Project or problem file")->required();
    verb->add_option("PLAN", arguments->plan, "Plan file")->required();
    verb->add_option("--engine", arguments->engine, "detailed (every op and message) or fast (as used inside search)")
        ->check(CLI::IsMember({"fast", "detailed"}))
        ->capture_default_str();
    verb->add_option("--trace", arguments->trace, "Write a Chrome trace (Perfetto, chrome://tracing) to this file");
    verb->add_option("--csv", arguments->csv, "Write every op and message as a table to this file");
    verb->add_option("--range", arguments->range,
                     "Also tell what happens from one time to another, such as 0.1s:250ms; an open end is the iteration's");
    verb->add_option("--format", arguments->format, "table or json")
        ->check(CLI::IsMember({"table", "json"}))
        ->capture_default_str();
    verb->add_option("-o,--output", arguments->out, "Write the result to this file instead of standard output");
    verb->callback([arguments, &status] { status = run_verb(*arguments); });
}

}  // namespace nnpiper::cli
