// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan/plan.h"
#include "core/problem/problem.h"

#include <QString>

namespace nnpiper {

/// The part of a catalogue name by which people call a card: "A100 SXM 80 GB" is "A100", "GeForce RTX 2080 Ti" "2080
/// Ti".
QString shortDeviceType(const QString& type);

/// Short name that tells a device from its like: "A100-0"; its id where the problem knows no type; the type alone where
/// there is only one of it.
QString deviceLabel(const Problem& problem, int device);

/// "A100-0", or "A100 ×4" for replicas of one type, "A100-0 +2" for mixed ones.
QString stageDeviceLabel(const Problem& problem, const Stage& stage);
/// The type alone where all are alike: "A100", "A100 ×4".
QString stageTypeLabel(const Problem& problem, const Stage& stage);

}  // namespace nnpiper
