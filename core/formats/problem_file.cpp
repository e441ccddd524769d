// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/error.h"
#include "core/formats/files.h"
#include "core/formats/json_text.h"
#include "core/formats/plan_json.h"
#include "core/formats/schema_check.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace nnpiper {

using nlohmann::json;
using nlohmann::ordered_json;

namespace {

/// Printed figures carry six digits, so the parts may miss their sum by that much.
constexpr double sum_tolerance = 2e-5;

std::string layer_default_name(std::size_t layer)
{
    return "layer " + std::to_string(layer);
}

Matrix matrix_from_json(const json& rows, int row_count, int column_count, const std::string& place,
                        const std::string& row_words, const std::string& column_words)
{
    if (rows.size() != static_cast<std::size_t>(row_count))
        throw Error(place, "has " + std::to_string(rows.size()) + " rows",
                    std::to_string(row_count) + " are expected, one for each " + row_words);
    Matrix matrix(row_count, column_count);
    for (int r = 0; r < row_count; ++r) {
        const json& row = rows[static_cast<std::size_t>(r)];
        if (row.size() != static_cast<std::size_t>(column_count))
            throw Error(place + "/" + std::to_string(r), "has " + std::to_string(row.size()) + " numbers",
                        std::to_string(column_count) + " are expected, one for each " + column_words);
        for (int c = 0; c < column_count; ++c)
            matrix(r, c) = row[static_cast<std::size_t>(c)].get<double>();
    }
    return matrix;
}

ordered_json matrix_to_json(const Matrix& matrix)
{
    ordered_json rows = ordered_json::array();
    for (int r = 0; r < matrix.rows(); ++r) {
        ordered_json row = ordered_json::array();
        for (const double value : matrix.row(r))
            row.push_back(json_number(value));
        rows.push_back(std::move(row));
    }
    return rows;
}

Matrix device_matrix(const json& document, const char* key, int devices, const std::string& place)
{
    Matrix matrix = matrix_from_json(document.at(key), devices, devices, place + ": /" + key, "device", "device");
    for (int d = 0; d < devices; ++d)
        if (matrix(d, d) != 0)
            throw Error(place + ": /" + key + "/" + std::to_string(d) + "/" + std::to_string(d),
                        "is " + json_number(matrix(d, d)).dump(), "0 is expected on the diagonal");
    return matrix;
}

void read_layers(const json& layers, Problem& problem, Variant& variant, const std::string& place)
{
    std::size_t with_gradients = 0;
    for (std::size_t l = 0; l < layers.size(); ++l) {
        const json& layer = layers[l];
        problem.layer_names.push_back(layer.value("name", layer_default_name(l)));
        problem.state_bytes.push_back(layer.at("state_bytes").get<double>());
        variant.stored_bytes.push_back(layer.at("stored_activation_bytes").get<double>());
        variant.output_bytes.push_back(layer.at("output_bytes").get<double>());
        variant.transient_bytes.push_back(layer.value("transient_bytes", 0.0));
        variant.buffer_bytes.push_back(layer.value("buffer_bytes", 0.0));
        if (layer.contains("gradient_bytes")) {
            ++with_gradients;
            problem.gradient_bytes.push_back(layer.at("gradient_bytes").get<double>());
        }
    }
    if (with_gradients != 0 && with_gradients != layers.size()) {
        std::size_t l = 0;
        while (layers[l].contains("gradient_bytes"))
            ++l;
        throw Error(place + ": /layers/" + std::to_string(l) + "/gradient_bytes", "missing",
                    "every layer or none has it");
    }
}

void read_devices(const json& devices, Problem& problem, const std::string& place)
{
    std::map<std::string, std::size_t> seen;
    for (std::size_t d = 0; d < devices.size(); ++d) {
        const json& device = devices[d];
        const auto id = device.at("id").get<std::string>();
        const auto [first, fresh] = seen.emplace(id, d);
        if (!fresh)
            throw Error(place + ": /devices/" + std::to_string(d) + "/id",
                        "the id \"" + id + "\" already stands at /devices/" + std::to_string(first->second),
                        "every device has an id of its own");
        problem.device_ids.push_back(id);
        problem.device_memory_bytes.push_back(device.at("memory_bytes").get<double>());
        problem.device_types.push_back(device.value("type", std::string()));
        problem.device_nodes.push_back(device.value("node", std::string()));
        const auto price = device.find("price_dollars_per_h");
        problem.device_price_per_h.push_back(price != device.end() && price->is_number()
                                                 ? price->get<double>()
                                                 : std::numeric_limits<double>::quiet_NaN());
    }
}

void check_sum(const json& document, const Variant& variant, int layers, int devices, const std::string& place)
{
    const Matrix whole =
        matrix_from_json(document.at("backward_s"), layers, devices, place + ": /backward_s", "layer", "device");
    for (int l = 0; l < layers; ++l)
        for (int d = 0; d < devices; ++d) {
            const double sum = variant.backward_input_s(l, d) + variant.backward_weight_s(l, d);
            if (std::abs(whole(l, d) - sum) > sum_tolerance * std::max(whole(l, d), sum))
                throw Error(place + ": /backward_s/" + std::to_string(l) + "/" + std::to_string(d),
                            "is " + json_number(whole(l, d)).dump(),
                            json_number(sum).dump() + " is expected, backward_input_s plus backward_weight_s");
        }
}

void read_times(const json& document, Variant& variant, int layers, int devices, const std::string& place)
{
    const auto times = [&](const char* key) {
        return matrix_from_json(document.at(key), layers, devices, place + ": /" + key, "layer", "device");
    };
    variant.forward_s = times("forward_s");
    const bool input = document.contains("backward_input_s");
    const bool weight = document.contains("backward_weight_s");
    const bool whole = document.contains("backward_s");
    if (input != weight)
        throw Error(place + (input ? ": /backward_weight_s" : ": /backward_input_s"), "missing",
                    "backward_input_s and backward_weight_s come together");
    if (!input && !whole)
        throw Error(place + ": /backward_s", "missing", "it, or backward_input_s and backward_weight_s, is needed");
    if (input) {
        variant.backward_input_s = times("backward_input_s");
        variant.backward_weight_s = times("backward_weight_s");
        if (whole)
            check_sum(document, variant, layers, devices, place);
        return;
    }
    variant.backward_split_assumed = true;
    variant.backward_input_s = times("backward_s");
    for (int l = 0; l < layers; ++l)
        for (int d = 0; d < devices; ++d)
            variant.backward_input_s(l, d) /= 2;
    variant.backward_weight_s = variant.backward_input_s;
}

std::optional<ScheduleKind> schedule_of(const json& document, const std::string& at)
{
    const auto it = document.find("schedule");
    if (it == document.end() || it->is_null())
        return std::nullopt;
    return schedule_from_name(it->get<std::string>(), at);
}

Plan best_known_from_json(const json& document, const Problem& problem, const std::string& place)
{
    const Variant& variant = problem.variants.front();
    Plan plan;
    plan.planner = "best-known";
    plan.makespan_s = document.at("makespan_s").get<double>();
    plan.feasible = document.value("feasible", true);
    plan.status = plan.feasible ? "ok" : "infeasible";
    plan.schedule = schedule_of(document, place + ": /best_known/schedule")
                        .value_or(problem.schedule.value_or(ScheduleKind::one_f_one_b));
    plan.micro_batches = variant.micro_batches;
    plan.stages = stages_from_json(document.at("stages"), place, "/best_known/stages", &problem, variant.recompute);
    if (plan.stages.back().end_layer != problem.layers())
        throw Error(place + ": /best_known/stages/" + std::to_string(plan.stages.size() - 1) + "/end_layer",
                    "is " + std::to_string(plan.stages.back().end_layer),
                    std::to_string(problem.layers()) + " is expected: the last stage ends with the last layer");
    return plan;
}

ordered_json best_known_to_json(const Plan& plan)
{
    ordered_json document;
    document["makespan_s"] = json_number(plan.makespan_s);
    document["feasible"] = plan.feasible;
    document["schedule"] = name_of(plan.schedule);
    document["stages"] = stages_to_json(plan.stages);
    return document;
}

bool any_positive(const std::vector<double>& values)
{
    return std::any_of(values.begin(), values.end(), [](double value) { return value > 0; });
}

ordered_json layers_to_json(const Problem& problem, const Variant& variant)
{
    const bool transient = any_positive(variant.transient_bytes);
    const bool buffers = any_positive(variant.buffer_bytes);
    ordered_json list = ordered_json::array();
    for (std::size_t l = 0; l < problem.layer_names.size(); ++l) {
        ordered_json layer;
        if (problem.layer_names[l] != layer_default_name(l))
            layer["name"] = problem.layer_names[l];
        layer["state_bytes"] = json_number(problem.state_bytes[l]);
        layer["stored_activation_bytes"] = json_number(variant.stored_bytes[l]);
        layer["output_bytes"] = json_number(variant.output_bytes[l]);
        if (!problem.gradient_bytes.empty())
            layer["gradient_bytes"] = json_number(problem.gradient_bytes[l]);
        if (transient)
            layer["transient_bytes"] = json_number(variant.transient_bytes[l]);
        if (buffers)
            layer["buffer_bytes"] = json_number(variant.buffer_bytes[l]);
        list.push_back(std::move(layer));
    }
    return list;
}

ordered_json devices_to_json(const Problem& problem)
{
    ordered_json list = ordered_json::array();
    for (std::size_t d = 0; d < problem.device_ids.size(); ++d) {
        ordered_json device;
        device["id"] = problem.device_ids[d];
        device["memory_bytes"] = json_number(problem.device_memory_bytes[d]);
        if (d < problem.device_types.size() && !problem.device_types[d].empty())
            device["type"] = problem.device_types[d];
        if (d < problem.device_nodes.size() && !problem.device_nodes[d].empty())
            device["node"] = problem.device_nodes[d];
        if (d < problem.device_price_per_h.size() && std::isfinite(problem.device_price_per_h[d]))
            device["price_dollars_per_h"] = json_number(problem.device_price_per_h[d]);
        list.push_back(std::move(device));
    }
    return list;
}

}  // namespace

