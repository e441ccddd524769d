// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/project/project.h"

#include <QString>

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace nnpiper {

enum class ElementKind { node, device, network_switch, link, container };

/// Anything of a drawing that has an id and can be selected.
using Element = std::variant<Node, Device, Switch, Link, Container>;

/// An element as it stands in a project: its value, its position in the list of its kind, and its place on the canvas.
struct ElementRecord {
    Element value;
    int index = -1;                      ///< -1: at the end
    std::optional<Placement> placement;  ///< empty: none of its own (links, devices inside a node)

    bool operator==(const ElementRecord&) const = default;
};

ElementKind kindOf(const Element& element);
const std::string& idOf(const Element& element);
/// The name a person reads: the name, or the id where the name is empty.
QString displayName(const Element& element);

/// Empty when the project has no such element.
std::optional<ElementRecord> recordOf(const Project& project, const std::string& id);
std::optional<Element> findElement(const Project& project, const std::string& id);
/// The same without containers, which are no part of the cluster.
std::optional<Element> findElement(const Cluster& cluster, const std::string& id);
bool contains(const Project& project, const std::string& id);
bool contains(const Cluster& cluster, const std::string& id);

/// Ids of the devices inside a node, in the cluster's order.
std::vector<std::string> devicesOf(const Cluster& cluster, const std::string& node);
/// Ids of the links that end at any of `ids`.
std::vector<std::string> linksOf(const Cluster& cluster, const std::vector<std::string>& ids);

/// An id that neither the project nor `taken` has: the stem itself or, with its trailing number counted on, the next
/// free one ("node-a" becomes "node-b", "gpu3" becomes "gpu4").
std::string freshId(const Project& project, const std::string& stem, const std::vector<std::string>& taken = {});

}  // namespace nnpiper
