// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/problem/problem.h"

#include <vector>

namespace nnpiper {

struct Chain;

/// Devices that no lock keeps idle, in the problem's order.
std::vector<int> given_order(const Problem& problem);

/// A problem's locks as single-device stages keep them. Devices locked idle are left out beforehand.
class ChainLocks {
public:
    explicit ChainLocks(const Problem& problem);

    bool any() const { return any_; }
    /// Whether some lock wants the device to be used.
    bool wants(int device) const { return wanted_[static_cast<std::size_t>(device)] != 0; }
    /// Whether the device may be that stage with layers [first, end).
    bool allow(int device, int stage, int first, int end) const;
    /// Devices that are not in use, or not where their locks want them.
    int broken(const Chain& chain) const;
    /// The order with locked devices in their stages, or in use at least; the others stay as far as they can.
    std::vector<int> keep(std::vector<int> order) const;

private:
    struct Place {
        std::vector<int> devices;
        const Lock* lock;
    };
    std::vector<Place> places_;  ///< of locks that are not idle
    std::vector<char> wanted_;   ///< [device]
    bool any_ = false;
};

}  // namespace nnpiper
