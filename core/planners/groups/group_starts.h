// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/control.h"
#include "core/planners/groups/group_chain.h"

#include <vector>

namespace nnpiper {

/// A chain of groups with its score (lower is better).
struct ScoredGroups {
    GroupChain chain;
    double score = 0;
};

/// Cuts the layers for the chain's groups: the shortest period that every stage keeps, each taking as many layers as
/// period and memory allow, by bisection; messages are not looked at. Shares by speed. False when memory forbids any
/// cut; the layers are then cut by speed alone.
bool cut_layers(GroupEvaluator& evaluator, GroupChain& chain);

/// Plain shapes worth searching from, best first, at most `keep`: for every degree and policy one stage of everything,
/// one a node, one a type, and S stages of R groups each, groups in order of speed or node by node. Only as many stages
/// as the problem asks for. Stops when `control` says so, but not before one is there.
std::vector<ScoredGroups> plain_groups(GroupEvaluator& evaluator, std::size_t keep, const Control& control);

}  // namespace nnpiper
