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

/// Looks at every setting that the problem leaves open, first quickly, then at the promising ones as `look` says, and
/// returns the `keep` best, best first. Never empty unless the problem has no setting at all.
std::vector<SettingCandidates> rank_settings(const Problem& problem, std::size_t keep, const Control& control,
                                             Look look = Look::close);

}  // namespace nnpiper
