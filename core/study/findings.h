// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/project/project.h"
#include "core/simulator/timeline.h"

#include <string>
#include <string_view>
#include <vector>

namespace nnpiper {

/// Something in a project that keeps it from being planned, or that its author hardly meant.
struct Finding {
    enum class Kind {
        no_device,        ///< there is nothing to train on
        no_route,         ///< elements[0], a device or a node with all its devices, cannot reach device elements[1]
        zero_bandwidth,   ///< a link, or a node's interconnect or host port, that carries nothing
        no_speed,         ///< a device without a usable matrix rate for the job's precision
        state_too_large,  ///< the model's weights, gradients and optimizer state exceed all devices together
        memory_short,     ///< a device of the plan needs more than it has
        duplicate_name,   ///< elements that a reader cannot tell apart
    };
    Kind kind = Kind::no_device;
    std::vector<std::string> elements;  ///< ids of the culprits
    double needed_bytes = 0;            ///< of the two memory findings
    double available_bytes = 0;

    bool is_error() const { return kind != Kind::duplicate_name; }
    bool operator==(const Finding&) const = default;
};

/// What can be seen without a plan, errors first. Never throws: a model that is not complete is just not weighed.
/// Reachability is a breadth-first search from every device until one reaches all others, O(D (V + E)).
std::vector<Finding> findings(const Project& project);

/// The devices of a simulated plan that do not fit, in its order.
std::vector<Finding> memory_findings(const Timeline& timeline);

/// "no-device", "no-route" ...
std::string_view name_of(Finding::Kind kind);

}  // namespace nnpiper
