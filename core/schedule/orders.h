// SPDX-License-Identifier: GPL-3.0-or-later
// One function a family of schedules; op_order() chooses among them. Shapes have been checked.
#pragma once

#include "core/schedule/schedule.h"

namespace nnpiper {

OpOrder gpipe_order(int stages, int micro_batches);
/// 1F1B with launch counts L: L_s forwards, then backward and forward in turn.
OpOrder launch_order(const std::vector<int>& launch_counts, int micro_batches);
OpOrder forward_order(int stages, int micro_batches);
OpOrder interleaved_order(const StageMap& map, int micro_batches);
OpOrder zb_h1_order(int stages, int micro_batches);
/// `weight_lag`: weight gradients of stage s run floor(lag s) micro-batches behind; 2 is ZB-H2. Where weight gradients are
/// short, the lag of the least span has the bubble rates that the authors computed for their search (ZB-2p).
OpOrder zb_h2_order(int stages, int micro_batches, double weight_lag = 2);
OpOrder zb_v_order(const StageMap& map, int micro_batches);
OpOrder chimera_order(const StageMap& map, int micro_batches);
OpOrder dualpipe_order(const StageMap& map, int micro_batches);
OpOrder dualpipe_v_order(const StageMap& map, int micro_batches);
OpOrder hanayo_order(const StageMap& map, int micro_batches);

/// L_s = p - s, or 2 (p - s) - 1 for eager 1F1B.
std::vector<int> default_launch_counts(ScheduleKind kind, int stages);

}  // namespace nnpiper
