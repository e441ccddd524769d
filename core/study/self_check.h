// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/control.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace nnpiper {

enum class CheckOutcome { passed, failed, skipped };

struct CheckResult {
    std::string name;
    CheckOutcome outcome = CheckOutcome::passed;
    std::string message;  ///< what went wrong (first case) or why skipped; else what was covered
};

/// Checks the installed program against itself and the literature, without test data or Qt: closed forms of GPipe and
/// 1F1B, the fast engine against the detailed one on random pipelines, the plans of every registered planner on random
/// problems, and the network on CPU against CUDA where both are there. Each result is handed to `report` (may be empty)
/// when it is known. Throws nothing: what escapes from a check is a failure.
std::vector<CheckResult> self_check(std::uint64_t seed, const Control& control,
                                    const std::function<void(const CheckResult&)>& report);

}  // namespace nnpiper
