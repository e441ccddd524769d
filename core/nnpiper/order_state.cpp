// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nnpiper/order_state.h"

#include <algorithm>

namespace nnpiper {

namespace {

std::size_t at(int i)
{
    return static_cast<std::size_t>(i);
}

}  // namespace

OrderState::OrderState(const Features& features)
    : features_(&features)
    , used_(at(features.devices), 0)
    , near_left_(features.near_count)
    , side_left_(features.side_count)
    , free_(at(features.memory_classes), 0)
    , outlook_(free_.size())
{
    for (int d = 0; d < features.devices; ++d) {
        ++free_[at(features.memory_class[at(d)])];
        wanted_left_ += features.place[at(d)] == Features::anywhere ? 1 : 0;
    }
    look_ahead();
    slack_ = 0;
    for (const Outlook& outlook : outlook_)
        slack_ = std::max(slack_, outlook.slack);
}

void OrderState::look_ahead()
{
    const Features& f = *features_;
    if (position_ >= f.stages)
        return;
    for (int c = 0; c < f.memory_classes; ++c) {
        outlook_[at(c)] = {};
        if (free_[at(c)] > 0) {
            --free_[at(c)];
            outlook_[at(c)] = outlook_of(c);
            ++free_[at(c)];
        }
    }
}

OrderState::Outlook OrderState::outlook_of(int memory_class)
{
    // Every stage needs a layer, so no stage may take the last ones.
    const Features& f = *features_;
    const int rest = f.stages - position_ - 1;
    Outlook outlook;
    outlook.reached = std::min(f.reach(position_, memory_class, reached_), f.layers - rest);
    if (outlook.reached <= reached_)
        return outlook;
    if (rest == 0) {
        outlook.slack = outlook.reached == f.layers ? 0.0F : -1.0F;
        return outlook;
    }
    // The smallest device that holds the last layer comes last, the others by falling capacity.
    int last = f.memory_classes - 1;
    while (last >= 0 && (free_[at(last)] == 0 || f.reach(f.stages - 1, last, f.layers - 1) < f.layers))
        --last;
    if (last < 0)
        return outlook;
    --free_[at(last)];
    int reached = outlook.reached, next = 0, left = free_[0], needed = 0;
    bool fits = true;
    for (int s = position_ + 1; s + 1 < f.stages && fits; ++s) {
        while (left == 0) {
            ++next;
            left = free_[at(next)];
        }
        --left;
        const int before = reached;
        const int most = f.layers - (f.stages - 1 - s);
        reached = std::min(f.reach(s, next, before), most);
        fits = reached > before;
        needed += before < most - 1 ? 1 : 0;
    }
    ++free_[at(last)];
    if (fits && f.reach(f.stages - 1, last, reached) == f.layers)
        outlook.slack = static_cast<float>(rest - needed) / static_cast<float>(rest);
    return outlook;
}

void OrderState::allowed(std::span<std::uint8_t> mask) const
{
    const Features& f = *features_;
    const int stages_left = f.stages - position_;
    constexpr std::uint8_t unused = 1, placed = 2, routed = 4, fitting = 8;
    std::uint8_t any = 0;
    for (int d = 0; d < f.devices; ++d) {
        if (used_[at(d)]) {
            mask[at(d)] = 0;
            continue;
        }
        const int place = f.place[at(d)];
        const int owner = f.owner[at(position_)];
        const bool place_kept = owner >= 0 ? owner == d
                                           : place < 0 && (place == Features::anywhere || wanted_left_ < stages_left);
        const bool route = last_ < 0 || f.route[at(last_ * f.devices + d)];
        std::uint8_t rules = unused;
        if (place_kept)
            rules |= placed;
        if (place_kept && route)
            rules |= routed;
        if (place_kept && route && outlook_[at(f.memory_class[at(d)])].slack >= 0)
            rules |= fitting;
        any |= rules;
        mask[at(d)] = rules;
    }
    const std::uint8_t wanted = any & fitting ? fitting : any & routed ? routed : any & placed ? placed : unused;
    for (int d = 0; d < f.devices; ++d)
        mask[at(d)] = (mask[at(d)] & wanted) != 0;
}

void OrderState::progress(std::span<float> out) const
{
    const Features& f = *features_;
    const auto stages = static_cast<float>(f.stages);
    const auto left = static_cast<float>(std::max(1, f.stages - position_));
    out[0] = static_cast<float>(reached_) / static_cast<float>(f.layers);
    out[1] = std::min(2.0F, speed_);
    out[2] = std::clamp((1 - speed_) / left * stages, -2.0F, 2.0F);
    out[3] = last_ < 0 ? 0 : std::min(1.0F, static_cast<float>(near_left_[at(last_)]) / left);
    out[4] = last_ < 0 ? 0 : std::min(1.0F, static_cast<float>(side_left_[at(last_)]) / left);
    out[5] = slack_;
}

void OrderState::options(std::span<float> out) const
{
    const Features& f = *features_;
    const auto devices = at(f.devices);
    const auto left = static_cast<float>(std::max(1, f.stages - position_));
    const auto share = static_cast<float>(f.stages) / static_cast<float>(f.layers);
    for (std::size_t d = 0; d < devices; ++d) {
        const Outlook& outlook = outlook_[at(f.memory_class[d])];
        const float near = static_cast<float>(near_left_[d]), side = static_cast<float>(side_left_[d]);
        out[d] = f.near_count[d] > 0 ? near / static_cast<float>(f.near_count[d]) : 0;
        out[devices + d] = std::min(2.0F, (near + 1) / left);
        out[2 * devices + d] = f.side_count[d] > 0 ? side / static_cast<float>(f.side_count[d]) : 0;
        out[3 * devices + d] = std::min(2.0F, (side + 1) / left);
        out[4 * devices + d] = std::clamp(0.5F * static_cast<float>(outlook.reached - reached_) * share, 0.0F, 2.0F);
        out[5 * devices + d] = outlook.slack;
    }
}

void OrderState::take(int device)
{
    const Features& f = *features_;
    const auto d = at(device);
    const int memory_class = f.memory_class[d];
    slack_ = outlook_[at(memory_class)].slack;
    reached_ = outlook_[at(memory_class)].reached;
    --free_[at(memory_class)];
    wanted_left_ -= f.place[d] == Features::anywhere ? 1 : 0;
    speed_ += f.speed_share[d];
    used_[d] = 1;
    const std::uint8_t* const near = f.near.data() + d * at(f.devices);
    const std::uint8_t* const side = f.side.data() + d * at(f.devices);
    for (std::size_t j = 0; j < at(f.devices); ++j) {
        near_left_[j] -= near[j];
        side_left_[j] -= side[j];
    }
    last_ = device;
    ++position_;
    look_ahead();
}

int OrderState::first_alike(int device) const
{
    const Features& f = *features_;
    for (int d = 0; d < device; ++d) {
        if (!used_[at(d)] && f.alike[at(d)] == f.alike[at(device)])
            return d;
    }
    return device;
}

std::vector<int> canonical(const Features& features, std::vector<int> order)
{
    std::vector<int> next(at(features.devices), 0);  // [class] index to look on from
    for (int& device : order) {
        const int alike = features.alike[at(device)];
        int& d = next[at(alike)];
        while (features.alike[at(d)] != alike)
            ++d;
        device = d++;
    }
    return order;
}

}  // namespace nnpiper
