// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan/plan.h"

#include <string>
#include <vector>

namespace nnpiper {

/// Which device group holds which stage. A chain has `stages` stages in model order; a bidirectional schedule has two
/// chains over the same devices and numbers the stages of the second one from `stages` on.
struct StageMap {
    int devices = 0;             ///< device groups
    int stages = 0;              ///< of one chain: devices x chunks
    int chains = 1;
    std::vector<int> device_of;  ///< [chain x stages + stage]

    int all_stages() const { return stages * chains; }
    int chunks() const { return devices > 0 ? stages / devices : 0; }
    bool first(int stage) const { return stage % stages == 0; }
    bool last(int stage) const { return (stage + 1) % stages == 0; }
    int device(int stage) const { return device_of[static_cast<std::size_t>(stage)]; }
    /// A boundary between stages of one device costs nothing.
    bool crosses(int boundary) const { return !last(boundary) && device(boundary) != device(boundary + 1); }
    bool operator==(const StageMap&) const = default;
};

/// Stage k on device k.
StageMap straight_map(int devices);

/// One chunk a device but for interleaved (round and round), ZB-V and DualPipeV (two chunks, down and up), Hanayo
/// (2 x waves chunks in a zigzag). Chimera and DualPipe run a second chain in the opposite direction.
/// `chunks` is what Plan::chunks_per_device says. Throws Error when the schedule cannot have that many.
StageMap stage_map(ScheduleKind kind, int devices, int chunks);

/// What a schedule takes where nobody says: 2 for interleaved, ZB-V and DualPipeV, 4 for Hanayo, else 1.
int default_chunks(ScheduleKind kind);

bool is_bidirectional(ScheduleKind kind);
/// The schedule runs input and weight gradient apart.
bool splits_backward(ScheduleKind kind);
/// Forward passes only.
bool is_inference(ScheduleKind kind);

/// Where the stages of an order sit. Throws Error at `place` when a stage is on two devices or missing, or when the
/// devices do not hold equally many.
StageMap map_of_order(const OpOrder& order, const std::string& place);

/// One behind the highest micro-batch.
int micro_batches_of(const OpOrder& order);

}  // namespace nnpiper
