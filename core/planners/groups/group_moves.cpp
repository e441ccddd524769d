// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planners/groups/group_moves.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

namespace nnpiper {

GroupMoves::GroupMoves(GroupEvaluator& evaluator, Random& random)
    : evaluator_(evaluator)
    , random_(random)
{
    const Problem& problem = evaluator.problem();
    std::map<std::pair<std::string, std::string>, int> homes;
    for (int d = 0; d < problem.devices(); ++d) {
        const auto [home, fresh] =
            homes.try_emplace({problem.device_nodes[at(d)], problem.device_types[at(d)]}, homes_);
        homes_ += fresh ? 1 : 0;
        home_.push_back(home->second);
        usable_.push_back(std::none_of(problem.locks.begin(), problem.locks.end(), [&](const Lock& lock) {
            return lock.idle
                   && std::find(lock.devices.begin(), lock.devices.end(), problem.device_ids[at(d)])
                          != lock.devices.end();
        }));
        GroupTimes& times = evaluator.times();
        const double seconds = times.forward(0, times.samples(), d, 0, times.layers())
                               + times.backward(0, times.samples(), d, 0, times.layers());
        speed_.push_back(1 / std::max(1e-300, seconds));
    }
    used_.resize(usable_.size());
    counts_.resize(at(homes_));
    const int usable = static_cast<int>(std::count(usable_.begin(), usable_.end(), 1));
    stages_fixed_ = problem.stages.has_value();
    most_stages_ = problem.stages.value_or(std::min(usable, problem.layers()));
    most_replicas_ = problem.replicas_allowed() ? evaluator.times().samples() : 1;
    const auto add = [&](Kind kind, int weight) { kinds_.insert(kinds_.end(), at(weight), kind); };
    add(Kind::shift, 5);
    add(Kind::shift_many, 2);
    add(Kind::swap_stages, 2);
    add(Kind::relocate, 1);
    add(Kind::reverse, 1);
    add(Kind::swap_replicas, 3);
    add(Kind::replace_by_idle, 2);
    add(Kind::split, 2);
    add(Kind::merge, 2);
    if (most_replicas_ > 1) {
        add(Kind::hand_over, 3);
        add(Kind::take_idle, 2);
        add(Kind::drop, 1);
        add(Kind::share, 1);
    }
    if (evaluator.times().policies().size() > 1)
        add(Kind::recompute, 3);
    if (evaluator.times().degrees().size() > 1)
        add(Kind::degree, 2);
}

bool GroupMoves::move(GroupChain& chain)
{
    switch (kinds_[at(random_.below(static_cast<int>(kinds_.size())))]) {
    case Kind::shift:
        return shift(chain);
    case Kind::shift_many:
        return shift_many(chain);
    case Kind::swap_stages:
        return swap_stages(chain);
    case Kind::relocate:
        return relocate(chain);
    case Kind::reverse:
        return reverse(chain);
    case Kind::swap_replicas:
        return swap_replicas(chain);
    case Kind::hand_over:
        return hand_over(chain);
    case Kind::take_idle:
        return take_idle(chain);
    case Kind::replace_by_idle:
        return replace_by_idle(chain);
    case Kind::drop:
        return drop(chain);
    case Kind::split:
        return stages_fixed_ ? merge(chain) && split(chain) : split(chain);
    case Kind::merge:
        return stages_fixed_ ? merge(chain) && split(chain) : merge(chain);
    case Kind::share:
        return share(chain);
    case Kind::recompute:
        return recompute(chain);
    case Kind::degree:
        return degree(chain);
    }
    return false;
}

bool GroupMoves::shift(GroupChain& chain)
{
    if (chain.size() < 2)
        return false;
    const int s = random_.below(chain.size() - 1);
    const int by = (random_.below(2) == 0 ? -1 : 1) * (random_.below(4) == 0 ? 2 + random_.below(3) : 1);
    stage(chain, s).end += by;
    return stage(chain, s).end > chain.first(s) && stage(chain, s).end < stage(chain, s + 1).end;
}

/// A layer from one stage to another across all between.
bool GroupMoves::shift_many(GroupChain& chain)
{
    const int a = pick(chain), b = pick(chain);
    const int by = random_.below(2) == 0 ? -1 : 1;
    for (int s = std::min(a, b); s < std::max(a, b); ++s)
        stage(chain, s).end += by;
    for (int s = std::min(a, b); s <= std::max(a, b); ++s) {
        if (stage(chain, s).end <= chain.first(s))
            return false;
    }
    return a != b;
}

/// With or without their layer counts.
bool GroupMoves::swap_stages(GroupChain& chain)
{
    const int a = pick(chain), b = pick(chain);
    if (a == b)
        return false;
    const int low = std::min(a, b), high = std::max(a, b);
    const int low_count = stage(chain, low).end - chain.first(low);
    const int high_count = stage(chain, high).end - chain.first(high);
    std::swap(stage(chain, low), stage(chain, high));
    std::swap(stage(chain, low).end, stage(chain, high).end);
    if (random_.below(2) == 0) {
        for (int s = low; s < high; ++s)
            stage(chain, s).end += high_count - low_count;
    }
    return true;
}

bool GroupMoves::relocate(GroupChain& chain)
{
    const int from = pick(chain), to = pick(chain);
    if (from == to)
        return false;
    ends_.clear();
    for (const GroupStage& s : chain.stages)
        ends_.push_back(s.end);
    const auto begin = chain.stages.begin();
    if (from < to)
        std::rotate(begin + from, begin + from + 1, begin + to + 1);
    else
        std::rotate(begin + to, begin + from, begin + from + 1);
    for (int s = 0; s < chain.size(); ++s)
        stage(chain, s).end = ends_[at(s)];
    return true;
}

bool GroupMoves::reverse(GroupChain& chain)
{
    if (chain.size() < 3)
        return false;
    const int length = 3 + random_.below(std::min(chain.size() - 2, 7));
    const int low = random_.below(chain.size() - length + 1);
    for (int i = low, k = low + length - 1; i < k; ++i, --k) {
        std::swap(stage(chain, i), stage(chain, k));
        std::swap(stage(chain, i).end, stage(chain, k).end);
    }
    return true;
}

bool GroupMoves::swap_replicas(GroupChain& chain)
{
    const int a = pick(chain), b = pick(chain);
    const int t = stage(chain, a).tensor_parallel;
    if (a == b || t != stage(chain, b).tensor_parallel)
        return false;
    const int from = t * random_.below(stage(chain, a).replicas());
    const int to = t * random_.below(stage(chain, b).replicas());
    for (int i = 0; i < t; ++i)
        std::swap(stage(chain, a).devices[at(from + i)], stage(chain, b).devices[at(to + i)]);
    balance(chain, a);
    balance(chain, b);
    return true;
}

void GroupMoves::extract(GroupStage& stage, int replica, std::vector<int>& to) const
{
    const auto first = stage.devices.begin() + replica * stage.tensor_parallel;
    to.insert(to.end(), first, first + stage.tensor_parallel);
    stage.devices.erase(first, first + stage.tensor_parallel);
    stage.shares.erase(stage.shares.begin() + replica);
}

/// Replicas of one stage become replicas of another, in groups of its own size.
bool GroupMoves::hand_over(GroupChain& chain)
{
    const int a = pick(chain), b = pick(chain);
    GroupStage& from = stage(chain, a);
    GroupStage& to = stage(chain, b);
    if (a == b || from.replicas() < 2)
        return false;
    group_.clear();
    extract(from, random_.below(from.replicas()), group_);
    const int home = home_[at(group_.front())];
    for (int r = from.replicas() - 1; r >= 0 && static_cast<int>(group_.size()) < to.tensor_parallel; --r) {
        if (home_[at(from.devices[at(r * from.tensor_parallel)])] == home)
            extract(from, r, group_);
    }
    const int size = static_cast<int>(group_.size());
    if (from.replicas() == 0 || size % to.tensor_parallel != 0
        || to.replicas() + size / to.tensor_parallel > most_replicas_)
        return false;
    to.devices.insert(to.devices.end(), group_.begin(), group_.end());
    balance(chain, a);
    balance(chain, b);
    return true;
}

void GroupMoves::find_idle(const GroupChain& chain)
{
    std::fill(used_.begin(), used_.end(), 0);
    for (const GroupStage& s : chain.stages) {
        for (const int d : s.devices)
            used_[at(d)] = 1;
    }
    idle_.clear();
    std::fill(counts_.begin(), counts_.end(), 0);
    for (int d = 0; d < static_cast<int>(used_.size()); ++d) {
        if (!used_[at(d)] && usable_[at(d)]) {
            idle_.push_back(d);
            ++counts_[at(home_[at(d)])];
        }
    }
}

bool GroupMoves::gather_idle(int count)
{
    group_.clear();
    if (idle_.empty())
        return false;
    const int start = random_.below(static_cast<int>(idle_.size()));
    const int home = home_[at(idle_[at(start)])];
    if (counts_[at(home)] < count)
        return false;
    for (std::size_t i = 0; i < idle_.size() && static_cast<int>(group_.size()) < count; ++i) {
        const int d = idle_[(at(start) + i) % idle_.size()];
        if (home_[at(d)] == home)
            group_.push_back(d);
    }
    std::sort(group_.begin(), group_.end());
    return true;
}

bool GroupMoves::take_idle(GroupChain& chain)
{
    find_idle(chain);
    const int s = pick(chain);
    GroupStage& to = stage(chain, s);
    if (to.replicas() >= most_replicas_ || !gather_idle(to.tensor_parallel))
        return false;
    to.devices.insert(to.devices.end(), group_.begin(), group_.end());
    balance(chain, s);
    return true;
}

bool GroupMoves::replace_by_idle(GroupChain& chain)
{
    find_idle(chain);
    const int s = pick(chain);
    GroupStage& to = stage(chain, s);
    if (!gather_idle(to.tensor_parallel))
        return false;
    std::copy(group_.begin(), group_.end(), to.devices.begin() + to.tensor_parallel * random_.below(to.replicas()));
    balance(chain, s);
    return true;
}

bool GroupMoves::drop(GroupChain& chain)
{
    const int s = pick(chain);
    if (stage(chain, s).replicas() < 2)
        return false;
    group_.clear();
    extract(stage(chain, s), random_.below(stage(chain, s).replicas()), group_);
    balance(chain, s);
    return true;
}

double GroupMoves::speed(const std::vector<int>& devices) const
{
    double total = 0;
    for (const int d : devices)
        total += speed_[at(d)];
    return total;
}

/// Devices and layers of a stage in two; where it has one group alone, idle devices take the second part.
bool GroupMoves::split(GroupChain& chain)
{
    const int s = pick(chain);
    const int first = chain.first(s);
    const int layers = stage(chain, s).end - first;
    if (chain.size() >= most_stages_ || layers < 2)
        return false;
    GroupStage second = stage(chain, s);
    GroupStage& kept = stage(chain, s);
    const int t = kept.tensor_parallel;
    group_.clear();
    if (kept.replicas() > 1 && random_.below(4) != 0) {
        for (int take = 1 + random_.below(kept.replicas() - 1); take > 0; --take)
            extract(kept, random_.below(kept.replicas()), group_);
    } else {
        find_idle(chain);
        if (!gather_idle(t))
            return false;
    }
    second.devices = group_;
    second.shares.assign(group_.size() / at(t), 1);
    const double part = speed(kept.devices) / (speed(kept.devices) + speed(second.devices));
    const int count = std::clamp(static_cast<int>(std::lround(layers * part)) + random_.below(3) - 1, 1, layers - 1);
    kept.end = first + count;
    if (random_.below(2) == 0) {
        std::swap(kept.devices, second.devices);
        std::swap(kept.shares, second.shares);
        kept.end = first + layers - count;
    }
    chain.stages.insert(chain.stages.begin() + s + 1, std::move(second));
    balance(chain, s);
    balance(chain, s + 1);
    return true;
}

/// The other's devices become replicas of the stage, groups of the smaller of the two degrees.
bool GroupMoves::join(GroupStage& stage, const GroupStage& other)
{
    const int t = std::min(stage.tensor_parallel, other.tensor_parallel);
    if (static_cast<int>(stage.devices.size() + other.devices.size()) / t > most_replicas_)
        return false;
    stage.tensor_parallel = t;
    stage.devices.insert(stage.devices.end(), other.devices.begin(), other.devices.end());
    return true;
}

/// Two neighbours in one; where they are too many replicas together, the slower's devices become idle.
bool GroupMoves::merge(GroupChain& chain)
{
    if (chain.size() < 2)
        return false;
    const int s = random_.below(chain.size() - 1);
    GroupStage& kept = stage(chain, s);
    GroupStage& other = stage(chain, s + 1);
    const int end = other.end;
    if (random_.below(2) == 0)
        kept.recompute = other.recompute;
    if (!join(kept, other) && speed(other.devices) > speed(kept.devices)) {
        std::swap(kept.devices, other.devices);
        std::swap(kept.shares, other.shares);
        std::swap(kept.tensor_parallel, other.tensor_parallel);
    }
    kept.end = end;
    chain.stages.erase(chain.stages.begin() + s + 1);
    balance(chain, s);
    return true;
}

bool GroupMoves::share(GroupChain& chain)
{
    GroupStage& s = stage(chain, pick(chain));
    const int from = random_.below(s.replicas()), to = random_.below(s.replicas());
    if (from == to || s.shares[at(from)] < 2)
        return false;
    --s.shares[at(from)];
    ++s.shares[at(to)];
    return true;
}

/// Of one stage or, now and then, of a run of them.
bool GroupMoves::recompute(GroupChain& chain)
{
    const auto& policies = evaluator_.times().policies();
    const Recompute policy = policies[at(random_.below(static_cast<int>(policies.size())))];
    const int a = pick(chain);
    const int b = random_.below(3) == 0 ? pick(chain) : a;
    bool changed = false;
    for (int s = std::min(a, b); s <= std::max(a, b); ++s) {
        changed = changed || stage(chain, s).recompute != policy;
        stage(chain, s).recompute = policy;
    }
    return changed;
}

void GroupMoves::regroup(std::vector<int>& devices, int t)
{
    if (t == 1)
        return;
    std::stable_sort(devices.begin(), devices.end(),
                     [&](int a, int b) { return std::pair(home_[at(a)], a) < std::pair(home_[at(b)], b); });
    std::size_t kept = 0;
    for (std::size_t low = 0; low < devices.size();) {
        std::size_t high = low;
        while (high < devices.size() && home_[at(devices[high])] == home_[at(devices[low])])
            ++high;
        const std::size_t whole = (high - low) / at(t) * at(t);
        std::copy(devices.begin() + static_cast<std::ptrdiff_t>(low),
                  devices.begin() + static_cast<std::ptrdiff_t>(low + whole),
                  devices.begin() + static_cast<std::ptrdiff_t>(kept));
        kept += whole;
        low = high;
    }
    devices.resize(kept);
}

/// The stage's devices in groups of another size; what does not make a group becomes idle, what lacks is taken from
/// idle.
bool GroupMoves::degree(GroupChain& chain)
{
    const int s = pick(chain);
    GroupStage& here = stage(chain, s);
    const auto& degrees = evaluator_.times().degrees();
    const int t = degrees[at(random_.below(static_cast<int>(degrees.size())))];
    if (t == here.tensor_parallel)
        return false;
    if (static_cast<int>(here.devices.size()) < t) {
        find_idle(chain);
        const int home = home_[at(here.devices.front())];
        for (const int d : idle_) {
            if (home_[at(d)] == home && static_cast<int>(here.devices.size()) < t)
                here.devices.push_back(d);
        }
    }
    regroup(here.devices, t);
    const std::size_t most = at(most_replicas_) * at(t);
    if (here.devices.empty())
        return false;
    if (here.devices.size() > most)
        here.devices.resize(most);
    here.tensor_parallel = t;
    balance(chain, s);
    return true;
}

}  // namespace nnpiper
