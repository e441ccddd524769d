// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/problem/matrix.h"

#include <vector>

namespace nnpiper {

/// Two sides of a graph and the weight of the edges between them.
struct GraphCut {
    double weight = 0;
    std::vector<int> side;  ///< vertices of one side, ascending; the other side has the rest, neither is empty
};

/// The lightest cut of a complete graph with symmetric weights, at least two vertices (Stoer and Wagner, A simple
/// min-cut algorithm, J. ACM 1997); O(n^3).
GraphCut min_cut(const Matrix& weights);

/// Vertices in one row by cutting recursively: each side stays together, the side that is joined more strongly to what
/// stands before it comes first (else the one with the lowest vertex); O(n^4) at worst.
std::vector<int> min_cut_order(const Matrix& weights);

}  // namespace nnpiper
