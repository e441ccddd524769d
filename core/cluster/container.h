// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/cluster/cluster.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nnpiper {

enum class ContainerKind { rack, site };

/// "rack", "site".
std::string_view name_of(ContainerKind kind);
ContainerKind container_kind_from_name(std::string_view name, const std::string& place = "kind");

/// A rack or a site: what stands together in a drawing, and what new things inside it are like. It is no part of any
/// route and changes no plan.
struct Container {
    std::string id;
    std::string name;
    ContainerKind kind = ContainerKind::rack;
    std::vector<std::string> members;   ///< ids of nodes, switches, devices that stand alone and, in a site, racks
    std::string device_type;            ///< of a new device inside, as the catalogue or the project names it; may be empty
    std::string link_type;              ///< of a new link between two elements inside; may be empty
    std::optional<double> link_bandwidth_bytes_per_s;  ///< of such a link, nominal, per direction
    std::optional<double> link_latency_s;              ///< of such a link, one way

    bool operator==(const Container&) const = default;
};

/// Throws Error with a JSON pointer under `place` on ids that are taken, members that do not exist or stand elsewhere,
/// a container inside a rack or a site inside anything, defaults out of range.
void check(const std::vector<Container>& containers, const Cluster& cluster, const std::string& place = "/containers");

/// nullptr when absent.
const Container* find_container(const std::vector<Container>& containers, std::string_view id);
/// The container that lists `member`; a device inside a node counts by its node. nullptr for none.
const Container* container_of(const std::vector<Container>& containers, const Cluster& cluster, std::string_view member);

}  // namespace nnpiper
