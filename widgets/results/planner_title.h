// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <string>

namespace nnpiper {

/// The planner's title from the registry ("NN-Piper", "Local search" in the user's language), its bare name when it is
/// not registered (a plan from a file).
QString plannerTitle(const std::string& planner);

}  // namespace nnpiper
