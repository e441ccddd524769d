// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planners/literature/min_cut.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace nnpiper {

namespace {

std::size_t at(int i)
{
    return static_cast<std::size_t>(i);
}

class RecursiveOrder {
public:
    explicit RecursiveOrder(const Matrix& weights)
        : weights_(weights)
    {
    }

    void place(const std::vector<int>& part)
    {
        if (part.size() == 1) {
            order_.push_back(part.front());
            return;
        }
        const int n = static_cast<int>(part.size());
        Matrix inside(n, n);
        for (int a = 0; a < n; ++a) {
            for (int b = 0; b < n; ++b)
                inside(a, b) = weights_(part[at(a)], part[at(b)]);
        }
        std::vector<int> one, other;
        const GraphCut cut = min_cut(inside);
        for (int v = 0; v < n; ++v)
            (std::binary_search(cut.side.begin(), cut.side.end(), v) ? one : other).push_back(part[at(v)]);
        if (other.front() < one.front())
            std::swap(one, other);
        if (joined(other) > joined(one))
            std::swap(one, other);
        place(one);
        place(other);
    }

    std::vector<int> order() && { return std::move(order_); }

private:
    /// Mean weight to what has been placed.
    double joined(const std::vector<int>& part) const
    {
        double total = 0;
        for (const int before : order_) {
            for (const int v : part)
                total += weights_(before, v);
        }
        return total / static_cast<double>(part.size());
    }

    const Matrix& weights_;
    std::vector<int> order_;
};

}  // namespace

GraphCut min_cut(const Matrix& weights)
{
    const int n = weights.rows();
    Matrix merged = weights;
    std::vector<std::vector<int>> members(at(n));
    std::vector<int> alive(at(n));
    std::iota(alive.begin(), alive.end(), 0);
    for (int v = 0; v < n; ++v)
        members[at(v)] = {v};
    GraphCut best;
    best.weight = std::numeric_limits<double>::infinity();
    while (alive.size() > 1) {
        // Always the vertex most tightly joined to those taken; the last one alone is a lightest cut between it and the
        // one before.
        std::vector<double> joined(at(n), 0);
        std::vector<int> left = alive;
        int before = -1, last = -1;
        while (!left.empty()) {
            const auto next =
                std::max_element(left.begin(), left.end(), [&](int a, int b) { return joined[at(a)] < joined[at(b)]; });
            before = last;
            last = *next;
            left.erase(next);
            for (const int v : left)
                joined[at(v)] += merged(last, v);
        }
        if (best.side.empty() || joined[at(last)] < best.weight) {
            best.weight = joined[at(last)];
            best.side = members[at(last)];
        }
        members[at(before)].insert(members[at(before)].end(), members[at(last)].begin(), members[at(last)].end());
        for (const int v : alive) {
            if (v != before && v != last) {
                merged(before, v) += merged(last, v);
                merged(v, before) = merged(before, v);
            }
        }
        std::erase(alive, last);
    }
    std::sort(best.side.begin(), best.side.end());
    return best;
}

std::vector<int> min_cut_order(const Matrix& weights)
{
    std::vector<int> all(at(weights.rows()));
    std::iota(all.begin(), all.end(), 0);
    if (all.empty())
        return all;
    RecursiveOrder order(weights);
    order.place(all);
    return std::move(order).order();
}

}  // namespace nnpiper