Problem read_problem(std::string_view text, const std::string& place, std::vector<std::string>* warnings)
{
    const json document = parse_json(text, place);
    check_format(document, "nnpiper-problem", place);
    check_schema(document, "problem", place);

    Problem problem;
    problem.raw = true;
    problem.basis = CostBasis::given;
    problem.name = document.value("name", std::string());
    Variant variant;
    read_layers(document.at("layers"), problem, variant, place);
    read_devices(document.at("devices"), problem, place);
    const int layers = problem.layers();
    const int devices = problem.devices();
    read_times(document, variant, layers, devices, place);
    if (document.contains("optimizer_s"))
        problem.optimizer_s =
            matrix_from_json(document.at("optimizer_s"), layers, devices, place + ": /optimizer_s", "layer", "device");
    problem.bandwidth_bytes_per_s = device_matrix(document, "bandwidth_bytes_per_s", devices, place);
    problem.latency_s = device_matrix(document, "latency_s", devices, place);
    problem.fixed_step_s = document.value("fixed_step_s", 0.0);

    variant.micro_batches = document.at("micro_batches").get<int>();
    problem.samples_known = document.contains("micro_batch_samples");
    variant.micro_batch_samples = document.value("micro_batch_samples", 1);
    if (document.contains("recompute"))
        variant.recompute = recompute_from_name(document.at("recompute").get<std::string>(), place + ": /recompute");
    problem.variants.push_back(std::move(variant));

    if (const auto stages = document.find("stages"); stages != document.end() && !stages->is_null()) {
        const int most = std::min(layers, devices);
        problem.stages = stages->get<int>();
        if (*problem.stages > most)
            throw Error(place + ": /stages", "is " + std::to_string(*problem.stages),
                        "at most " + std::to_string(most) + " is allowed, a layer and a device for each stage");
    }
    problem.schedule = schedule_of(document, place + ": /schedule");
    if (document.contains("objective"))
        problem.objective = objective_from_name(document.at("objective").get<std::string>(), place + ": /objective");
    if (const auto locks = document.find("locks"); locks != document.end())
        problem.locks =
            locks_from_json(*locks, place, "/locks", problem.device_ids, layers, problem.stages.value_or(0));
    if (const auto best = document.find("best_known"); best != document.end())
        problem.best_known = best_known_from_json(*best, problem, place);

    if (warnings)
        for (std::string& sentence : unknown_fields(document, "problem"))
            warnings->push_back(std::move(sentence));
    return problem;
}

