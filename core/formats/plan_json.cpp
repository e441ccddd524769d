// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/plan_json.h"

#include "core/base/error.h"
#include "core/formats/files.h"
#include "core/formats/json_text.h"
#include "core/formats/schema_check.h"
#include "core/problem/pipeline.h"
#include "core/schedule/order_text.h"
#include "core/schedule/schedule.h"

#include <algorithm>
#include <map>

namespace nnpiper {

using nlohmann::json;
using nlohmann::ordered_json;

namespace {

ordered_json figure(double value)
{
    return value > 0 ? json_number(value) : ordered_json(nullptr);
}

double number_or_zero(const json& document, const char* key)
{
    const auto it = document.find(key);
    return it != document.end() && it->is_number() ? it->get<double>() : 0;
}

std::optional<int> optional_int(const json& document, const char* key)
{
    const auto it = document.find(key);
    if (it == document.end() || it->is_null())
        return std::nullopt;
    return it->get<int>();
}

std::string device_id(const json& value, const std::string& at, const Problem* problem)
{
    if (value.is_string())
        return value.get<std::string>();
    if (!problem)
        throw Error(at, "is the index " + value.dump() + " and there is no problem to look it up in",
                    "a device id is allowed");
    const auto index = value.get<std::size_t>();
    if (index >= problem->device_ids.size())
        throw Error(at, "is the index " + value.dump(),
                    "0 to " + std::to_string(problem->device_ids.size() - 1) + " or a device id is allowed");
    return problem->device_ids[index];
}

}  // namespace

namespace {

OpOrder order_from_json(const json& rows, const std::string& where)
{
    OpOrder order;
    for (std::size_t d = 0; d < rows.size(); ++d) {
        order.emplace_back();
        for (std::size_t i = 0; i < rows[d].size(); ++i) {
            for (const Op& op : ops_of_cell(rows[d][i].get<std::string>(), pointer_to(pointer_to(where, d), i)))
                order.back().push_back(op);
        }
    }
    return order;
}

ordered_json order_to_json(const OpOrder& order)
{
    ordered_json rows = ordered_json::array();
    for (const auto& ops : order)
        rows.push_back(order_cells(ops));
    return rows;
}

/// The field of a plan file that a fault of a shape is about.
std::string field_of(const std::string& place)
{
    if (place.starts_with("/"))
        return place;
    return place == "chunks"          ? "/chunks_per_device"
           : place == "launch counts" ? "/launch_counts"
           : place == "micro-batches" ? "/micro_batches"
                                      : "/" + place;
}

/// Stages, chunks and launch counts that the schedule can have.
void check_shape(const Plan& plan, const std::string& where)
{
    if (plan.stages.empty() || is_inference(plan.schedule))
        return;
    try {
        ScheduleShape shape;
        shape.kind = plan.schedule;
        const StageMap map = map_of(plan);
        shape.devices = map.devices;
        shape.chunks = map.chunks();
        shape.micro_batches = plan.micro_batches;
        shape.launch_counts = plan.launch_counts;
        check(shape);
    } catch (const Error& error) {
        throw Error(where + field_of(error.place()), error.found(), error.allowed());
    }
}

}  // namespace

ordered_json stages_to_json(const std::vector<Stage>& stages)
{
    ordered_json list = ordered_json::array();
    for (const Stage& stage : stages) {
        ordered_json item;
        item["devices"] = stage.devices;
        item["first_layer"] = stage.first_layer;
        item["end_layer"] = stage.end_layer;
        if (stage.tensor_parallel != 1)
            item["tensor_parallel"] = stage.tensor_parallel;
        if (!stage.shares.empty())
            item["shares"] = stage.shares;
        item["recompute"] = name_of(stage.recompute);
        list.push_back(std::move(item));
    }
    return list;
}

std::vector<Stage> stages_from_json(const json& list, const std::string& place, const std::string& pointer,
                                    const Problem* problem, Recompute recompute, bool chunks)
{
    std::vector<Stage> stages;
    std::map<std::string, std::string> seen;  // device id -> where
    for (std::size_t i = 0; i < list.size(); ++i) {
        const json& item = list[i];
        const std::string at = pointer_to(pointer, i);
        Stage stage;
        for (std::size_t j = 0; j < item.at("devices").size(); ++j) {
            const std::string device_pointer = pointer_to(at + "/devices", j);
            stage.devices.push_back(device_id(item.at("devices")[j], place + ": " + device_pointer, problem));
            if (problem && problem->device_index(stage.devices.back()) < 0)
                throw Error(place + ": " + device_pointer, "there is no device \"" + stage.devices.back() + "\"",
                            "an id of the problem's devices is allowed");
            const auto [first, fresh] = seen.emplace(stage.devices.back(), device_pointer);
            const bool same_stage = !fresh && first->second.starts_with(at + "/");
            if (!fresh && (!chunks || same_stage))
                throw Error(place + ": " + device_pointer,
                            "the device \"" + stage.devices.back() + "\" already stands at " + first->second,
                            "a device runs one stage");
        }
        stage.first_layer = item.at("first_layer").get<int>();
        stage.end_layer = item.at("end_layer").get<int>();
        stage.tensor_parallel = item.value("tensor_parallel", 1);
        stage.shares = item.value("shares", std::vector<int>());
        stage.recompute = item.contains("recompute") ? recompute_from_name(item.at("recompute").get<std::string>(),
                                                                           place + ": " + at + "/recompute")
                                                     : recompute;
        const int expected = stages.empty() ? 0 : stages.back().end_layer;
        if (stage.first_layer != expected)
            throw Error(place + ": " + at + "/first_layer", "is " + std::to_string(stage.first_layer),
                        std::to_string(expected) + " is expected, where the stage before ends");
        if (stage.end_layer <= stage.first_layer)
            throw Error(place + ": " + at + "/end_layer", "is " + std::to_string(stage.end_layer),
                        "a layer behind first_layer " + std::to_string(stage.first_layer) + " is allowed");
        if (problem && stage.end_layer > problem->layers())
            throw Error(place + ": " + at + "/end_layer", "is " + std::to_string(stage.end_layer),
                        "at most " + std::to_string(problem->layers()) + " is allowed, the number of layers");
        const std::size_t replicas = stage.devices.size() / static_cast<std::size_t>(std::max(1, stage.tensor_parallel));
        if (!stage.shares.empty() && stage.shares.size() != replicas)
            throw Error(place + ": " + at + "/shares", "has " + std::to_string(stage.shares.size()) + " entries",
                        "one for each of the " + std::to_string(replicas) + " "
                            + (stage.tensor_parallel > 1 ? "tensor-parallel groups" : "devices") + " is allowed");
        stages.push_back(std::move(stage));
    }
    return stages;
}

ordered_json plan_to_json(const Plan& plan)
{
    ordered_json document;
    document["format"] = "nnpiper-plan";
    document["version"] = 1;
    document["planner"] = plan.planner;
    document["feasible"] = plan.feasible;
    document["status"] = plan.status;
    if (!plan.reason.empty())
        document["reason"] = plan.reason;
    document["makespan_s"] = figure(plan.makespan_s);
    document["iteration_s"] = figure(plan.iteration_s);
    document["planning_time_ms"] = json_number(plan.planning_time_ms);
    document["throughput_samples_per_s"] = figure(plan.throughput_samples_per_s);
    document["bubble_fraction"] = plan.makespan_s > 0 ? json_number(plan.bubble_fraction) : ordered_json(nullptr);
    if (plan.bound_s)
        document["bound"] = json_number(*plan.bound_s);
    if (plan.proved_gap)
        document["proved_gap"] = json_number(*plan.proved_gap);
    if (!plan.detail.empty())
        document["detail"] = plan.detail;
    document["schedule"] = name_of(plan.schedule);
    document["micro_batches"] = plan.micro_batches;
    if (plan.chunks_per_device != 1)
        document["chunks_per_device"] = plan.chunks_per_device;
    document["stages"] = stages_to_json(plan.stages);
    if (!plan.launch_counts.empty())
        document["launch_counts"] = plan.launch_counts;
    if (!plan.order.empty())
        document["order"] = order_to_json(plan.order);
    return document;
}

Plan plan_from_json(const json& document, const std::string& place, const std::string& pointer, const Problem* problem)
{
    check_schema(document, "plan", place, pointer);
    const std::string where = place + ": " + pointer;
    const Variant* variant =
        problem ? &problem->variants.at(static_cast<std::size_t>(problem->default_variant)) : nullptr;
    Plan plan;
    plan.planner = document.value("planner", std::string());
    plan.feasible = document.value("feasible", false);
    plan.status = document.value("status", std::string("ok"));
    plan.reason = document.value("reason", std::string());
    plan.makespan_s = number_or_zero(document, "makespan_s");
    plan.iteration_s = number_or_zero(document, "iteration_s");
    plan.planning_time_ms = number_or_zero(document, "planning_time_ms");
    plan.throughput_samples_per_s = number_or_zero(document, "throughput_samples_per_s");
    plan.bubble_fraction = number_or_zero(document, "bubble_fraction");
    if (const auto bound = document.find("bound"); bound != document.end() && bound->is_number())
        plan.bound_s = bound->get<double>();
    if (const auto gap = document.find("proved_gap"); gap != document.end() && gap->is_number())
        plan.proved_gap = gap->get<double>();
    plan.detail = document.value("detail", std::string());
    if (document.contains("schedule"))
        plan.schedule = schedule_from_name(document.at("schedule").get<std::string>(), where + "/schedule");
    else if (problem && problem->schedule)
        plan.schedule = *problem->schedule;
    if (document.contains("micro_batches"))
        plan.micro_batches = document.at("micro_batches").get<int>();
    else if (variant)
        plan.micro_batches = variant->micro_batches;
    else
        throw Error(where + "/micro_batches", "missing", "a whole number of at least 1 is needed");
    plan.chunks_per_device = document.value("chunks_per_device", 1);
    plan.launch_counts = document.value("launch_counts", std::vector<int>());
    if (const auto order = document.find("order"); order != document.end())
        plan.order = order_from_json(*order, where + "/order");
    if (document.contains("order") != (plan.schedule == ScheduleKind::custom))
        throw Error(where + "/order", document.contains("order") ? "is given" : "missing",
                    plan.schedule == ScheduleKind::custom ? "a custom schedule needs the op list of every device group"
                                       : "leave it out: " + std::string(name_of(plan.schedule))
                                             + " has an order of its own");
    plan.stages = stages_from_json(document.at("stages"), place, pointer + "/stages", problem,
                                   variant ? variant->recompute : Recompute::none, plan.chunks_per_device > 1);
    check_shape(plan, where);
    if (plan.stages.empty() && plan.status != "skipped")
        throw Error(where + "/stages", "is an empty list",
                    "a list of at least 1 is allowed unless \"status\" is \"skipped\"");
    if (problem && !plan.stages.empty() && plan.stages.back().end_layer != problem->layers())
        throw Error(where + "/stages/" + std::to_string(plan.stages.size() - 1) + "/end_layer",
                    "is " + std::to_string(plan.stages.back().end_layer),
                    std::to_string(problem->layers()) + " is expected: the last stage ends with the last layer");
    return plan;
}

ordered_json locks_to_json(const std::vector<Lock>& locks)
{
    ordered_json list = ordered_json::array();
    for (const Lock& lock : locks) {
        ordered_json item;
        item["devices"] = lock.devices;
        if (lock.stage)
            item["stage"] = *lock.stage;
        if (lock.first_layer)
            item["first_layer"] = *lock.first_layer;
        if (lock.end_layer)
            item["end_layer"] = *lock.end_layer;
        if (lock.idle)
            item["idle"] = true;
        list.push_back(std::move(item));
    }
    return list;
}

std::vector<Lock> locks_from_json(const json& list, const std::string& place, const std::string& pointer,
                                  const std::vector<std::string>& devices, int layers, int stages)
{
    std::vector<Lock> locks;
    for (std::size_t i = 0; i < list.size(); ++i) {
        const json& item = list[i];
        const std::string at = place + ": " + pointer_to(pointer, i);
        Lock lock;
        lock.devices = item.at("devices").get<std::vector<std::string>>();
        for (std::size_t j = 0; j < lock.devices.size(); ++j)
            if (std::find(devices.begin(), devices.end(), lock.devices[j]) == devices.end())
                throw Error(at + "/devices/" + std::to_string(j), "there is no device \"" + lock.devices[j] + "\"",
                            "an id of the devices is allowed");
        lock.stage = optional_int(item, "stage");
        lock.first_layer = optional_int(item, "first_layer");
        lock.end_layer = optional_int(item, "end_layer");
        lock.idle = item.value("idle", false);
        if (lock.stage && stages > 0 && *lock.stage >= stages)
            throw Error(at + "/stage", "is " + std::to_string(*lock.stage),
                        "0 to " + std::to_string(stages - 1) + " is allowed");
        if (layers > 0) {
            if (lock.first_layer && *lock.first_layer >= layers)
                throw Error(at + "/first_layer", "is " + std::to_string(*lock.first_layer),
                            "0 to " + std::to_string(layers - 1) + " is allowed");
            if (lock.end_layer && *lock.end_layer > layers)
                throw Error(at + "/end_layer", "is " + std::to_string(*lock.end_layer),
                            "1 to " + std::to_string(layers) + " is allowed");
        }
        if (lock.first_layer && lock.end_layer && *lock.end_layer <= *lock.first_layer)
            throw Error(at + "/end_layer", "is " + std::to_string(*lock.end_layer),
                        "a layer behind first_layer " + std::to_string(*lock.first_layer) + " is allowed");
        if (lock.idle && (lock.stage || lock.first_layer || lock.end_layer))
            throw Error(at + "/idle", "is true beside a stage or layers", "one or the other is allowed");
        locks.push_back(std::move(lock));
    }
    return locks;
}

Plan read_plan(std::string_view text, const std::string& place, const Problem* problem,
               std::vector<std::string>* warnings)
{
    const json document = parse_json(text, place);
    check_format(document, "nnpiper-plan", place);
    Plan plan = plan_from_json(document, place, {}, problem);
    if (warnings) {
        for (std::string& sentence : unknown_fields(document, "plan"))
            warnings->push_back(std::move(sentence));
        if (document.contains("boundary_precision"))
            warnings->push_back("/boundary_precision is not used: boundaries carry the precision of the job");
    }
    return plan;
}

std::string write_plan(const Plan& plan)
{
    return print_json(plan_to_json(plan));
}

std::string write_plans(const std::vector<Plan>& plans)
{
    ordered_json list = ordered_json::array();
    for (const Plan& plan : plans)
        list.push_back(plan_to_json(plan));
    ordered_json document;
    document["plans"] = std::move(list);
    return print_json(document);
}

}  // namespace nnpiper
