// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/nnpiper/features.h"

#include <span>
#include <vector>

namespace nnpiper {

/// Which devices an order begun may take next, and the figures of it that the network sees. One object walks one order;
/// sampling, training and the tests share it.
///
/// Memory: stages that take as many layers as fit, but leave one for each behind them, reach as far as a split of the order
/// can. A device may come next when the stages behind it, given the unused devices by falling capacity (and last the
/// smallest that holds the last layer), then still reach the last layer; so an order that begins with such a completion
/// ends with one.
class OrderState {
public:
    explicit OrderState(const Features& features);

    int position() const { return position_; }
    int last() const { return last_; }  ///< -1 at the start
    /// Marks the devices that may come next [D]: not used, where its lock wants it and no other's place, with a route from
    /// the last one, and such that the layers still fit. Gives way from the last to the first rule when nothing is left.
    void allowed(std::span<std::uint8_t> mask) const;
    /// FeatureSizes::progress numbers: layers reached by memory, speed so far and still needed a stage, what stays
    /// behind unused near the last device, and how soon the layers end by memory.
    void progress(std::span<float> out) const;
    /// [FeatureSizes::option][D] numbers of every device as the next: what would be left near it, layers that it would
    /// hold, and how soon the layers would end.
    void options(std::span<float> out) const;
    void take(int device);
    /// The unused device with the lowest index of those that `device` cannot be told from.
    int first_alike(int device) const;

private:
    struct Outlook {
        int reached = 0;     ///< layers with the next stage
        float slack = -1;    ///< share of the stages behind it that memory does not need; negative when the layers do not fit
    };
    void look_ahead();
    Outlook outlook_of(int memory_class);

    const Features* features_;
    std::vector<std::uint8_t> used_;
    std::vector<int> near_left_, side_left_;   ///< [D] unused neighbours
    std::vector<int> free_;                    ///< [memory class] unused devices
    std::vector<Outlook> outlook_;             ///< [memory class] if a device of it came next
    int position_ = 0;
    int last_ = -1;
    int reached_ = 0;
    int wanted_left_ = 0;
    float speed_ = 0;
    float slack_ = 0;
};

/// The order with devices that cannot be told from each other in the order of their indices.
std::vector<int> canonical(const Features& features, std::vector<int> order);

}  // namespace nnpiper
