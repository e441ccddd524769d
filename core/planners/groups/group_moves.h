// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/random.h"
#include "core/planners/groups/group_chain.h"

#include <vector>

namespace nnpiper {

/// Random small changes of a chain of groups, of every kind that the problem leaves open: layers between stages; order
/// of stages; devices between stages and to and from idle; a stage in two and two in one; shares; recompute; the degree
/// of a stage. Tensor-parallel groups stay inside a node and a type. Devices locked idle are never taken; other locks
/// are the evaluator's to judge.
class GroupMoves {
public:
    GroupMoves(GroupEvaluator& evaluator, Random& random);

    /// Makes one change; false when the one drawn was not possible, and the chain is then to be thrown away.
    bool move(GroupChain& chain);

private:
    enum class Kind {
        shift,
        shift_many,
        swap_stages,
        relocate,
        reverse,
        swap_replicas,
        hand_over,
        take_idle,
        replace_by_idle,
        drop,
        split,
        merge,
        share,
        recompute,
        degree
    };

    bool shift(GroupChain& chain);
    bool shift_many(GroupChain& chain);
    bool swap_stages(GroupChain& chain);
    bool relocate(GroupChain& chain);
    bool reverse(GroupChain& chain);
    bool swap_replicas(GroupChain& chain);
    bool hand_over(GroupChain& chain);
    bool take_idle(GroupChain& chain);
    bool replace_by_idle(GroupChain& chain);
    bool drop(GroupChain& chain);
    bool split(GroupChain& chain);
    bool merge(GroupChain& chain);
    bool share(GroupChain& chain);
    bool recompute(GroupChain& chain);
    bool degree(GroupChain& chain);

    int pick(const GroupChain& chain) { return random_.below(chain.size()); }
    GroupStage& stage(GroupChain& chain, int s) const { return chain.stages[at(s)]; }
    void balance(GroupChain& chain, int s) { evaluator_.balance(stage(chain, s), chain.first(s)); }
    /// Moves a replica's devices behind `to`.
    void extract(GroupStage& stage, int replica, std::vector<int>& to) const;
    void find_idle(const GroupChain& chain);
    /// Fills group_ with that many idle devices of one home, of a random one that has enough.
    bool gather_idle(int count);
    /// Devices in whole groups of t inside their homes, the rest left out.
    void regroup(std::vector<int>& devices, int t);
    double speed(const std::vector<int>& devices) const;
    bool join(GroupStage& stage, const GroupStage& other);

    static std::size_t at(int i) { return static_cast<std::size_t>(i); }

    GroupEvaluator& evaluator_;
    Random& random_;
    std::vector<Kind> kinds_;  ///< as often as they are to be drawn
    int most_stages_;
    bool stages_fixed_;
    int most_replicas_;
    std::vector<int> home_;  ///< [device] node and type
    int homes_ = 0;
    std::vector<char> usable_;   ///< [device]
    std::vector<double> speed_;  ///< [device]
    std::vector<int> idle_, group_, counts_, ends_;
    std::vector<char> used_;
};

}  // namespace nnpiper
