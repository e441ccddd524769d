// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStyledItemDelegate>

namespace nnpiper {

/// Cells of the table of measured runs. The error column is a chart: all rows share one axis with a line at zero, and
/// each shows the error before (grey) and after (accent) joined by a line, and that of the run left out as a ring.
class ErrorDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    /// Pixel of an error on an axis over a cell that shows everything from `least` (at most 0) to `greatest`.
    static double position(const QRectF& cell, double error, double least, double greatest);

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override;
};

}  // namespace nnpiper
