// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace nnpiper {

/// Row-major rectangle of doubles.
class Matrix {
public:
    Matrix() = default;
    Matrix(int rows, int columns, double value = 0)
        : rows_(rows), columns_(columns), values_(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns), value)
    {
    }

    int rows() const { return rows_; }
    int columns() const { return columns_; }
    bool empty() const { return values_.empty(); }
    double& operator()(int row, int column) { return values_[index(row, column)]; }
    double operator()(int row, int column) const { return values_[index(row, column)]; }
    std::span<const double> row(int r) const { return {values_.data() + index(r, 0), static_cast<std::size_t>(columns_)}; }

private:
    std::size_t index(int row, int column) const
    {
        return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns_) + static_cast<std::size_t>(column);
    }
    int rows_ = 0;
    int columns_ = 0;
    std::vector<double> values_;
};

}  // namespace nnpiper
