// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/project/project.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nnpiper {

/// What one may change about a project: one device less or more, every link of a class (or every interconnect of one)
/// twice as fast, another size of micro-batch.
enum class WhatIfKind { remove_device, add_device, double_link, double_interconnect, micro_batch };

/// "remove-device", "add-device", "double-link", "double-interconnect", "micro-batch".
std::string_view name_of(WhatIfKind kind);

/// One change, carried out.
struct WhatIf {
    WhatIfKind kind = WhatIfKind::remove_device;
    std::string subject;  ///< type of device, link or interconnect; empty for a micro-batch
    std::vector<std::string>
        elements;      ///< ids of the device, links or nodes concerned (of an added device: the new one)
    std::string node;  ///< where a device is added or taken away; empty: standing alone
    double bandwidth_bytes_per_s = 0;                  ///< of a link (nominal) or interconnect before it is doubled
    std::optional<int> micro_batch;                    ///< samples afterwards; empty: the planner chooses
    std::optional<double> price_change_dollars_per_h;  ///< what all devices together cost more; empty where unknown
    Project after;
};

/// The changes that make sense for a project, in the order of WhatIfKind: for each type of device one less (the last of
/// its type, unless nothing would be left) and one more (beside the first of its type: in its node, with copies of its
/// own links); for each class of links and of interconnects between several devices twice the bandwidth; the
/// micro-batch halved, doubled or left to the planner, where it is given and divides the batch. A lock that names a
/// removed device goes with it. New devices have no place on the canvas.
std::vector<WhatIf> what_ifs(const Project& project);

/// "one RTX 3090 less (node-a/gpu1)", "10 GbE TCP socket twice as fast (2 links)": one line in English.
std::string text_of(const WhatIf& change);

}  // namespace nnpiper
