// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/measured_run_json.h"

#include "core/base/error.h"
#include "core/cluster/catalog.h"
#include "core/formats/files.h"
#include "core/problem/compile.h"
#include "core/schedule/orders.h"
#include "core/study/uniform_training.h"

namespace nnpiper {

using nlohmann::json;

namespace {

/// A list as it stands, a number as a list of one.
std::vector<double> times_of(const json& document, const char* key, double otherwise)
{
    const auto it = document.find(key);
    if (it == document.end())
        return {otherwise};
    return it->is_array() ? it->get<std::vector<double>>() : std::vector<double>{it->get<double>()};
}

ScheduleRun schedule_from_json(const json& document, const std::string& place)
{
    ScheduleRun run;
    TextbookPipeline& pipeline = run.pipeline;
    pipeline.kind = schedule_from_name(document.at("name").get<std::string>(), place + "/name");
    pipeline.devices = document.at("stages").get<int>();
    pipeline.micro_batches = document.at("micro_batches").get<int>();
    const auto whole = [&](const char* key) {
        const auto it = document.find(key);
        return it == document.end() ? std::nullopt : std::optional(it->get<int>());
    };
    pipeline.chunks = whole("chunks");
    pipeline.held = whole("held");
    pipeline.forward_s = times_of(document, "forward_s", 0);
    pipeline.backward_input_s = times_of(document, "backward_input_s", 0);
    pipeline.backward_weight_s = times_of(document, "backward_weight_s", 0);
    if (document.contains("pair_s"))
        pipeline.pair_s = document.at("pair_s").get<double>();
    pipeline.delay_s = times_of(document, "delay_s", 0);
    pipeline.occupancy_s = times_of(document, "transfer_s", 0);
    pipeline.launch_counts = document.value("launch_counts", std::vector<int>());
    pipeline.blocking = document.value("blocking", false);
    for (auto [key, list] :
         {std::pair{"all_reduce_s", &run.all_reduce_s}, std::pair{"optimizer_s", &run.optimizer_s}}) {
        *list = times_of(document, key, 0);
        if (list->size() == 1)
            list->assign(static_cast<std::size_t>(pipeline.devices), list->front());
        if (list->size() != static_cast<std::size_t>(pipeline.devices))
            throw Error(place + "/" + key, "has " + std::to_string(list->size()) + " numbers",
                        "one number, or a list of " + std::to_string(pipeline.devices) + " is expected");
    }
    run.fixed_step_s = document.value("fixed_step_s", 0.0);
    run.rolling = document.value("rolling", false);
    if (document.contains("weight_lag")) {
        if (pipeline.kind != ScheduleKind::zb_h2)
            throw Error(place + "/weight_lag", "given for " + std::string(name_of(pipeline.kind)),
                        "it belongs to zb-h2 alone");
        pipeline.kind = ScheduleKind::custom;
        pipeline.order =
            zb_h2_order(pipeline.devices, pipeline.micro_batches, document.at("weight_lag").get<double>());
    }
    try {
        lay_out(pipeline);
    } catch (const Error& error) {
        throw error.within(place);
    }
    return run;
}

/// Text of a document that stands in the record or in a file that it names; `place` becomes the file then.
std::string text_of(const json& value, const char* format, std::string& place, const std::filesystem::path& folder)
{
    if (value.is_string()) {
        const std::filesystem::path path = folder / value.get<std::string>();
        place = path.string();
        return read_text(path);
    }
    json document = value;
    if (!document.contains("format"))
        document["format"] = format;
    if (!document.contains("version"))
        document["version"] = 1;
    return document.dump();
}

Plan plan_of_record(const json& record, const std::string& place, const std::filesystem::path& folder,
                    const Problem& problem)
{
    const auto it = record.find("plan");
    if (it == record.end())
        throw Error(place + "/plan", "missing", "a problem or project needs the plan that was run");
    std::string at = place + "/plan";
    const std::string text = text_of(*it, "nnpiper-plan", at, folder);
    return read_plan(text, at, &problem);
}

UniformCluster uniform_cluster_from_json(const json& document, const std::string& place)
{
    const auto name = document.at("device").get<std::string>();
    const DeviceEntry* entry = find_device_entry(name);
    if (!entry)
        throw Error(place + "/device", "\"" + name + "\" is not in the catalogue",
                    "a name from `nnpiper catalog devices` is expected");
    UniformCluster uniform;
    uniform.device = entry->spec;
    uniform.devices_per_node = document.at("devices_per_node").get<int>();
    uniform.nodes = document.at("nodes").get<int>();
    uniform.interconnect_bytes_per_s = document.value("interconnect_bytes_per_s", uniform.interconnect_bytes_per_s);
    uniform.interconnect_latency_s = document.value("interconnect_latency_s", uniform.interconnect_latency_s);
    uniform.network_bytes_per_s = document.value("network_bytes_per_s", uniform.network_bytes_per_s);
    uniform.node_network_bytes_per_s = document.value("node_network_bytes_per_s", 0.0);
    uniform.network_latency_s = document.value("network_latency_s", uniform.network_latency_s);
    return uniform;
}

UniformLayout layout_from_json(const json& document, const Job& job, const std::string& place)
{
    UniformLayout layout;
    layout.schedule = job.schedule.value_or(layout.schedule);
    if (document.contains("schedule"))
        layout.schedule = schedule_from_name(document.at("schedule").get<std::string>(), place + "/schedule");
    layout.tensor_parallel = document.value("tensor_parallel", 1);
    layout.pipeline_parallel = document.value("pipeline_parallel", 1);
    layout.data_parallel = document.value("data_parallel", 1);
    layout.chunks = document.value("chunks", 1);
    layout.layers = document.value("layers", std::vector<int>());
    layout.recompute = job.recompute.value_or(Recompute::none);
    return layout;
}

/// The cluster is spelled out, then model and job are read as a project's.
PlannedRun training_from_json(const json& document, const std::string& place)
{
    Project drawn;
    drawn.cluster = cluster_of(uniform_cluster_from_json(document.at("cluster"), place + "/cluster"));
    json text = json::parse(write_project(drawn));
    text["model"] = document.at("model");
    text["job"] = document.value("job", json::object());
    PlannedRun run;
    run.project = read_project(text.dump(), place);
    try {
        run.problem = compile(*run.project);
        const Variant& variant = run.problem.variants.at(static_cast<std::size_t>(run.problem.default_variant));
        run.plan =
            plan_of(layout_from_json(document.value("layout", json::object()), run.project->job, place + "/layout"),
                    run.project->cluster, run.problem.layers(), variant.micro_batches);
    } catch (const Error& error) {
        throw error.within(place);
    }
    return run;
}

}  // namespace

MeasuredRun measured_run_from_json(const json& record, const std::string& place, const std::filesystem::path& folder)
{
    std::string found;
    int kinds = 0;
    for (const char* kind : {"schedule", "problem", "project", "training"})
        if (record.contains(kind)) {
            ++kinds;
            found += (found.empty() ? "" : " and ") + std::string(kind);
        }
    if (kinds != 1)
        throw Error(place, kinds == 0 ? "says nothing of what was run" : "has " + found,
                    "one of schedule, problem, project, training is expected");
    if (record.contains("schedule"))
        return schedule_from_json(record.at("schedule"), place + "/schedule");

    PlannedRun run;
    if (record.contains("training")) {
        run = training_from_json(record.at("training"), place + "/training");
    } else if (record.contains("problem")) {
        std::string at = place + "/problem";
        const std::string text = text_of(record.at("problem"), "nnpiper-problem", at, folder);
        run.problem = read_problem(text, at);
        run.plan = plan_of_record(record, place, folder, run.problem);
        if (run.plan.micro_batches != run.problem.variants.front().micro_batches)
            run.problem = with_micro_batches(std::move(run.problem), run.plan.micro_batches);
    } else {
        std::string at = place + "/project";
        const std::string text = text_of(record.at("project"), "nnpiper-project", at, folder);
        run.project = read_project(text, at);
        try {
            run.problem = compile(*run.project);
        } catch (const Error& error) {
            throw error.within(at);
        }
        run.plan = plan_of_record(record, place, folder, run.problem);
    }
    run.blocking = record.value("blocking", false);
    return run;
}

}  // namespace nnpiper
