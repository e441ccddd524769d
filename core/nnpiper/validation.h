// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/nnpiper/training_data.h"

#include <functional>

namespace nnpiper {

/// How far orders from the network alone stay behind a longer local search, on problems that no training sees.
struct ValidationFigures {
    struct Group {
        std::string name;          ///< "64x16x16": layers x devices x stages
        int problems = 0;
        double greedy = 0;         ///< geometric mean of makespan / reference, less 1; at most doubled; greedy order split
                                       ///< by the DP
        double best_of_16 = 0;
    };
    std::vector<Group> groups;

    /// "64x16x16 best of 16 +2.1 %, greedy +6.3 % (n=8); ..."
    std::string text() const;
};

/// A fixed set of evaluation problems of three sizes with their reference plans (made once, some seconds).
class Validation {
public:
    Validation();
    ValidationFigures measure(const Decoder& decoder, const std::function<DecoderTables(const Features&)>& encode) const;

private:
    struct Group {
        std::string name;
        std::vector<Lesson> lessons;      ///< label: the reference
    };
    std::vector<Group> groups_;
};

}  // namespace nnpiper
