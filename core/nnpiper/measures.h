// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/planners/order_network.h"

#include <array>
#include <cstdint>
#include <vector>

namespace nnpiper {

/// Everything about the question in balanced stage times and shares of the whole.
struct Measures {
    static constexpr int quarters = 4;

    int layers = 0;
    int devices = 0;
    int stages = 0;
    int micro_batches = 0;
    bool gpipe = false;
    double stage_s = 0;                              ///< balanced stage time
    std::vector<double> whole_s;                     ///< [D] all layers on this device
    std::vector<std::array<double, quarters>> tilt;  ///< [D] log of relative slowness by depth
    std::vector<double> work;                        ///< [L] share
    std::vector<double> state;                       ///< [L] bytes
    std::vector<double> stored;                      ///< [L] bytes a micro-batch
    std::vector<double> memory;                      ///< [D] bytes left after transients
    std::vector<double> occupancy;                   ///< [D][D] stage times
    std::vector<double> latency;                     ///< [D][D] stage times
    std::vector<double> both_ways;                   ///< [D][D] stage times, occupancy and latency of both directions
    std::vector<std::uint8_t> route;

    std::size_t at(int i, int j) const
    {
        return static_cast<std::size_t>(i) * static_cast<std::size_t>(devices) + static_cast<std::size_t>(j);
    }
    double in_flight(int position) const { return gpipe ? micro_batches : std::min(micro_batches, stages - position); }
};

/// Indices of the devices that no lock keeps idle.
std::vector<int> usable_devices_of(const Problem& problem);

/// Throws Error when there are fewer usable devices or layers than stages.
Measures measure(const NetworkQuestion& question, const std::vector<int>& usable);

}  // namespace nnpiper
