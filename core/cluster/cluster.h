// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nnpiper {

/// Kinds of matrix work that reach different shares of the peak: products of blocks, attention scores, products of
/// routed experts, projection to the vocabulary.
enum class Operation { matrix, attention, expert, head };
inline constexpr std::size_t operation_count = 4;

/// "matrix", "attention", "expert", "head".
std::string_view name_of(Operation operation);
Operation operation_from_name(std::string_view name, const std::string& place = "operation");

/// What a device can do. Peak and achieved are two things: time = work / (peak x achieved fraction). Unknown is empty.
struct DeviceSpec {
    std::string type;                                  ///< catalogue name or free text
    double memory_bytes = 0;
    double memory_bandwidth_bytes_per_s = 0;
    std::map<std::string, double> peak_flop_per_s;     ///< by precision "fp32", "tf32", "fp16", "bf16", "fp8"; a missing one is not supported or unknown
    double achieved_fraction = 0.45;                   ///< of the peak in matrix work
    std::map<Operation, double> achieved_by_operation; ///< where a kind of operation reaches another share
    bool calibrated = false;                           ///< the fractions were fitted to measured steps
    double achieved_memory_fraction = 0.8;             ///< of the memory bandwidth
    std::optional<double> price_dollars_per_h;
    std::optional<double> power_w;

    bool operator==(const DeviceSpec&) const = default;
};

/// Of the peak, by kind of operation.
double achieved_fraction(const DeviceSpec& spec, Operation operation);

/// One accelerator. `node` is empty for a device that stands alone.
struct Device {
    std::string id;      ///< stable, e.g. "node-a/gpu0"
    std::string name;    ///< free text
    std::string node;    ///< id of its node or empty
    DeviceSpec spec;
    double speed_factor = 1;   ///< what-if multiplier on compute speed

    bool operator==(const Device&) const = default;
};

/// Measured speed of one message of `bytes`.
struct SpeedPoint {
    double bytes = 0;
    double bytes_per_s = 0;

    bool operator==(const SpeedPoint&) const = default;
};

/// Effective bandwidth by message size; empty: the same for all sizes.
using SpeedCurve = std::vector<SpeedPoint>;

/// Linear in the logarithm of the size between the points (which ascend), flat outside; infinite for an empty curve.
double speed_at(const SpeedCurve& curve, double bytes);
/// Of the fastest point; infinite for an empty curve.
double top_speed(const SpeedCurve& curve);

/// A server: its devices reach each other over its interconnect without a drawn link.
struct Node {
    std::string id;
    std::string name;
    std::string interconnect = "PCIe 4.0 x16";              ///< link catalogue name or free text
    double interconnect_bytes_per_s = 24e9;                 ///< effective, per direction, between two of its devices
    double interconnect_latency_s = 6e-6;
    SpeedCurve interconnect_speed;                          ///< measured without the latency; the bandwidth stays its ceiling
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
    SpeedCurve speed;                  ///< measured without the latency; the effective bandwidth stays its ceiling

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
