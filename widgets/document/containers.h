// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/project/project.h"

#include <QStringList>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace nnpiper {

/// Ids of all that stands in a container at any depth: racks, nodes, switches, single devices; not the devices of nodes.
std::vector<std::string> contentsOf(const Project& project, const std::string& container);
/// The ids with the contents of the containers among them, each once.
QStringList withContents(const Project& project, const QStringList& ids);

/// The innermost container around an element; nullptr for none.
const Container* containerOf(const Project& project, const std::string& id);
/// The innermost container around both; nullptr for none.
const Container* commonContainer(const Project& project, const std::string& a, const std::string& b);

bool isCollapsed(const Project& project, const std::string& id);
/// The card that stands for an element on the canvas: the outermost collapsed node or container around it, or itself.
std::string shownAs(const Project& project, const std::string& id);
/// All elements that a card stands for, with the card's id; empty where nothing is collapsed.
std::map<std::string, std::string> hiddenElements(const Project& project);

/// A new link between two elements: what the container around both says, else `usual`.
Link linkBetween(const Project& project, const std::string& from, const std::string& to, Link usual);

/// "8 × A100, 640 GB" of all devices in nodes and containers; empty for none.
QString summaryOfDevices(const Project& project, const std::string& id);
/// Ids of all devices in a node, a container, or the device itself.
std::vector<std::string> devicesIn(const Project& project, const std::string& id);

}  // namespace nnpiper
