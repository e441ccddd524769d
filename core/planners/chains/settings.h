// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/planners/chains/local_search.h"

#include <vector>

namespace nnpiper {

/// A setting with the chains that its heuristic orders give, best first.
struct SettingCandidates {
    ChainSetting setting;
    std::vector<ScoredChain> chains;
};

/// Looks at every setting that the problem leaves open, first with few orders, then the promising ones with all, and
/// returns the `keep` best, best first. Never empty unless the problem has no setting at all.
std::vector<SettingCandidates> rank_settings(const Problem& problem, std::size_t keep, const Control& control);

}  // namespace nnpiper
