// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/simulator/timeline.h"

#include <vector>

namespace nnpiper {

enum class IdleCause : unsigned char {
    warm_up,     ///< before the device's first op
    drain,       ///< behind its last op
    dependency,  ///< an op that it needed was still running elsewhere
    link,        ///< a message was on its way, or its own blocked it
    unused,      ///< it runs nothing at all
};

/// A stretch of time in which a device group runs nothing.
struct IdlePiece {
    double start_s = 0;
    double end_s = 0;
    IdleCause cause = IdleCause::dependency;
};

/// The idle time of one device group in order, between the first start and the last end of the whole timeline. A gap before
/// an op that waited for a message is dependency until the message's producer had ended and the link's from then on.
/// Throws nothing; needs makespan_s and ops only.
std::vector<IdlePiece> idle_pieces(const Timeline& timeline, int row);

/// The part of a bubble that a cause counts to; a device that runs nothing has none but imbalance.
double& part_of(Bubble& bubble, IdleCause cause);

}  // namespace nnpiper
