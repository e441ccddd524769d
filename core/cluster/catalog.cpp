// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cluster/catalog.h"

#include "core/base/error.h"
#include "core/base/resource.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace nnpiper {

namespace {

using nlohmann::json;

json read_catalog(const char* file)
{
    try {
        return json::parse(embedded_resource(file));
    } catch (const json::exception& fault) {
        throw Error(file, fault.what());
    }
}

std::optional<double> known(const json& value)
{
    return value.is_null() ? std::nullopt : std::optional<double>(value.get<double>());
}

DeviceEntry device_from(const json& item)
{
    DeviceEntry entry;
    entry.name = item.at("name").get<std::string>();
    entry.vendor = item.at("vendor").get<std::string>();
    entry.spec.type = entry.name;
    entry.spec.memory_bytes = item.at("memory_bytes").get<double>();
    entry.spec.memory_bandwidth_bytes_per_s = known(item.at("memory_bandwidth_bytes_per_s")).value_or(0);
    for (const auto& [precision, peak] : item.at("peak_flop_per_s").items()) {
        if (!peak.is_null())
            entry.spec.peak_flop_per_s[precision] = peak.get<double>();
    }
    entry.spec.achieved_fraction = item.at("achieved_fraction").get<double>();
    entry.spec.achieved_memory_fraction = item.at("achieved_memory_fraction").get<double>();
    entry.spec.price_dollars_per_h = known(item.at("price_dollars_per_h"));
    entry.spec.power_w = known(item.at("power_w"));
    entry.achieved_basis = item.at("achieved_basis").get<std::string>();
    entry.measured_matmul_flop_per_s = known(item.at("measured_matmul_flop_per_s"));
    entry.interconnect = item.at("interconnect").get<std::string>();
    entry.unconfirmed = item.at("unconfirmed").get<std::vector<std::string>>();
    entry.source = item.at("source").get<std::string>();
    entry.notes = item.at("notes").get<std::string>();
    return entry;
}

LinkEntry link_from(const json& item)
{
    LinkEntry entry;
    entry.name = item.at("name").get<std::string>();
    entry.group = item.at("group").get<std::string>();
    entry.nominal_bytes_per_s = known(item.at("nominal_bytes_per_s")).value_or(0);
    entry.effective_bytes_per_s = known(item.at("effective_bytes_per_s"));
    entry.latency_s = known(item.at("latency_s"));
    entry.basis = item.at("basis").get<std::string>();
    entry.source = item.at("source").get<std::string>();
    entry.status = item.at("status").get<std::string>();
    return entry;
}

template <class Entry, class Read>
std::vector<Entry> entries(const char* file, const char* list, const Read& read)
{
    const json document = read_catalog(file);
    try {
        std::vector<Entry> result;
        for (const json& item : document.at(list))
            result.push_back(read(item));
        return result;
    } catch (const json::exception& fault) {
        throw Error(file, fault.what());
    }
}

template <class Entry>
const Entry* find_entry(const std::vector<Entry>& all, std::string_view name)
{
    const auto found = std::find_if(all.begin(), all.end(), [&](const Entry& entry) { return entry.name == name; });
    return found == all.end() ? nullptr : &*found;
}

}  // namespace

const std::vector<DeviceEntry>& device_catalog()
{
    static const auto all = entries<DeviceEntry>("catalog/devices.json", "devices", device_from);
    return all;
}

const std::vector<LinkEntry>& link_catalog()
{
    static const auto all = entries<LinkEntry>("catalog/links.json", "links", link_from);
    return all;
}

const DeviceEntry* find_device_entry(std::string_view name)
{
    return find_entry(device_catalog(), name);
}

const LinkEntry* find_link_entry(std::string_view name)
{
    return find_entry(link_catalog(), name);
}

}  // namespace nnpiper
