// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/random.h"
#include "core/planners/chains/chain_walk.h"

#include <vector>

namespace nnpiper {

/// Random small changes of a chain: swap two stages' devices, move a run of devices to another place or turn it round, swap
/// two neighbouring runs between slow links, exchange two runs, all with or without their layer counts; take an idle device
/// for one in use, with as many layers as it runs in the same time or with those of the other; shift one boundary or all between two stages, move one to where less crosses it, or slide those around
/// it along.
class ChainMover {
public:
    ChainMover(const ChainCosts& costs, Random& random)
        : costs_(costs)
        , random_(random)
    {
    }

    /// Makes a move on `walk.trial` and touches what it changed; false when it came to nothing or is not allowed, then
    /// the trial must be rejected.
    bool move(ChainWalk& walk);
    /// Tells the mover that the chain's devices changed otherwise than by its own accepted moves.
    void sync(const Chain& chain);
    /// What became of the last move; keeps the list of idle devices.
    void settle(bool accepted);

private:
    /// Reorders the devices of stages [low, high] by `permute(first, last)` over random-access iterators; the layer
    /// counts go along or stay.
    template <class Permute>
    void reorder(ChainWalk& walk, int low, int high, bool with_layers, Permute permute);
    bool swap_devices(ChainWalk& walk, bool with_layers);
    bool move_run(ChainWalk& walk);
    bool swap_runs(ChainWalk& walk);
    int slow_boundary(const ChainWalk& walk);
    bool turn_run(ChainWalk& walk);
    bool take_idle(ChainWalk& walk);
    bool shift_one(ChainWalk& walk);
    bool shift_many(ChainWalk& walk);
    bool jump_boundary(ChainWalk& walk);
    bool slide_boundaries(ChainWalk& walk);
    bool exchange_runs(ChainWalk& walk);

    const ChainCosts& costs_;
    Random& random_;
    std::vector<int> counts_;
    std::vector<int> idle_;
    int idle_slot_ = -1;  ///< taken by the last move
    int released_ = -1;   ///< device that it set free
};

/// Whether every stage of [first, last] and its neighbours has a layer.
bool cuts_ascend(const Chain& chain, int first, int last);

}  // namespace nnpiper
