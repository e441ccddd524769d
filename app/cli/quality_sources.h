// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/study/quality.h"
#include "core/study/quality_sets.h"

#include <functional>
#include <string>
#include <vector>

namespace nnpiper::cli {

/// Problems of one source; they are made one by one, as many large ones need much memory.
struct QualitySource {
    std::string name;  ///< "frozen", "fresh" or the folder
    std::size_t count = 0;
    std::function<QualityInstance(std::size_t)> instance;
};

/// Which sizes and kinds are asked for; empty: all.
struct QualityFilter {
    std::vector<VirtualSize> sizes;
    std::vector<VirtualKind> kinds;

    bool wants(const VirtualSize& size, VirtualKind kind) const;
};

/// The frozen set that comes with the program, at most `most` problems of every group (0: all). Problems that are
/// proved to have no plan are left out. Throws Error when the file is missing, damaged or of other problems.
QualitySource frozen_problems(const QualityFilter& filter, int most);

/// `count` new problems of every standard set that the filter wants, or of every size and kind that it names.
QualitySource fresh_problems(const QualityFilter& filter, int count, std::uint64_t seed);

/// The *.problem.json files of a folder that have a best_known; others are told on standard error. Throws Error when
/// there is none.
QualitySource problems_of_folder(const std::string& folder);

}  // namespace nnpiper::cli
