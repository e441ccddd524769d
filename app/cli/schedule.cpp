// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/schedule/schedule.h"
#include "app/cli/console.h"
#include "app/cli/input.h"
#include "app/cli/schedule_drawing.h"
#include "app/cli/timeline_json.h"
#include "app/cli/verbs.h"
#include "core/base/error.h"
#include "core/formats/chrome_trace.h"
#include "core/formats/files.h"
#include "core/formats/json_text.h"
#include "core/schedule/order_text.h"
#include "core/simulator/textbook.h"

#include <CLI/CLI.hpp>

#include <algorithm>

namespace nnpiper::cli {

namespace {

struct Arguments {
    std::string name;
    int stages = 0;
    int micro_batches = 0;
    std::string forward, backward_input, backward_weight, pair;
    std::vector<std::string> forward_list, backward_input_list, backward_weight_list, delay;
    std::vector<int> launch;
    int chunks = 0, rounds = 1, held = 0;
    bool blocking = false;
    std::string order;
    std::string format = "ascii";
    std::string out;
};

/// One time for all stages, or a list.
std::vector<double> times(const std::string& one, const std::vector<std::string>& list, const std::string& option)
{
    if (list.empty())
        return {one.empty() ? 1.0 : number(one, option)};
    if (!one.empty())
        throw Error(option, "is given beside " + option + "-list", "one of the two is allowed");
    return numbers(list, option + "-list");
}

TextbookPipeline textbook_of(const Arguments& a)
{
    TextbookPipeline t;
    t.kind = schedule_from_name(a.name, "NAME");
    t.devices = a.stages;
    t.micro_batches = a.micro_batches;
    if (a.chunks > 0)
        t.chunks = a.chunks;
    t.rounds = a.rounds;
    if (a.held > 0)
        t.held = a.held;
    t.blocking = a.blocking;
    t.launch_counts = a.launch;
    t.forward_s = times(a.forward, a.forward_list, "--forward");
    t.backward_input_s = times(a.backward_input, a.backward_input_list, "--backward-input");
    t.backward_weight_s = times(a.backward_weight, a.backward_weight_list, "--backward-weight");
    if (!a.delay.empty())
        t.delay_s = numbers(a.delay, "--delay");
    if (!a.pair.empty())
        t.pair_s = number(a.pair, "--pair");
    if (t.kind == ScheduleKind::custom) {
        if (a.order.empty())
            throw Error("--order", "is missing", "custom needs a CSV file with a row a device and cells like 0F3");
        t.order = read_order_csv(read_text(a.order), a.order);
        const int found = micro_batches_of(t.order);
        if (found != t.micro_batches)
            throw Error(a.order, "it runs micro-batches 0 to " + std::to_string(found - 1),
                        "those of -m, 0 to " + std::to_string(t.micro_batches - 1));
    } else if (!a.order.empty()) {
        throw Error("--order", "is given with " + a.name, "only custom reads an order");
    }
    const double ops = 3.0 * a.stages * a.micro_batches * std::max(1, a.chunks) * a.rounds;
    if (ops > 1.5e7)
        throw Error("-m",
                    std::to_string(a.micro_batches) + " micro-batches on " + std::to_string(a.stages)
                        + " stages are asked for",
                    "at most 5000000 pieces of work can be listed");
    return t;
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

nlohmann::ordered_json op_json(const TimelineOp& op, const StageMap& map)
{
    nlohmann::ordered_json item;
    item["kind"] = word(op.kind);
    item["device"] = map.device(op.stage);
    item["stage"] = op.stage % map.stages;
    if (map.chains == 2)
        item["direction"] = op.stage < map.stages ? "down" : "up";
    item["micro_batch"] = op.micro_batch;
    item["start_s"] = json_number(op.start_s);
    item["end_s"] = json_number(op.end_s);
    if (op.overlapped)
        item["overlapped"] = true;
    return item;
}

std::string json_text_of(const Timeline& timeline, ScheduleKind kind)
{
    nlohmann::ordered_json document;
    document["schedule"] = name_of(kind);
    document["devices"] = timeline.rows();
    document["stages"] = timeline.map.stages;
    document["micro_batches"] = timeline.micro_batches;
    document["makespan_s"] = json_number(timeline.makespan_s);
    document["max_span_s"] = json_number(timeline.max_span_s);
    if (timeline.period_s > 0)
        document["period_s"] = json_number(timeline.period_s);
    document["bubble_fraction"] = json_number(timeline.bubble_rate);
    document["idle_fraction"] = json_number(timeline.bubble_fraction);
    auto peaks = nlohmann::ordered_json::array();
    auto idle = nlohmann::ordered_json::array();
    auto bubbles = nlohmann::ordered_json::array();
    for (const DeviceMetrics& metrics : timeline.metrics) {
        peaks.push_back(json_number(metrics.peak_in_flight));
        idle.push_back(json_number(metrics.idle_s));
        bubbles.push_back(bubble_json(metrics.bubble));
    }
    document["peak_activations"] = std::move(peaks);
    document["idle_s"] = std::move(idle);
    document["bubble"] = std::move(bubbles);
    // A JSON array that grows tells all its items of their parent each time: minutes for a million ops.
    nlohmann::ordered_json::array_t ops;
    ops.reserve(timeline.ops.size());
    for (const TimelineOp& op : timeline.ops)
        ops.push_back(op_json(op, timeline.map));
    document["ops"] = nlohmann::ordered_json(std::move(ops));
    return print_json(document);
}

/// How the idle time of all devices divides, in percent of it.
std::string bubble_text(const Timeline& timeline)
{
    Bubble sum;
    for (const DeviceMetrics& metrics : timeline.metrics) {
        sum.warm_up_s += metrics.bubble.warm_up_s;
        sum.drain_s += metrics.bubble.drain_s;
        sum.dependency_s += metrics.bubble.dependency_s;
        sum.link_s += metrics.bubble.link_s;
        sum.imbalance_s += metrics.bubble.imbalance_s;
    }
    const double total = sum.sum_s();
    if (!(total > 0))
        return {};
    return "of the bubble: warm-up " + percent(sum.warm_up_s / total) + ", drain " + percent(sum.drain_s / total)
           + ", waiting for other stages " + percent(sum.dependency_s / total) + ", for links "
           + percent(sum.link_s / total) + ", imbalance " + percent(sum.imbalance_s / total) + "\n";
}

std::string ascii_text(const Timeline& timeline, const std::string& title)
{
    std::string peaks;
    for (const DeviceMetrics& metrics : timeline.metrics)
        peaks += (peaks.empty() ? "" : " ") + json_number(metrics.peak_in_flight).dump();
    std::string text = title + "\n" + ascii_drawing(timeline) + "makespan " + json_number(timeline.makespan_s).dump()
                       + ", longest span of a device " + json_number(timeline.max_span_s).dump() + ", bubble "
                       + percent(timeline.bubble_rate) + " (all devices idle " + percent(timeline.bubble_fraction)
                       + " of it)";
    if (timeline.period_s > 0)
        text += ", one more round every " + json_number(timeline.period_s).dump();
    return text + "\n" + bubble_text(timeline) + "peak activations (micro-batches): " + peaks + "\n";
}

/// Draws it; a fault is told of the option that it came with.
Timeline drawn(const Arguments& a, const TextbookPipeline& textbook)
{
    try {
        return draw(textbook);
    } catch (const Error& error) {
        const std::string& place = error.place();
        const auto option = [&](const std::string& name, bool list) {
            return Error(list ? name + "-list" : name, error.found(), error.allowed());
        };
        if (place == "forward")
            throw option("--forward", !a.forward_list.empty());
        if (place == "backward-input")
            throw option("--backward-input", !a.backward_input_list.empty());
        if (place == "backward-weight")
            throw option("--backward-weight", !a.backward_weight_list.empty());
        if (place == "launch counts")
            throw option("--launch", false);
        if (place == "micro-batches" || place == "stages")
            throw option(place == "stages" ? "-p" : "-m", false);
        if (place == "order")
            throw option(a.order.empty() ? "order" : a.order, false);
        throw option("--" + place, false);
    }
}

int run_verb(const Arguments& a)
{
    const TextbookPipeline textbook = textbook_of(a);
    const Timeline timeline = drawn(a, textbook);
    std::string title = std::string(name_of(textbook.kind)) + ", " + std::to_string(a.stages) + " stages, "
                        + std::to_string(a.micro_batches) + " micro-batches";
    if (timeline.map.chunks() > 1)
        title += ", " + std::to_string(timeline.map.chunks()) + " chunks a device";
    if (a.format == "json")
        deliver(json_text_of(timeline, textbook.kind), a.out);
    else if (a.format == "svg")
        deliver(svg_drawing(timeline, title), a.out);
    else if (a.format == "trace")
        deliver(chrome_trace(timeline, title), a.out);
    else
        deliver(ascii_text(timeline, title), a.out);
    return done;
}

}  // namespace

void add_schedule(CLI::App& program, int& status)
{
    const auto a = std::make_shared<Arguments>();
    CLI::App* verb = program.add_subcommand("schedule", "Draw a textbook pipeline, no cluster needed");
    verb->add_option("NAME", a->name, "1f1b, zb-h1, chimera, ... (see nnpiper catalog schedules)")->required();
    verb->add_option("-p,--stages", a->stages, "Stages, or devices where each holds several chunks")
        ->required()
        ->check(CLI::Range(1, 100000));
    verb->add_option("-m,--micro-batches", a->micro_batches, "Micro-batches; decode: groups of sequences")
        ->required()
        ->check(CLI::Range(1, 1000000));
    verb->add_option("--forward", a->forward, "Time of a forward (1)");
    verb->add_option("--backward-input", a->backward_input, "Time of a backward's input part (1)");
    verb->add_option("--backward-weight", a->backward_weight, "Time of a backward's weight part (1)");
    verb->add_option("--pair", a->pair, "Time of an overlapped forward and backward (their sum)");
    verb->add_option("--chunks", a->chunks, "Chunks a device (interleaved-1f1b 2, hanayo 4)")->check(CLI::Range(1, 1000));
    verb->add_option("--launch", a->launch, "Forwards of each stage before its first backward, separated by commas (1f1b, eager-1f1b)")
        ->delimiter(',');
    verb->add_option("--order", a->order, "CSV file of a custom order: a row a device, cells like 0F3 (stage, F B I or W, micro-batch)");
    verb->add_option("--held", a->held, "zb-auto: micro-batches whose activations a device may keep (as many as stages)")
        ->check(CLI::Range(1, 1000000));
    verb->add_option("--rounds", a->rounds, "Batches of pipedream-2bw or tokens of decode to draw (1)")
        ->check(CLI::Range(1, 10000));
    verb->add_flag("--blocking", a->blocking, "A device waits until its message has been sent");
    verb->add_option("--forward-list", a->forward_list, "A time for each stage (or chunk), separated by commas");
    verb->add_option("--backward-input-list", a->backward_input_list, "A time for each stage (or chunk)");
    verb->add_option("--backward-weight-list", a->backward_weight_list, "A time for each stage (or chunk)");
    verb->add_option("--delay", a->delay, "One-way latency of every boundary, or one for each (0)");
    verb->add_option("--format", a->format, "ascii, json, svg or trace")
        ->check(CLI::IsMember({"ascii", "json", "svg", "trace"}))
        ->capture_default_str();
    verb->add_option("-o,--output", a->out, "Write to this file instead of standard output");
    verb->callback([a, &status] { status = run_verb(*a); });
}

}  // namespace nnpiper::cli
