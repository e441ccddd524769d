// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cluster/catalog.h"
#include "app/cli/console.h"
#include "app/cli/verbs.h"
#include "core/base/quantity.h"
#include "core/formats/json_text.h"
#include "core/model/model.h"
#include "core/planners/planner.h"
#include "core/schedule/schedule.h"

#include <CLI/CLI.hpp>

namespace nnpiper::cli {

namespace {

using nlohmann::ordered_json;

/// The same list for people and for programs.
struct Listing {
    Table table;
    ordered_json items = ordered_json::array();
};

std::string quantity(std::optional<double> value, Unit unit)
{
    return value && *value > 0 ? format_quantity(*value, unit) : "unknown";
}

ordered_json optional_json(std::optional<double> value)
{
    return value ? json_number(*value) : ordered_json(nullptr);
}

std::string joined(const std::vector<std::string>& parts)
{
    std::string text;
    for (const std::string& part : parts)
        text += (text.empty() ? "" : ", ") + part;
    return text;
}

Listing devices()
{
    Listing list{Table({"device", "vendor", "memory", "memory bandwidth", "fp32", "fp16", "bf16", "achieved", "price/h",
                        "unconfirmed"},
                       {0, 1, 9})};
    for (const DeviceEntry& entry : device_catalog()) {
        const DeviceSpec& spec = entry.spec;
        const auto peak = [&](const char* precision) -> std::optional<double> {
            const auto it = spec.peak_flop_per_s.find(precision);
            return it == spec.peak_flop_per_s.end() ? std::nullopt : std::optional(it->second);
        };
        const auto shown_peak = [&](const char* precision) {
            return peak(precision) ? quantity(peak(precision), Unit::flop_per_second) : "-";
        };
        list.table.add(
            {entry.name, entry.vendor, quantity(spec.memory_bytes, Unit::bytes),
             quantity(spec.memory_bandwidth_bytes_per_s, Unit::bytes_per_second), shown_peak("fp32"),
             shown_peak("fp16"), shown_peak("bf16"), format_quantity(spec.achieved_fraction, Unit::fraction),
             spec.price_dollars_per_h ? format_quantity(*spec.price_dollars_per_h, Unit::dollars_per_hour) : "unknown",
             joined(entry.unconfirmed)});
        ordered_json item;
        item["name"] = entry.name;
        item["vendor"] = entry.vendor;
        item["memory_bytes"] = spec.memory_bytes > 0 ? json_number(spec.memory_bytes) : ordered_json(nullptr);
        item["memory_bandwidth_bytes_per_s"] = spec.memory_bandwidth_bytes_per_s > 0
                                                   ? json_number(spec.memory_bandwidth_bytes_per_s)
                                                   : ordered_json(nullptr);
        ordered_json peaks;
        for (const char* precision : {"fp32", "tf32", "fp16", "bf16", "fp8"})
            peaks[precision] = optional_json(peak(precision));
        item["peak_flop_per_s"] = std::move(peaks);
        item["achieved_fraction"] = json_number(spec.achieved_fraction);
        item["achieved_memory_fraction"] = json_number(spec.achieved_memory_fraction);
        item["price_dollars_per_h"] = optional_json(spec.price_dollars_per_h);
        item["power_w"] = optional_json(spec.power_w);
        item["interconnect"] = entry.interconnect;
        item["unconfirmed"] = entry.unconfirmed;
        item["source"] = entry.source;
        item["notes"] = entry.notes;
        list.items.push_back(std::move(item));
    }
    return list;
}

Listing links()
{
    Listing list{Table({"link", "group", "nominal", "effective", "latency", "status"}, {0, 1, 5})};
    for (const LinkEntry& entry : link_catalog()) {
        list.table.add({entry.name, entry.group, quantity(entry.nominal_bytes_per_s, Unit::bytes_per_second),
                        quantity(entry.effective_bytes_per_s, Unit::bytes_per_second),
                        quantity(entry.latency_s, Unit::seconds), entry.status});
        ordered_json item;
        item["name"] = entry.name;
        item["group"] = entry.group;
        item["nominal_bytes_per_s"] =
            entry.nominal_bytes_per_s > 0 ? json_number(entry.nominal_bytes_per_s) : ordered_json(nullptr);
        item["effective_bytes_per_s"] = optional_json(entry.effective_bytes_per_s);
        item["latency_s"] = optional_json(entry.latency_s);
        item["basis"] = entry.basis;
        item["source"] = entry.source;
        item["status"] = entry.status;
        list.items.push_back(std::move(item));
    }
    return list;
}

Listing models()
{
    Listing list{
        Table({"model", "family", "parameters", "blocks", "hidden", "heads", "vocabulary", "positions"}, {0, 1})};
    for (const ModelEntry& entry : model_catalog()) {
        const Architecture& a = entry.architecture;
        const double parameters = parameter_count(a);
        list.table.add({entry.name, std::string(name_of(a.family)), fixed(parameters, 0), std::to_string(a.blocks),
                        std::to_string(a.hidden), std::to_string(a.heads), std::to_string(a.vocabulary),
                        std::to_string(a.positions)});
        ordered_json item;
        item["name"] = entry.name;
        item["family"] = name_of(a.family);
        item["parameters"] = json_number(parameters);
        item["blocks"] = a.blocks;
        item["hidden"] = a.hidden;
        item["heads"] = a.heads;
        item["key_value_heads"] = a.key_value_heads;
        item["feed_forward"] = a.feed_forward;
        item["vocabulary"] = a.vocabulary;
        item["positions"] = a.positions;
        item["source"] = entry.source;
        list.items.push_back(std::move(item));
    }
    return list;
}

Listing planners()
{
    Listing list{Table({"planner", "title", "description", "assumes", "leaves out"}, {0, 1, 2, 3, 4})};
    for (const PlannerEntry& entry : planner_registry()) {
        list.table.add({entry.name, entry.title, entry.description, entry.assumes, entry.leaves_out});
        ordered_json item;
        item["name"] = entry.name;
        item["title"] = entry.title;
        item["description"] = entry.description;
        item["source"] = entry.source;
        item["assumes"] = entry.assumes;
        item["leaves_out"] = entry.leaves_out;
        list.items.push_back(std::move(item));
    }
    return list;
}

Listing schedules()
{
    Listing list{Table({"schedule", "description", "source"}, {0, 1, 2})};
    for (const ScheduleEntry& entry : schedule_catalog()) {
        list.table.add({entry.name, entry.description, entry.source});
        ordered_json item;
        item["name"] = entry.name;
        item["description"] = entry.description;
        item["source"] = entry.source;
        list.items.push_back(std::move(item));
    }
    return list;
}

Listing formats()
{
    struct Format {
        const char* name;
        const char* files;
        const char* direction;
        const char* description;
    };
    static constexpr Format known[] = {
        {"project", "*.nnpiper.json", "read, write", "The document: model, cluster, job, drawing, kept plans"},
        {"problem", "*.problem.json", "read, write", "Matrices of times, bytes, bandwidths and latencies"},
        {"plan", "*.plan.json", "read, write", "Stages, devices, schedule and predicted figures"},
        {"hf-config", "config.json", "import", "Architecture of a HuggingFace checkpoint"},
        {"chrome-trace", "*.json", "export", "Timeline for Perfetto and chrome://tracing"},
        {"plan-json", "*.plan.json", "export", "A plan with its predicted figures"},
        {"csv", "*.csv", "export", "Table of nnpiper plan --format csv"},
        {"svg", "*.svg", "export", "Drawing of nnpiper schedule --format svg"},
    };
    Listing list{Table({"format", "files", "direction", "description"}, {0, 1, 2, 3})};
    for (const Format& format : known) {
        list.table.add({format.name, format.files, format.direction, format.description});
        ordered_json item;
        item["name"] = format.name;
        item["files"] = format.files;
        item["direction"] = format.direction;
        item["description"] = format.description;
        list.items.push_back(std::move(item));
    }
    return list;
}

int run_verb(const std::string& what, const std::string& format)
{
    const Listing list = what == "devices"     ? devices()
                         : what == "links"     ? links()
                         : what == "models"    ? models()
                         : what == "planners"  ? planners()
                         : what == "schedules" ? schedules()
                                               : formats();
    if (format == "json") {
        ordered_json document;
        document[what] = list.items;
        deliver(print_json(document), {});
    } else {
        deliver(list.table.text(), {});
    }
    return done;
}

}  // namespace

void add_catalog(CLI::App& program, int& status)
{
    const auto what = std::make_shared<std::string>();
    const auto format = std::make_shared<std::string>("table");
    CLI::App* verb = program.add_subcommand("catalog", "List what the program knows");
    verb->add_option("WHAT", *what, "devices, links, models, planners, schedules or formats")
        ->required()
        ->check(CLI::IsMember({"devices", "links", "models", "planners", "schedules", "formats"}));
    verb->add_option("--format", *format, "table or json")
        ->check(CLI::IsMember({"table", "json"}))
        ->capture_default_str();
    verb->callback([what, format, &status] { status = run_verb(*what, *format); });
}

}  // namespace nnpiper::cli
