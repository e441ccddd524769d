// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cluster/cluster.h"

#include "core/base/error.h"
#include "core/cluster/device_types.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>

namespace nnpiper {

namespace {

constexpr std::array<std::string_view, 5> precisions = {"fp32", "tf32", "fp16", "bf16", "fp8"};

std::string number(double value)
{
    std::array<char, 32> buffer{};
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
    return std::string(buffer.data(), end.ptr);
}

void require(bool good, const std::string& place, double value, const char* allowed)
{
    if (!good)
        throw Error(place, number(value) + " is not possible", allowed);
}

void positive(double value, const std::string& place)
{
    require(std::isfinite(value) && value > 0, place, value, "a number above 0 is expected");
}

void not_negative(double value, const std::string& place)
{
    require(std::isfinite(value) && value >= 0, place, value, "0 or a number above it is expected");
}

void share(double value, const std::string& place)
{
    require(std::isfinite(value) && value > 0 && value <= 1, place, value,
            "a fraction above 0 and up to 1 is expected");
}

void check_curve(const SpeedCurve& curve, const std::string& place)
{
    for (std::size_t i = 0; i < curve.size(); ++i) {
        const std::string here = place + "/" + std::to_string(i);
        positive(curve[i].bytes, here + "/bytes");
        positive(curve[i].bytes_per_s, here + "/bytes_per_s");
        if (i > 0 && curve[i].bytes <= curve[i - 1].bytes)
            throw Error(here + "/bytes", number(curve[i].bytes) + " follows " + number(curve[i - 1].bytes),
                        "the sizes must ascend");
    }
}

/// All ids share one space, because links, locks and the layout name elements by id alone.
class Ids {
public:
    void add(const std::string& id, const std::string& element)
    {
        if (id.empty())
            throw Error(element + "/id", "the id is empty", "a text that no other element has is expected");
        const auto [known, added] = where_.emplace(id, element);
        if (!added)
            throw Error(element + "/id", "\"" + id + "\" is also the id of " + known->second, "ids must differ");
    }

private:
    std::map<std::string, std::string> where_;
};

std::string at(const std::string& place, const char* list, std::size_t index)
{
    return place + "/" + list + "/" + std::to_string(index);
}

template <class T>
const T* find_in(const std::vector<T>& items, std::string_view id)
{
    const auto found = std::find_if(items.begin(), items.end(), [&](const T& item) { return item.id == id; });
    return found == items.end() ? nullptr : &*found;
}

void check_end(const Cluster& cluster, const std::string& id, const std::string& place)
{
    if (find_device(cluster, id) || find_node(cluster, id) || find_switch(cluster, id))
        return;
    if (find_link(cluster, id))
        throw Error(place, "\"" + id + "\" is a link", "the id of a device, node or switch is expected");
    throw Error(place, "\"" + id + "\" does not exist",
                "the id of a device, node or switch of this cluster is expected");
}

constexpr std::array<std::string_view, operation_count> operations = {"matrix", "attention", "expert", "head"};

}  // namespace

void check(const DeviceSpec& spec, const std::string& place)
{
    positive(spec.memory_bytes, place + "/memory_bytes");
    not_negative(spec.memory_bandwidth_bytes_per_s, place + "/memory_bandwidth_bytes_per_s");
    for (const auto& [precision, peak] : spec.peak_flop_per_s) {
        const std::string pointer = place + "/peak_flop_per_s/" + precision;
        if (std::find(precisions.begin(), precisions.end(), precision) == precisions.end())
            throw Error(pointer, "\"" + precision + "\" is not a precision", "known are fp32, tf32, fp16, bf16, fp8");
        positive(peak, pointer);
    }
    share(spec.achieved_fraction, place + "/achieved_fraction");
    for (const auto& [operation, fraction] : spec.achieved_by_operation)
        share(fraction, place + "/achieved_by_operation/" + std::string(name_of(operation)));
    share(spec.achieved_memory_fraction, place + "/achieved_memory_fraction");
    if (spec.price_dollars_per_h)
        not_negative(*spec.price_dollars_per_h, place + "/price_dollars_per_h");
    if (spec.power_w)
        not_negative(*spec.power_w, place + "/power_w");
}

std::string_view name_of(Operation operation)
{
    return operations[static_cast<std::size_t>(operation)];
}

Operation operation_from_name(std::string_view name, const std::string& place)
{
    const auto found = std::find(operations.begin(), operations.end(), name);
    if (found == operations.end())
        throw Error(place, "\"" + std::string(name) + "\" is no kind of operation",
                    "known are matrix, attention, expert, head");
    return static_cast<Operation>(found - operations.begin());
}

double achieved_fraction(const DeviceSpec& spec, Operation operation)
{
    const auto own = spec.achieved_by_operation.find(operation);
    return own == spec.achieved_by_operation.end() ? spec.achieved_fraction : own->second;
}

double speed_at(const SpeedCurve& curve, double bytes)
{
    if (curve.empty())
        return std::numeric_limits<double>::infinity();
    const auto above = std::find_if(curve.begin(), curve.end(), [&](const SpeedPoint& p) { return p.bytes >= bytes; });
    if (above == curve.begin())
        return above->bytes_per_s;
    if (above == curve.end())
        return curve.back().bytes_per_s;
    const auto below = std::prev(above);
    const double part = std::log(bytes / below->bytes) / std::log(above->bytes / below->bytes);
    return below->bytes_per_s + part * (above->bytes_per_s - below->bytes_per_s);
}

double top_speed(const SpeedCurve& curve)
{
    const auto slower = [](const SpeedPoint& a, const SpeedPoint& b) { return a.bytes_per_s < b.bytes_per_s; };
    const auto top = std::max_element(curve.begin(), curve.end(), slower);
    return top == curve.end() ? std::numeric_limits<double>::infinity() : top->bytes_per_s;
}

void check(const Cluster& cluster, const std::string& place)
{
    Ids ids;
    for (std::size_t i = 0; i < cluster.nodes.size(); ++i) {
        const Node& node = cluster.nodes[i];
        const std::string here = at(place, "nodes", i);
        ids.add(node.id, here);
        positive(node.interconnect_bytes_per_s, here + "/interconnect_bytes_per_s");
        not_negative(node.interconnect_latency_s, here + "/interconnect_latency_s");
        check_curve(node.interconnect_speed, here + "/interconnect_speed");
        positive(node.host_bytes_per_s, here + "/host_bytes_per_s");
        not_negative(node.host_latency_s, here + "/host_latency_s");
    }
    for (std::size_t i = 0; i < cluster.devices.size(); ++i) {
        const Device& device = cluster.devices[i];
        const std::string here = at(place, "devices", i);
        ids.add(device.id, here);
        if (!device.node.empty() && !find_node(cluster, device.node))
            throw Error(here + "/node", "node \"" + device.node + "\" does not exist",
                        "the id of a node of this cluster, or nothing, is expected");
        check(device.spec, here);
        positive(device.speed_factor, here + "/speed_factor");
    }
    for (std::size_t i = 0; i < cluster.switches.size(); ++i) {
        const std::string here = at(place, "switches", i);
        ids.add(cluster.switches[i].id, here);
        not_negative(cluster.switches[i].latency_s, here + "/latency_s");
    }
    for (std::size_t i = 0; i < cluster.links.size(); ++i) {
        const Link& link = cluster.links[i];
        const std::string here = at(place, "links", i);
        ids.add(link.id, here);
        check_end(cluster, link.from, here + "/from");
        check_end(cluster, link.to, here + "/to");
        if (link.from == link.to)
            throw Error(here + "/to", "the link joins \"" + link.to + "\" to itself",
                        "two different ends are expected");
        positive(link.bandwidth_bytes_per_s, here + "/bandwidth_bytes_per_s");
        share(link.achieved_fraction, here + "/achieved_fraction");
        not_negative(link.latency_s, here + "/latency_s");
        check_curve(link.speed, here + "/speed");
    }
}

const Device* find_device(const Cluster& cluster, std::string_view id)
{
    return find_in(cluster.devices, id);
}

const Node* find_node(const Cluster& cluster, std::string_view id)
{
    return find_in(cluster.nodes, id);
}

const Switch* find_switch(const Cluster& cluster, std::string_view id)
{
    return find_in(cluster.switches, id);
}

const Link* find_link(const Cluster& cluster, std::string_view id)
{
    return find_in(cluster.links, id);
}

}  // namespace nnpiper