std::string write_problem(const Problem& problem)
{
    const Variant& variant = problem.variants.at(static_cast<std::size_t>(problem.default_variant));
    ordered_json document;
    document["format"] = "nnpiper-problem";
    document["version"] = 1;
    document["name"] = problem.name;
    document["micro_batches"] = variant.micro_batches;
    document["stages"] = problem.stages ? ordered_json(*problem.stages) : ordered_json(nullptr);
    document["schedule"] = problem.schedule ? ordered_json(name_of(*problem.schedule)) : ordered_json(nullptr);
    if (problem.objective != Objective::throughput)
        document["objective"] = name_of(problem.objective);
    if (variant.recompute != Recompute::none)
        document["recompute"] = name_of(variant.recompute);
    if (problem.samples_known)
        document["micro_batch_samples"] = variant.micro_batch_samples;
    if (problem.fixed_step_s > 0)
        document["fixed_step_s"] = json_number(problem.fixed_step_s);
    document["layers"] = layers_to_json(problem, variant);
    document["devices"] = devices_to_json(problem);
    document["forward_s"] = matrix_to_json(variant.forward_s);
    if (variant.backward_split_assumed) {
        Matrix whole = variant.backward_input_s;
        for (int l = 0; l < whole.rows(); ++l)
            for (int d = 0; d < whole.columns(); ++d)
                whole(l, d) += variant.backward_weight_s(l, d);
        document["backward_s"] = matrix_to_json(whole);
    } else {
        document["backward_input_s"] = matrix_to_json(variant.backward_input_s);
        document["backward_weight_s"] = matrix_to_json(variant.backward_weight_s);
    }
    if (!problem.optimizer_s.empty())
        document["optimizer_s"] = matrix_to_json(problem.optimizer_s);
    document["bandwidth_bytes_per_s"] = matrix_to_json(problem.bandwidth_bytes_per_s);
    document["latency_s"] = matrix_to_json(problem.latency_s);
    if (!problem.locks.empty())
        document["locks"] = locks_to_json(problem.locks);
    if (problem.best_known)
        document["best_known"] = best_known_to_json(*problem.best_known);
    return print_json(document);
}

}  // namespace nnpiper
