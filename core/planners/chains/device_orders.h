// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/random.h"
#include "core/planners/chains/chain.h"

#include <cstddef>
#include <vector>

namespace nnpiper {

/// Device orders worth starting from, without repeats: fastest first and last, node by node (nodes fastest first and
/// last), along the fastest links, and by memory (largest first, as 1F1B's first stages hold most). S indices each.
std::vector<std::vector<int>> heuristic_orders(const ChainCosts& costs);

/// Usable devices as a tree: single-linkage clusters by bandwidth, so that what a slow link divides (sites, racks,
/// nodes) stands in different branches. Leaves are devices.
class ClusterTree {
public:
    explicit ClusterTree(const ChainCosts& costs);

    /// An order of S devices that walks the tree branch by branch, so that slow links are crossed as seldom as
    /// possible: branches and devices at random, or mostly by descending or ascending speed or memory. Where devices
    /// are left over, now the slowest, now the last of the walk stay idle.
    std::vector<int> random_order(Random& random) const;

private:
    struct Branch {
        int device = -1;       ///< of a leaf
        double bandwidth = 0;  ///< that joins the children
        std::vector<int> children;
        double speed = 0;  ///< of all leaves
        double memory = 0;
    };
    enum class Habit { random, fast_first, fast_last, large_first };
    void walk(int branch, Habit habit, Random& random, const std::vector<char>& kept, std::vector<int>& order) const;

    const ChainCosts& costs_;
    std::vector<Branch> branches_;
    std::vector<int> by_speed_;  ///< fastest first
    int root_ = 0;
};

/// Orders worth cutting: the heuristic ones and the best of some hundred walks over the cluster tree, by the value that
/// OrderProbe gives them. The same for the same costs.
enum class Look {
    quick,    ///< four orders, of a few walks
    usual,    ///< six
    close     ///< some twenty
};
std::vector<std::vector<int>> start_orders(const ChainCosts& costs, Look look);

}  // namespace nnpiper
