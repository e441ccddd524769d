// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/study/quality_figures.h"

#include <string>
#include <vector>

namespace nnpiper::cli {

/// A table of figures by group and method, then what was skipped and which plans beat the best known.
std::string quality_text(const std::vector<QualityTrial>& trials, const std::vector<QualityMethod>& methods);

/// The same with every trial. `source` is "frozen", "fresh" or a folder.
std::string quality_json(const std::vector<QualityTrial>& trials, const std::vector<QualityMethod>& methods,
                         const std::string& source);

}  // namespace nnpiper::cli
