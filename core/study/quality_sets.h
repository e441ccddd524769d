// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/problem/virtual_problem.h"

#include <string>
#include <string_view>
#include <vector>

namespace nnpiper {

/// Virtual problems of one size and kind.
struct QualitySet {
    VirtualSize size;
    VirtualKind kind = VirtualKind::any;
    int problems = 0;

    bool operator==(const QualitySet&) const = default;
};

/// What the quality suite measures: six sizes of any kind, then sets away from them along one axis each: equal devices,
/// a slow WAN, unlike layers, a single micro-batch, 64 and 128 devices, 200 layers.
const std::vector<QualitySet>& standard_quality_sets();

/// "64x16x16": layers, devices, stages; micro-batches behind them where they are given: "96x32x24x1".
std::string text_of(const VirtualSize& size);
/// The inverse. Throws Error at `place`.
VirtualSize virtual_size_from_text(std::string_view text, const std::string& place);

/// "any", "equal devices", "slow WAN", ...; small letters and hyphens do as well. Throws Error at `place` naming all.
VirtualKind virtual_kind_from_name(std::string_view name, const std::string& place);

/// "64x16x16", "96x32x24, slow WAN"
std::string group_name(const VirtualSize& size, VirtualKind kind);

}  // namespace nnpiper
