// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/error.h"
#include "core/formats/cluster_json.h"
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

template <class T>
std::optional<T> optional_value(const json& document, const char* key)
{
    const auto it = document.find(key);
    if (it == document.end() || it->is_null())
        return std::nullopt;
    return it->get<T>();
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
    project.device_types = device_types_from_json(list_of(document, "device_types"), place + ": /device_types");
    project.containers =
        containers_from_json(list_of(document, "containers"), project.cluster, place + ": /containers");
    project.job = job_from_json(document.value("job", json::object()), place, project);
    project.profile = profile_from_json(list_of(document, "profile"));
    check(project.profile, place + ": /profile");
    if (const auto layout = document.find("layout"); layout != document.end())
        for (const auto& [id, item] : layout->items())
            project.layout[id] = {item.at("x").get<double>(), item.at("y").get<double>(), item.value("width", 0.0),
                                  item.value("height", 0.0), item.value("collapsed", false)};
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
    if (!project.device_types.empty())
        document["device_types"] = device_types_to_json(project.device_types);
    if (!project.containers.empty())
        document["containers"] = containers_to_json(project.containers);
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
        if (placement.collapsed)
            item["collapsed"] = true;
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
