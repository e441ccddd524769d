// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/nnpiper/lesson.h"

#include <nlohmann/json.hpp>

#include <functional>
#include <string>
#include <vector>

namespace nnpiper {

/// How far the network alone stays behind a longer local search, on problems that no training sees. Gaps are geometric
/// means of makespan / reference, less 1, each at most doubled.
struct ValidationFigures {
    struct Group {
        std::string name;          ///< "64x16x16": layers x devices x stages
        int problems = 0;
        double raw = 0;            ///< devices and layers as the network names them, greedily
        double greedy = 0;         ///< greedy order, split
        double best_of_16 = 0;
    };
    std::vector<Group> groups;

    /// "64x16x16 best of 16 +2.1 %, greedy +6.3 %, raw +8.0 % (n=8); ..."
    std::string text() const;
    nlohmann::ordered_json json() const;
    /// Of the best of 16, over the groups.
    double mean_best_gap() const;
};

/// A fixed set of evaluation problems of five sizes with their reference plans (made once, some seconds).
class Validation {
public:
    Validation();
    ValidationFigures measure(const Decoder& decoder, const std::function<DecoderTables(const Features&)>& encode) const;

private:
    struct Group {
        std::string name;
        std::vector<Lesson> lessons;
        std::vector<double> references;   ///< scores of longer searches
    };
    std::vector<Group> groups_;
};

}  // namespace nnpiper
