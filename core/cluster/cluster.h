// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nnpiper {

/// What a device can do. Peak and achieved are two things: time = work / (peak x achieved fraction). Unknown is empty.
struct DeviceSpec {
    std::string type;                                  ///< catalogue name or free text
    double memory_bytes = 0;
    double memory_bandwidth_bytes_per_s = 0;
    std::map<std::string, double> peak_flop_per_s;     ///< by precision "fp32", "tf32", "fp16", "bf16", "fp8"; a missing one is not supported or unknown
    double achieved_fraction = 0.45;                   ///< of the peak in matrix work
    double achieved_memory_fraction = 0.8;             ///< of the memory bandwidth
    std::optional<double> price_dollars_per_h;
    std::optional<double> power_w;

    bool operator==(const DeviceSpec&) const = default;
};

/// One accelerator. `node` is empty for a device that stands alone.
struct Device {
    std::string id;      ///< stable, e.g. "node-a/gpu0"
    std::string name;    ///< free text
    std::string node;    ///< id of its node or empty
    DeviceSpec spec;
    double speed_factor = 1;   ///< what-if multiplier on compute speed

    bool operator==(const Device&) const = default;
};

/// A server: its devices reach each other over its interconnect without a drawn link.
struct Node {
    std::string id;
    std::string name;
    std::string interconnect = "PCIe 4.0 x16";              ///< link catalogue name or free text
    double interconnect_bytes_per_s = 24e9;                 ///< effective, per direction, between two of its devices
    double interconnect_latency_s = 6e-6;
    double host_bytes_per_s = 24e9;                         ///< effective, between a device and the node's network port
    double host_latency_s = 0;

    bool operator==(const Node&) const = default;
};

struct Switch {
    std::string id;
    std::string name;
    double latency_s = 0;

    bool operator==(const Switch&) const = default;
};

/// A full-duplex link between two of device, node, switch.
struct Link {
    std::string id;
    std::string name;
    std::string type;                  ///< link catalogue name or free text
    std::string from;
    std::string to;
    double bandwidth_bytes_per_s = 0;  ///< nominal, per direction
    double achieved_fraction = 0.9;    ///< effective = nominal x this
    double latency_s = 0;              ///< one way

    bool operator==(const Link&) const = default;
};

struct Cluster {
    std::vector<Node> nodes;
    std::vector<Device> devices;
    std::vector<Switch> switches;
    std::vector<Link> links;

    bool operator==(const Cluster&) const = default;
};

/// Throws Error with a JSON pointer under `place` ("/cluster/links/2/to") on double ids, links to nothing, a link to
/// itself, numbers out of range.
void check(const Cluster& cluster, const std::string& place = "/cluster");

/// nullptr when absent.
const Device* find_device(const Cluster& cluster, std::string_view id);
const Node* find_node(const Cluster& cluster, std::string_view id);
const Switch* find_switch(const Cluster& cluster, std::string_view id);
const Link* find_link(const Cluster& cluster, std::string_view id);

}  // namespace nnpiper
