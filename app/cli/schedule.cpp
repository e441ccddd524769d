// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/schedule/schedule.h"
#include "app/cli/console.h"
#include "app/cli/input.h"
#include "app/cli/schedule_drawing.h"
#include "app/cli/verbs.h"
#include "core/base/error.h"
#include "core/formats/chrome_trace.h"
#include "core/formats/json_text.h"
#include "core/simulator/simulate.h"

#include <CLI/CLI.hpp>

#include <algorithm>

namespace nnpiper::cli {

namespace {

struct Arguments {
    std::string name;
    int stages = 0;
    int micro_batches = 0;
    std::string forward, backward_input, backward_weight;
    std::vector<std::string> forward_list, backward_input_list, backward_weight_list, delay;
    std::string format = "ascii";
    std::string out;
};

/// One time for all stages, or one each.
std::vector<double> times(const std::string& one, const std::vector<std::string>& list, const std::string& option,
                          int stages)
{
    std::vector<double> values;
    if (!list.empty()) {
        if (!one.empty())
            throw Error(option, "is given beside " + option + "-list", "one of the two is allowed");
        values = numbers(list, option + "-list");
        if (values.size() != static_cast<std::size_t>(stages))
            throw Error(option + "-list", "has " + std::to_string(values.size()) + " numbers",
                        std::to_string(stages) + " are expected, one a stage");
    } else {
        values.assign(static_cast<std::size_t>(stages), one.empty() ? 1.0 : number(one, option));
    }
    for (const double value : values)
        if (value < 0)
            throw Error(option, "a time of " + json_number(value).dump() + " is given",
                        "a time of at least 0 is allowed");
    return values;
}

std::vector<double> delays(const std::vector<std::string>& given, int stages)
{
    const auto boundaries = static_cast<std::size_t>(stages - 1);
    std::vector<double> values = numbers(given, "--delay");
    if (values.size() <= 1)
        values.assign(boundaries, values.empty() ? 0.0 : values.front());
    if (values.size() != boundaries)
        throw Error("--delay", "has " + std::to_string(values.size()) + " numbers",
                    "one, or one for each of the " + std::to_string(boundaries) + " boundaries, is expected");
    for (const double value : values)
        if (value < 0)
            throw Error("--delay", "a delay of " + json_number(value).dump() + " is given",
                        "a delay of at least 0 is allowed");
    return values;
}

const char* word(OpKind kind)
{
    switch (kind) {
    case OpKind::forward:
        return "forward";
    case OpKind::backward:
        return "backward";
    case OpKind::backward_input:
        return "backward_input";
    case OpKind::backward_weight:
        return "backward_weight";
    }
    return "";
}

std::string json_text_of(const Timeline& timeline, ScheduleKind kind)
{
    nlohmann::ordered_json document;
    document["schedule"] = name_of(kind);
    document["stages"] = timeline.stages;
    document["micro_batches"] = timeline.micro_batches;
    document["makespan_s"] = json_number(timeline.makespan_s);
    document["max_span_s"] = json_number(timeline.max_span_s);
    document["bubble_fraction"] = json_number(timeline.bubble_fraction);
    auto peaks = nlohmann::ordered_json::array();
    for (const StageMetrics& metrics : timeline.metrics)
        peaks.push_back(metrics.peak_in_flight);
    document["peak_activations"] = std::move(peaks);
    auto ops = nlohmann::ordered_json::array();
    for (const TimelineOp& op : timeline.ops) {
        nlohmann::ordered_json item;
        item["kind"] = word(op.kind);
        item["stage"] = op.stage;
        item["micro_batch"] = op.micro_batch;
        item["start_s"] = json_number(op.start_s);
        item["end_s"] = json_number(op.end_s);
        ops.push_back(std::move(item));
    }
    document["ops"] = std::move(ops);
    return print_json(document);
}

int run_verb(const Arguments& a)
{
    const ScheduleKind kind = schedule_from_name(a.name, "NAME");
    if (static_cast<double>(a.stages) * a.micro_batches > 5e6)
        throw Error("-m",
                    std::to_string(a.micro_batches) + " micro-batches on " + std::to_string(a.stages)
                        + " stages are asked for",
                    "at most 5000000 pieces of work can be listed");
    Pipeline pipeline;
    pipeline.micro_batches = a.micro_batches;
    pipeline.forward_s = times(a.forward, a.forward_list, "--forward", a.stages);
    pipeline.backward_input_s = times(a.backward_input, a.backward_input_list, "--backward-input", a.stages);
    pipeline.backward_weight_s = times(a.backward_weight, a.backward_weight_list, "--backward-weight", a.stages);
    pipeline.forward_latency_s = delays(a.delay, a.stages);
    pipeline.backward_latency_s = pipeline.forward_latency_s;
    pipeline.forward_occupancy_s.assign(pipeline.forward_latency_s.size(), 0.0);
    pipeline.backward_occupancy_s = pipeline.forward_occupancy_s;
    pipeline.all_reduce_s.assign(pipeline.forward_s.size(), 0.0);
    pipeline.optimizer_s = pipeline.all_reduce_s;
    pipeline.samples = a.micro_batches;
    const Timeline timeline = run(pipeline, op_order(kind, a.stages, a.micro_batches));

    const std::string title = std::string(name_of(kind)) + ", " + std::to_string(a.stages) + " stages, "
                              + std::to_string(a.micro_batches) + " micro-batches";
    if (a.format == "json") {
        deliver(json_text_of(timeline, kind), a.out);
    } else if (a.format == "svg") {
        deliver(svg_drawing(timeline, title), a.out);
    } else if (a.format == "trace") {
        deliver(chrome_trace(timeline, title), a.out);
    } else {
        std::string peaks;
        for (const StageMetrics& metrics : timeline.metrics)
            peaks += (peaks.empty() ? "" : " ") + std::to_string(metrics.peak_in_flight);
        deliver(title + "\n" + ascii_drawing(timeline) + "makespan " + json_number(timeline.makespan_s).dump()
                    + ", longest span of a stage " + json_number(timeline.max_span_s).dump() + ", bubble "
                    + percent(timeline.bubble_fraction) + "\npeak activations (micro-batches): " + peaks + "\n",
                a.out);
    }
    return done;
}

}  // namespace

void add_schedule(CLI::App& program, int& status)
{
    const auto a = std::make_shared<Arguments>();
    CLI::App* verb = program.add_subcommand("schedule", "Draw a textbook pipeline, no cluster needed");
    verb->add_option("NAME", a->name, "gpipe or 1f1b (see nnpiper catalog schedules)")->required();
    verb->add_option("-p,--stages", a->stages, "Stages")->required()->check(CLI::Range(1, 100000));
    verb->add_option("-m,--micro-batches", a->micro_batches, "Micro-batches")
        ->required()
        ->check(CLI::Range(1, 1000000));
    verb->add_option("--forward", a->forward, "Time of a forward (1)");
    verb->add_option("--backward-input", a->backward_input, "Time of a backward's input part (1)");
    verb->add_option("--backward-weight", a->backward_weight, "Time of a backward's weight part (1)");
    verb->add_option("--forward-list", a->forward_list, "A time for each stage, separated by commas");
    verb->add_option("--backward-input-list", a->backward_input_list, "A time for each stage");
    verb->add_option("--backward-weight-list", a->backward_weight_list, "A time for each stage");
    verb->add_option("--delay", a->delay, "One-way latency of every boundary, or one for each (0)");
    verb->add_option("--format", a->format, "ascii, json, svg or trace")
        ->check(CLI::IsMember({"ascii", "json", "svg", "trace"}))
        ->capture_default_str();
    verb->add_option("-o,--output", a->out, "Write to this file instead of standard output");
    verb->callback([a, &status] { status = run_verb(*a); });
}

}  // namespace nnpiper::cli
