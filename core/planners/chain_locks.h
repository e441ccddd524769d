// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/problem/problem.h"

#include <vector>

namespace nnpiper {

/// A problem's locks as single-device stages keep them. Devices locked idle are left out beforehand.
class ChainLocks {
public:
    explicit ChainLocks(const Problem& problem);

    bool any() const { return any_; }
    /// Whether some lock wants the device to be used.
    bool wants(int device) const { return wanted_[static_cast<std::size_t>(device)] != 0; }
    /// Whether the device may be that stage with layers [first, end).
    bool allow(int device, int stage, int first, int end) const;

private:
    struct Place {
        std::vector<int> devices;
        const Lock* lock;
    };
    std::vector<Place> places_;    ///< of locks that are not idle
    std::vector<char> wanted_;     ///< [device]
    bool any_ = false;
};

}  // namespace nnpiper
