// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/cluster/cluster.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nnpiper {

/// A device that one can buy or rent. `unconfirmed` names the fields that rest on one weak source, as in the catalogue
/// file ("memory_bytes", "peak_flop_per_s/tf32", "interconnect"). An unknown memory bandwidth is 0.
struct DeviceEntry {
    std::string name;
    std::string vendor;
    DeviceSpec spec;
    std::string achieved_basis;                         ///< what spec.achieved_fraction rests on; "default" where on nothing
    std::optional<double> measured_matmul_flop_per_s;   ///< best matrix product anybody measured, in bf16
    std::string interconnect;
    std::vector<std::string> unconfirmed;
    std::string source;
    std::string notes;
};

/// A link technology; `effective` is what transfers really reach, unknown where nobody measured it.
struct LinkEntry {
    std::string name;
    std::string group;                              ///< "NVLink", "PCIe", "Ethernet", "InfiniBand", "WAN", ...
    double nominal_bytes_per_s = 0;                 ///< per direction; 0 unknown
    std::optional<double> effective_bytes_per_s;
    std::optional<double> latency_s;
    std::string basis;
    std::string source;
    std::string status;                             ///< "confirmed (...)", "unconfirmed (...)"
};

/// The embedded catalogues, in file order.
const std::vector<DeviceEntry>& device_catalog();
const std::vector<LinkEntry>& link_catalog();

/// nullptr when absent.
const DeviceEntry* find_device_entry(std::string_view name);
const LinkEntry* find_link_entry(std::string_view name);

}  // namespace nnpiper
