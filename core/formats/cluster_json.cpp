// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/cluster_json.h"

#include "core/cluster/device_types.h"
#include "core/formats/json_text.h"

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

DeviceSpec spec_from_json(const json& document)
{
    DeviceSpec spec;
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
    return spec;
}

void spec_to_json(const DeviceSpec& spec, ordered_json& document)
{
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
}

Device device_from_json(const json& document)
{
    Device device;
    device.id = document.at("id").get<std::string>();
    device.name = document.value("name", std::string());
    device.node = optional_value<std::string>(document, "node").value_or(std::string());
    device.spec = spec_from_json(document);
    device.speed_factor = document.value("speed_factor", 1.0);
    return device;
}

ordered_json device_to_json(const Device& device)
{
    ordered_json document;
    document["id"] = device.id;
    document["name"] = device.name;
    document["node"] = device.node.empty() ? ordered_json(nullptr) : ordered_json(device.node);
    spec_to_json(device.spec, document);
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

Container container_from_json(const json& document, const std::string& place)
{
    Container container;
    container.id = document.at("id").get<std::string>();
    container.name = document.value("name", std::string());
    container.kind = container_kind_from_name(document.at("kind").get<std::string>(), place + "/kind");
    container.members = document.value("members", std::vector<std::string>());
    container.device_type = document.value("device_type", std::string());
    container.link_type = document.value("link_type", std::string());
    container.link_bandwidth_bytes_per_s = optional_value<double>(document, "link_bandwidth_bytes_per_s");
    container.link_latency_s = optional_value<double>(document, "link_latency_s");
    return container;
}

ordered_json container_to_json(const Container& container)
{
    ordered_json document;
    document["id"] = container.id;
    document["name"] = container.name;
    document["kind"] = name_of(container.kind);
    document["members"] = container.members;
    if (!container.device_type.empty())
        document["device_type"] = container.device_type;
    if (!container.link_type.empty())
        document["link_type"] = container.link_type;
    if (container.link_bandwidth_bytes_per_s)
        document["link_bandwidth_bytes_per_s"] = json_number(*container.link_bandwidth_bytes_per_s);
    if (container.link_latency_s)
        document["link_latency_s"] = json_number(*container.link_latency_s);
    return document;
}

}  // namespace

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

std::vector<DeviceSpec> device_types_from_json(const json& list, const std::string& place)
{
    std::vector<DeviceSpec> types;
    for (const json& type : list)
        types.push_back(spec_from_json(type));
    check(types, place);
    return types;
}

ordered_json device_types_to_json(const std::vector<DeviceSpec>& types)
{
    ordered_json list = ordered_json::array();
    for (const DeviceSpec& type : types) {
        ordered_json document;
        spec_to_json(type, document);
        list.push_back(std::move(document));
    }
    return list;
}

std::vector<Container> containers_from_json(const json& list, const Cluster& cluster, const std::string& place)
{
    std::vector<Container> containers;
    for (std::size_t i = 0; i < list.size(); ++i)
        containers.push_back(container_from_json(list[i], place + "/" + std::to_string(i)));
    check(containers, cluster, place);
    return containers;
}

ordered_json containers_to_json(const std::vector<Container>& containers)
{
    ordered_json list = ordered_json::array();
    for (const Container& container : containers)
        list.push_back(container_to_json(container));
    return list;
}

}  // namespace nnpiper
