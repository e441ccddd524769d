// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/error.h"
#include "core/formats/files.h"
#include "core/formats/json_text.h"
#include "core/formats/plan_json.h"
#include "core/formats/profile_json.h"
#include "core/formats/schema_check.h"

#include <algorithm>

namespace nnpiper {

using nlohmann::json;
using nlohmann::ordered_json;

namespace {

/// Always written, so that a reader sees which of them a device lacks.
constexpr const char* precisions[] = {"fp32", "tf32", "fp16", "bf16", "fp8"};

template <class T>
std::optional<T> optional_value(const json& document, const char* key)
{
    const auto it = document.find(key);
    if (it == document.end() || it->is_null())
        return std::nullopt;
    return it->get<T>();
}

ordered_json optional_number(const std::optional<double>& value)
{
    return value ? json_number(*value) : ordered_json(nullptr);
}

const json& list_of(const json& document, const char* key)
{
    static const json empty = json::array();
    const auto it = document.find(key);
    return it == document.end() ? empty : *it;
}

std::vector<LayerEdit> layer_edits_from_json(const json& list, int layers, const std::string& place)
{
    std::vector<LayerEdit> edits;
    for (const json& item : list)
        edits.push_back({item.at("layer").get<int>(), optional_value<double>(item, "parameters"),
                         optional_value<double>(item, "forward_flops"), optional_value<double>(item, "stored_bytes"),
                         optional_value<double>(item, "output_bytes")});
    check(edits, layers, place);
    std::sort(edits.begin(), edits.end(), [](const LayerEdit& a, const LayerEdit& b) { return a.layer < b.layer; });
    return edits;
}

ordered_json layer_edits_to_json(const std::vector<LayerEdit>& edits)
{
    ordered_json list = ordered_json::array();
    for (const LayerEdit& edit : edits) {
        ordered_json item{{"layer", edit.layer}};
        const auto part = [&](const char* key, const std::optional<double>& figure) {
            if (figure)
                item[key] = json_number(*figure);
        };
        part("parameters", edit.parameters);
        part("forward_flops", edit.forward_flops);
        part("stored_bytes", edit.stored_bytes);
        part("output_bytes", edit.output_bytes);
        list.push_back(std::move(item));
    }
    return list;
}

Model model_from_json(const json& document, const std::string& place)
{
    Model model;
    Architecture& a = model.architecture;
    a.name = document.value("name", std::string());
    a.family = family_from_name(document.at("family").get<std::string>(), place + "/family");
    a.hidden = document.at("hidden").get<int>();
    a.blocks = document.at("blocks").get<int>();
    a.heads = document.at("heads").get<int>();
    a.key_value_heads = document.value("key_value_heads", a.heads);
    if (!document.contains("head_dim") && a.hidden % a.heads != 0)
        throw Error(place + "/head_dim",
                    "missing, and hidden " + std::to_string(a.hidden) + " is no multiple of heads "
                        + std::to_string(a.heads),
                    "a whole number of at least 1 is needed");
    a.head_dim = document.value("head_dim", a.hidden / a.heads);
    a.feed_forward = document.at("feed_forward").get<int>();
    a.vocabulary = document.at("vocabulary").get<int>();
    model.sequence_length = document.at("sequence_length").get<int>();
    a.positions = document.value("positions", model.sequence_length);
    a.token_types = document.value("token_types", 0);
    a.tied_embeddings = document.value("tied_embeddings", false);
    a.attention_bias = document.value("attention_bias", false);
    a.experts = document.value("experts", 0);
    a.experts_per_token = document.value("experts_per_token", 0);
    a.decoder_blocks = document.value("decoder_blocks", 0);
    a.gated_feed_forward = document.value("gated_feed_forward", false);
    a.image_size = document.value("image_size", 0);
    a.patch_size = document.value("patch_size", 0);
    a.image_channels = document.value("image_channels", has_images(a.family) ? 3 : 0);
    a.projection = document.value("projection", 0);
    if (const auto tower = document.find("image_tower"); tower != document.end())
        a.image_tower = {tower->at("hidden").get<int>(), tower->at("blocks").get<int>(), tower->at("heads").get<int>(),
                         tower->at("feed_forward").get<int>()};
    model.target_length = document.value("target_length", 0);
    check(a, place);
    check_lengths(model, place);
    model.layer_edits = layer_edits_from_json(list_of(document, "layer_edits"), layer_count(a), place + "/layer_edits");
    return model;
}

ordered_json model_to_json(const Model& model)
{
    const Architecture& a = model.architecture;
    ordered_json document;
    document["name"] = a.name;
    document["family"] = name_of(a.family);
    document["hidden"] = a.hidden;
    document["blocks"] = a.blocks;
    document["heads"] = a.heads;
    document["key_value_heads"] = a.key_value_heads;
    document["head_dim"] = a.head_dim;
    document["feed_forward"] = a.feed_forward;
    document["vocabulary"] = a.vocabulary;
    document["positions"] = a.positions;
    document["token_types"] = a.token_types;
    document["tied_embeddings"] = a.tied_embeddings;
    document["attention_bias"] = a.attention_bias;
    // Parts that few families have are written where they are there.
    const auto part = [&](const char* key, int value) {
        if (value != 0)
            document[key] = value;
    };
    part("experts", a.experts);
    part("experts_per_token", a.experts_per_token);
    part("decoder_blocks", a.decoder_blocks);
    if (a.gated_feed_forward)
        document["gated_feed_forward"] = true;
    part("image_size", a.image_size);
    part("patch_size", a.patch_size);
    part("image_channels", a.image_channels);
    if (a.image_tower != Tower{}) {
        ordered_json tower;
        tower["hidden"] = a.image_tower.hidden;
        tower["blocks"] = a.image_tower.blocks;
        tower["heads"] = a.image_tower.heads;
        tower["feed_forward"] = a.image_tower.feed_forward;
        document["image_tower"] = std::move(tower);
    }
    part("projection", a.projection);
    document["sequence_length"] = model.sequence_length;
    part("target_length", model.target_length);
    if (!model.layer_edits.empty())
        document["layer_edits"] = layer_edits_to_json(model.layer_edits);
    return document;
}

SpeedCurve curve_from_json(const json& list)
{
    SpeedCurve curve;
    for (const json& point : list)
        curve.push_back({point.at("bytes").get<double>(), point.at("bytes_per_s").get<double>()});
    return curve;
}

ordered_json curve_to_json(const SpeedCurve& curve)
{
    ordered_json list = ordered_json::array();
    for (const SpeedPoint& point : curve)
        list.push_back(ordered_json{{"bytes", json_number(point.bytes)}, {"bytes_per_s", json_number(point.bytes_per_s)}});
    return list;
}

Node node_from_json(const json& document)
{
    Node node;
    node.id = document.at("id").get<std::string>();
    node.name = document.value("name", std::string());
    node.interconnect = document.value("interconnect", node.interconnect);
    node.interconnect_bytes_per_s = document.value("interconnect_bytes_per_s", node.interconnect_bytes_per_s);
    node.interconnect_latency_s = document.value("interconnect_latency_s", node.interconnect_latency_s);
    node.interconnect_speed = curve_from_json(list_of(document, "interconnect_speed"));
    node.host_bytes_per_s = document.value("host_bytes_per_s", node.host_bytes_per_s);
    node.host_latency_s = document.value("host_latency_s", node.host_latency_s);
    return node;
}

ordered_json node_to_json(const Node& node)
{
    ordered_json document;
    document["id"] = node.id;
    document["name"] = node.name;
    document["interconnect"] = node.interconnect;
    document["interconnect_bytes_per_s"] = json_number(node.interconnect_bytes_per_s);
    document["interconnect_latency_s"] = json_number(node.interconnect_latency_s);
    if (!node.interconnect_speed.empty())
        document["interconnect_speed"] = curve_to_json(node.interconnect_speed);
    document["host_bytes_per_s"] = json_number(node.host_bytes_per_s);
    document["host_latency_s"] = json_number(node.host_latency_s);
    return document;
}

Device device_from_json(const json& document)
{
    Device device;
    device.id = document.at("id").get<std::string>();
    device.name = document.value("name", std::string());
    device.node = optional_value<std::string>(document, "node").value_or(std::string());
    DeviceSpec& spec = device.spec;
    spec.type = document.value("type", std::string());
    spec.memory_bytes = document.at("memory_bytes").get<double>();
    spec.memory_bandwidth_bytes_per_s = document.at("memory_bandwidth_bytes_per_s").get<double>();
    for (const auto& [precision, peak] : document.at("peak_flop_per_s").items())
        if (peak.is_number())
            spec.peak_flop_per_s[precision] = peak.get<double>();
    spec.achieved_fraction = document.value("achieved_fraction", spec.achieved_fraction);
    if (const auto own = document.find("achieved_by_operation"); own != document.end())
        for (const auto& [operation, fraction] : own->items())
            spec.achieved_by_operation[operation_from_name(operation)] = fraction.get<double>();
    spec.calibrated = document.value("calibrated", false);
    spec.achieved_memory_fraction = document.value("achieved_memory_fraction", spec.achieved_memory_fraction);
    spec.price_dollars_per_h = optional_value<double>(document, "price_dollars_per_h");
    spec.power_w = optional_value<double>(document, "power_w");
    device.speed_factor = document.value("speed_factor", 1.0);
    return device;
}

ordered_json device_to_json(const Device& device)
{
    const DeviceSpec& spec = device.spec;
    ordered_json document;
    document["id"] = device.id;
    document["name"] = device.name;
    document["node"] = device.node.empty() ? ordered_json(nullptr) : ordered_json(device.node);
    document["type"] = spec.type;
    document["memory_bytes"] = json_number(spec.memory_bytes);
    document["memory_bandwidth_bytes_per_s"] = json_number(spec.memory_bandwidth_bytes_per_s);
    ordered_json peaks = ordered_json::object();
    for (const char* precision : precisions)
        peaks[precision] = nullptr;
    for (const auto& [precision, peak] : spec.peak_flop_per_s)
        peaks[precision] = json_number(peak);
    document["peak_flop_per_s"] = std::move(peaks);
    document["achieved_fraction"] = json_number(spec.achieved_fraction);
    if (!spec.achieved_by_operation.empty()) {
        ordered_json own = ordered_json::object();
        for (const auto& [operation, fraction] : spec.achieved_by_operation)
            own[std::string(name_of(operation))] = json_number(fraction);
        document["achieved_by_operation"] = std::move(own);
    }
    if (spec.calibrated)
        document["calibrated"] = true;
    document["achieved_memory_fraction"] = json_number(spec.achieved_memory_fraction);
    document["price_dollars_per_h"] = optional_number(spec.price_dollars_per_h);
    document["power_w"] = optional_number(spec.power_w);
    document["speed_factor"] = json_number(device.speed_factor);
    return document;
}

Link link_from_json(const json& document)
{
    Link link;
    link.id = document.at("id").get<std::string>();
    link.name = document.value("name", std::string());
    link.type = document.value("type", std::string());
    link.from = document.at("from").get<std::string>();
    link.to = document.at("to").get<std::string>();
    link.bandwidth_bytes_per_s = document.at("bandwidth_bytes_per_s").get<double>();
    link.achieved_fraction = document.value("achieved_fraction", link.achieved_fraction);
    link.latency_s = document.value("latency_s", 0.0);
    link.speed = curve_from_json(list_of(document, "speed"));
    return link;
}

ordered_json link_to_json(const Link& link)
{
    ordered_json document;
    document["id"] = link.id;
    document["name"] = link.name;
    document["type"] = link.type;
    document["from"] = link.from;
    document["to"] = link.to;
    document["bandwidth_bytes_per_s"] = json_number(link.bandwidth_bytes_per_s);
    document["achieved_fraction"] = json_number(link.achieved_fraction);
    document["latency_s"] = json_number(link.latency_s);
    if (!link.speed.empty())
        document["speed"] = curve_to_json(link.speed);
    return document;
}

Cluster cluster_from_json(const json& document, const std::string& place)
{
    Cluster cluster;
    for (const json& node : list_of(document, "nodes"))
        cluster.nodes.push_back(node_from_json(node));
    for (const json& device : list_of(document, "devices"))
        cluster.devices.push_back(device_from_json(device));
    for (const json& item : list_of(document, "switches"))
        cluster.switches.push_back(
            {item.at("id").get<std::string>(), item.value("name", std::string()), item.value("latency_s", 0.0)});
    for (const json& link : list_of(document, "links"))
        cluster.links.push_back(link_from_json(link));
    check(cluster, place);
    return cluster;
}

ordered_json cluster_to_json(const Cluster& cluster)
{
    ordered_json document;
    for (const char* key : {"nodes", "devices", "switches", "links"})
        document[key] = ordered_json::array();
    for (const Node& node : cluster.nodes)
        document["nodes"].push_back(node_to_json(node));
    for (const Device& device : cluster.devices)
        document["devices"].push_back(device_to_json(device));
    for (const Switch& item : cluster.switches)
        document["switches"].push_back(
            ordered_json{{"id", item.id}, {"name", item.name}, {"latency_s", json_number(item.latency_s)}});
    for (const Link& link : cluster.links)
        document["links"].push_back(link_to_json(link));
    return document;
}

Job job_from_json(const json& document, const std::string& place, const Project& project)
{
    Job job;
    job.global_batch = document.value("global_batch", job.global_batch);
    job.micro_batch = optional_value<int>(document, "micro_batch");
    job.precision = document.value("precision", job.precision);
    job.optimizer = document.value("optimizer", job.optimizer);
    job.flash_attention = document.value("flash_attention", job.flash_attention);
    if (document.contains("recompute")) {
        const auto name = optional_value<std::string>(document, "recompute");
        job.recompute = name ? std::optional(recompute_from_name(*name, place + ": /job/recompute")) : std::nullopt;
    }
    if (document.contains("tensor_parallel"))
        job.tensor_parallel = optional_value<int>(document, "tensor_parallel");
    job.blocking_transfers = document.value("blocking_transfers", false);
    job.sequence_parallel = document.value("sequence_parallel", false);
    job.expert_parallel = document.value("expert_parallel", false);
    job.zero_stage = document.value("zero_stage", 0);
    if (document.contains("schedule")) {
        const auto name = optional_value<std::string>(document, "schedule");
        job.schedule = name ? std::optional(schedule_from_name(*name, place + ": /job/schedule")) : std::nullopt;
    }
    job.stages = optional_value<int>(document, "stages");
    if (document.contains("objective"))
        job.objective = objective_from_name(document.at("objective").get<std::string>(), place + ": /job/objective");
    job.fixed_step_s = document.value("fixed_step_s", 0.0);
    std::vector<std::string> devices;
    for (const Device& device : project.cluster.devices)
        devices.push_back(device.id);
    const int layers = layer_count(project.model.architecture);
    job.locks =
        locks_from_json(list_of(document, "locks"), place, "/job/locks", devices, layers, job.stages.value_or(0));
    return job;
}

ordered_json job_to_json(const Job& job)
{
    ordered_json document;
    document["global_batch"] = job.global_batch;
    document["micro_batch"] = job.micro_batch ? ordered_json(*job.micro_batch) : ordered_json(nullptr);
    document["precision"] = job.precision;
    document["optimizer"] = job.optimizer;
    document["flash_attention"] = job.flash_attention;
    document["recompute"] = job.recompute ? ordered_json(name_of(*job.recompute)) : ordered_json(nullptr);
    // Parallelism inside a stage is written where it is used.
    if (job.tensor_parallel != 1)
        document["tensor_parallel"] = job.tensor_parallel ? ordered_json(*job.tensor_parallel) : ordered_json(nullptr);
    if (job.blocking_transfers)
        document["blocking_transfers"] = true;
    if (job.sequence_parallel)
        document["sequence_parallel"] = true;
    if (job.expert_parallel)
        document["expert_parallel"] = true;
    if (job.zero_stage != 0)
        document["zero_stage"] = job.zero_stage;
    document["schedule"] = job.schedule ? ordered_json(name_of(*job.schedule)) : ordered_json(nullptr);
    document["stages"] = job.stages ? ordered_json(*job.stages) : ordered_json(nullptr);
    document["objective"] = name_of(job.objective);
    document["fixed_step_s"] = json_number(job.fixed_step_s);
    document["locks"] = locks_to_json(job.locks);
    return document;
}

}  // namespace

Project read_project(std::string_view text, const std::string& place, std::vector<std::string>* warnings)
{
    const json document = parse_json(text, place);
    check_format(document, "nnpiper-project", place);
    check_schema(document, "project", place);

    Project project;
    project.name = document.value("name", std::string());
    project.description = document.value("description", std::string());
    project.assumptions = document.value("assumptions", std::vector<std::string>());
    project.model = model_from_json(document.at("model"), place + ": /model");
    project.cluster = cluster_from_json(document.at("cluster"), place + ": /cluster");
    project.job = job_from_json(document.value("job", json::object()), place, project);
    project.profile = profile_from_json(list_of(document, "profile"));
    check(project.profile, place + ": /profile");
    if (const auto layout = document.find("layout"); layout != document.end())
        for (const auto& [id, item] : layout->items())
            project.layout[id] = {item.at("x").get<double>(), item.at("y").get<double>(), item.value("width", 0.0),
                                  item.value("height", 0.0)};
    const json& plans = list_of(document, "plans");
    for (std::size_t i = 0; i < plans.size(); ++i)
        project.plans.push_back(plan_from_json(plans[i], place, pointer_to("/plans", i), nullptr));

    if (warnings) {
        for (std::string& sentence : unknown_fields(document, "project"))
            warnings->push_back(std::move(sentence));
        for (std::size_t i = 0; i < plans.size(); ++i)
            for (std::string& sentence : unknown_fields(plans[i], "plan", pointer_to("/plans", i)))
                warnings->push_back(std::move(sentence));
    }
    return project;
}

std::string write_project(const Project& project)
{
    ordered_json document;
    document["format"] = "nnpiper-project";
    document["version"] = 1;
    document["name"] = project.name;
    document["description"] = project.description;
    document["assumptions"] = project.assumptions;
    document["model"] = model_to_json(project.model);
    document["cluster"] = cluster_to_json(project.cluster);
    document["job"] = job_to_json(project.job);
    if (!project.profile.empty())
        document["profile"] = profile_to_json(project.profile);
    ordered_json layout = ordered_json::object();
    for (const auto& [id, placement] : project.layout) {
        ordered_json item;
        item["x"] = json_number(placement.x);
        item["y"] = json_number(placement.y);
        if (placement.width != 0 || placement.height != 0) {
            item["width"] = json_number(placement.width);
            item["height"] = json_number(placement.height);
        }
        layout[id] = std::move(item);
    }
    document["layout"] = std::move(layout);
    ordered_json plans = ordered_json::array();
    for (const Plan& plan : project.plans)
        plans.push_back(plan_to_json(plan));
    document["plans"] = std::move(plans);
    return print_json(document);
}

}  // namespace nnpiper
