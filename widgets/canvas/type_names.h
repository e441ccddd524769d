// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/cluster/cluster.h"

#include <QString>

#include <string>
#include <vector>

namespace nnpiper {

/// What fits on a card, as in the timeline: "A100 SXM4 80GB" is "A100".
QString shortTypeName(const std::string& type);
/// What fits in a node's corner: "NVLink3 A100 (per link; 12 links)" is "NVLink3 A100".
QString shortLinkName(const std::string& type);
/// "2×A100", "2×RTX 3080 + 2×RTX 4090"; empty without devices.
QString summaryOf(const Cluster& cluster, const std::vector<std::string>& devices);

}  // namespace nnpiper
