// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/study/engine_bench.h"
#include "core/study/planner_bench.h"

#include <string>
#include <vector>

namespace nnpiper::cli {

/// A table of means for every group, and who was skipped and why.
std::string bench_text(const std::vector<BenchTrial>& trials, const BenchQuestion& question);
/// Means and every single trial.
std::string bench_json(const std::vector<BenchTrial>& trials, const BenchQuestion& question);

std::string engines_text(const std::vector<EngineSpeed>& speeds);
std::string engines_json(const std::vector<EngineSpeed>& speeds);

}  // namespace nnpiper::cli
