// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QRectF>

#include <algorithm>
#include <cmath>

namespace nnpiper {

/// Rows of equal height, scrolled by `offset` pixels. A value.
struct RowLayout {
    static constexpr double smallestPitch = 22;
    static constexpr double largestPitch = 60;

    int rows = 0;
    double top = 0;     ///< pixel of the viewport's upper edge
    double height = 0;  ///< of the viewport
    double pitch = 46;
    double offset = 0;

    /// Rows share the height between the smallest and the largest pitch.
    static RowLayout make(int rows, double top, double height, double offset)
    {
        RowLayout layout;
        layout.rows = rows;
        layout.top = top;
        layout.height = height;
        layout.pitch = std::clamp(rows > 0 ? height / rows : largestPitch, smallestPitch, largestPitch);
        layout.offset = std::clamp(offset, 0.0, layout.hidden());
        return layout;
    }

    /// Pixels of rows that do not fit.
    double hidden() const { return std::max(0.0, rows * pitch - height); }
    double rowTop(int row) const { return top + row * pitch - offset; }
    double barTop(int row) const { return rowTop(row) + pitch * 0.14; }
    double barHeight() const { return pitch * 0.58; }
    double tickTop(int row) const { return rowTop(row) + pitch * 0.78; }
    double tickHeight() const { return std::max(3.0, pitch * 0.12); }
    bool visible(int row) const { return rowTop(row) + pitch > top && rowTop(row) < top + height; }

    /// -1 outside.
    int rowAt(double y) const
    {
        if (y < top || y >= top + height)
            return -1;
        const int row = static_cast<int>(std::floor((y - top + offset) / pitch));
        return row >= 0 && row < rows ? row : -1;
    }
    /// Whether y lies in the stripe of messages under the bars.
    bool inTicks(int row, double y) const { return y >= barTop(row) + barHeight(); }
};

}  // namespace nnpiper
