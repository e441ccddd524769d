// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/simulator/timeline.h"

#include <string>

namespace nnpiper {

/// Every op and message as a row of comma-separated values, times in seconds, for a spreadsheet or a notebook. Columns:
/// what (forward, backward, backward-input, backward-weight, send-activation, send-gradient), device_group, devices
/// (joined by spaces), stage, to_stage (messages), micro_batch, start_s, end_s, arrive_s (messages), waited_for (ops:
/// nothing, device, transfer, sending; messages: nothing, channel). Ops first, then messages.
std::string timeline_csv(const Timeline& timeline);

}  // namespace nnpiper
