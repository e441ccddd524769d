// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planners/chains/chain_moves.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>

namespace nnpiper {

namespace {

std::size_t at(int i)
{
    return static_cast<std::size_t>(i);
}

}  // namespace

bool cuts_ascend(const Chain& chain, int first, int last)
{
    for (int s = std::max(0, first); s <= std::min(last, chain.stages() - 1); ++s) {
        if (chain.end[at(s)] <= chain.first(s))
            return false;
    }
    return true;
}

void ChainMover::sync(const Chain& chain)
{
    idle_.clear();
    for (const int d : costs_.usable()) {
        if (std::find(chain.device.begin(), chain.device.end(), d) == chain.device.end())
            idle_.push_back(d);
    }
}

void ChainMover::settle(bool accepted)
{
    if (accepted && idle_slot_ >= 0)
        idle_[at(idle_slot_)] = released_;
    idle_slot_ = -1;
}

bool ChainMover::move(ChainWalk& walk)
{
    if (walk.trial.stages() == 1)
        return take_idle(walk);
    switch (random_.below(idle_.empty() ? 17 : 19)) {
    case 0:
    case 1:
    case 2:
        return swap_devices(walk, false);
    case 3:
    case 4:
        return swap_devices(walk, true);
    case 5:
        return move_run(walk);
    case 6:
        return turn_run(walk);
    case 7:
        return exchange_runs(walk);
    case 8:
        return swap_runs(walk);
    case 9:
    case 10:
    case 11:
        return shift_one(walk);
    case 12:
    case 13:
        return shift_many(walk);
    case 14:
    case 15:
        return jump_boundary(walk);
    case 16:
        return random_.below(2) == 0 ? slide_boundaries(walk) : shift_one(walk);
    default:
        return take_idle(walk);
    }
}

template <class Permute>
void ChainMover::reorder(ChainWalk& walk, int low, int high, bool with_layers, Permute permute)
{
    Chain& chain = walk.trial;
    if (with_layers) {
        counts_.clear();
        for (int s = low; s <= high; ++s)
            counts_.push_back(chain.end[at(s)] - chain.first(s));
        permute(counts_.begin());
        int end = chain.first(low);
        for (int s = low; s <= high; ++s)
            chain.end[at(s)] = end += counts_[at(s - low)];
    }
    permute(chain.device.begin() + low);
    walk.touch_range(low, high);
}

bool ChainMover::swap_devices(ChainWalk& walk, bool with_layers)
{
    Chain& chain = walk.trial;
    const int a = random_.below(chain.stages());
    const int b = random_.below(chain.stages());
    if (a == b)
        return false;
    std::swap(chain.device[at(a)], chain.device[at(b)]);
    walk.touch(a);
    walk.touch(b);
    if (with_layers) {
        const int low = std::min(a, b), high = std::max(a, b);
        const int by = (chain.end[at(high)] - chain.first(high)) - (chain.end[at(low)] - chain.first(low));
        if (by != 0) {
            for (int s = low; s < high; ++s)
                chain.end[at(s)] += by;
            walk.touch_range(low, high);
        }
    }
    return true;
}

bool ChainMover::move_run(ChainWalk& walk)
{
    const int stages = walk.trial.stages();
    const int length = 1 + random_.below(std::min(stages - 1, 4));
    const int from = random_.below(stages - length + 1);
    const int to = random_.below(stages - length + 1);
    if (from == to)
        return false;
    const int low = std::min(from, to), high = std::max(from, to) + length - 1;
    reorder(walk, low, high, random_.below(2) == 0, [&](auto begin) {
        std::rotate(begin, begin + (from < to ? length : from - to), begin + high - low + 1);
    });
    return true;
}

/// The first stage behind a boundary, the slowest of three drawn.
int ChainMover::slow_boundary(const ChainWalk& walk)
{
    int slowest = 1 + random_.below(walk.trial.stages() - 1);
    for (int i = 0; i < 2; ++i) {
        const int other = 1 + random_.below(walk.trial.stages() - 1);
        if (walk.channel(other - 1) > walk.channel(slowest - 1))
            slowest = other;
    }
    return slowest;
}

/// Two neighbouring runs, parted and ended by slow boundaries, change places: sites or nodes in another order.
bool ChainMover::swap_runs(ChainWalk& walk)
{
    const int stages = walk.trial.stages();
    int cuts[3] = {slow_boundary(walk), slow_boundary(walk), slow_boundary(walk)};
    if (const int end = random_.below(3); end > 0)
        cuts[0] = end == 1 ? 0 : stages;
    std::sort(std::begin(cuts), std::end(cuts));
    if (cuts[0] == cuts[1] || cuts[1] == cuts[2])
        return false;
    reorder(walk, cuts[0], cuts[2] - 1, random_.below(2) == 0, [&](auto begin) {
        std::rotate(begin, begin + (cuts[1] - cuts[0]), begin + (cuts[2] - cuts[0]));
    });
    return true;
}

bool ChainMover::turn_run(ChainWalk& walk)
{
    const int stages = walk.trial.stages();
    const int length = 2 + random_.below(std::min(stages - 1, 8));
    const int low = random_.below(std::max(1, stages - length + 1));
    const int high = std::min(stages, low + length);
    reorder(walk, low, high - 1, random_.below(2) == 0, [&](auto begin) { std::reverse(begin, begin + (high - low)); });
    return true;
}

bool ChainMover::take_idle(ChainWalk& walk)
{
    if (idle_.empty())
        return false;
    const int place = random_.below(walk.trial.stages());
    idle_slot_ = random_.below(static_cast<int>(idle_.size()));
    released_ = walk.trial.device[at(place)];
    walk.trial.device[at(place)] = idle_[at(idle_slot_)];
    walk.touch(place);
    return true;
}

bool ChainMover::shift_one(ChainWalk& walk)
{
    Chain& chain = walk.trial;
    const int s = random_.below(chain.stages() - 1);
    chain.end[at(s)] += (random_.below(2) == 0 ? -1 : 1) * (random_.below(4) == 0 ? 2 : 1);
    walk.touch_range(s, s + 1);
    return cuts_ascend(chain, s, s + 1);
}

/// A boundary to another place between its neighbours, of two drawn the one that less crosses.
bool ChainMover::jump_boundary(ChainWalk& walk)
{
    Chain& chain = walk.trial;
    const int s = random_.below(chain.stages() - 1);
    const int low = chain.first(s) + 1;
    const int places = chain.end[at(s + 1)] - low;
    if (places < 2)
        return false;
    const int one = low + random_.below(places), other = low + random_.below(places);
    const int end = costs_.output_bytes(one) <= costs_.output_bytes(other) ? one : other;
    if (end == chain.end[at(s)])
        return false;
    chain.end[at(s)] = end;
    walk.touch_range(s, s + 1);
    return true;
}

/// A boundary to where less crosses it, and those around it a part of the way, the farther the less, so that the layers
/// that change sides spread over several stages.
bool ChainMover::slide_boundaries(ChainWalk& walk)
{
    Chain& chain = walk.trial;
    const int stages = chain.stages();
    const int s = random_.below(2) == 0 ? slow_boundary(walk) - 1 : random_.below(stages - 1);
    const int here = chain.end[at(s)];
    const int reach = std::min(12, costs_.layers() - 1);
    int to = here + random_.below(2 * reach + 1) - reach;
    const int other = here + random_.below(2 * reach + 1) - reach;
    const auto inside = [&](int end) { return end > s && end < costs_.layers() - (stages - 2 - s); };
    if (inside(other) && (!inside(to) || costs_.output_bytes(other) < costs_.output_bytes(to)))
        to = other;
    if (!inside(to) || to == here)
        return false;
    const int before = random_.below(s + 1), behind = random_.below(stages - 1 - s);   // boundaries that go along
    const int low = s - before, high = s + behind;
    for (int i = low; i <= high; ++i) {
        const double part = i <= s ? (i - low + 1.0) / (before + 1) : (high - i + 1.0) / (behind + 1);
        chain.end[at(i)] += static_cast<int>(std::lround(part * (to - here)));
    }
    walk.touch_range(low, high + 1);
    return cuts_ascend(chain, low, high + 1);
}

/// The devices of two runs of the same length.
bool ChainMover::exchange_runs(ChainWalk& walk)
{
    const int stages = walk.trial.stages();
    if (stages < 4)
        return false;
    const int length = 2 + random_.below(std::min(3, stages / 2 - 1));
    const int a = random_.below(stages - length + 1);
    const int b = random_.below(stages - length + 1);
    if (std::abs(a - b) < length)
        return false;
    if (random_.below(2) == 0) {
        const int low = std::min(a, b), high = std::max(a, b);
        reorder(walk, low, high + length - 1, true,
                [&](auto begin) { std::swap_ranges(begin, begin + length, begin + (high - low)); });
        return true;
    }
    Chain& chain = walk.trial;
    for (int i = 0; i < length; ++i) {
        std::swap(chain.device[at(a + i)], chain.device[at(b + i)]);
        walk.touch(a + i);
        walk.touch(b + i);
    }
    return true;
}

/// A layer from one stage to another across all between.
bool ChainMover::shift_many(ChainWalk& walk)
{
    Chain& chain = walk.trial;
    const int a = random_.below(chain.stages());
    const int b = random_.below(chain.stages());
    if (a == b)
        return false;
    const int low = std::min(a, b), high = std::max(a, b);
    const int by = random_.below(2) == 0 ? -1 : 1;
    for (int s = low; s < high; ++s)
        chain.end[at(s)] += by;
    walk.touch_range(low, high);
    return cuts_ascend(chain, low, high);
}

}  // namespace nnpiper
