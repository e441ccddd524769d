// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan/op.h"

namespace nnpiper {

/// ZB-H2 (Qi et al., ICLR 2024) with its weight gradients put off further: stage s runs 2 (p - s) - 1 forwards, then a
/// backward, the weight gradient of the micro-batch floor(lag s) before it, and a forward in turn, and the weight
/// gradients left at the end. ZB-H2 itself has a lag of 2. With the lag of the least span this is what the authors'
/// search finds where weight gradients are short (ZB-2p): it has the bubble rates that they computed. One list for each
/// of p stages of m micro-batches.
OpOrder delayed_weights_order(int stages, int micro_batches, double lag);

}  // namespace nnpiper
