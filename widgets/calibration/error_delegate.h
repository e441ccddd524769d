// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStyledItemDelegate>

namespace nnpiper {

/// Cells of the table of measured runs. The error column is a chart: all rows share one axis with zero in its middle,
/// and each shows the error before (grey) and after (accent) joined by a line, and that of the run left out as a ring.
class ErrorDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    /// Pixel of an error on an axis that reaches from -span to +span over a cell.
    static double position(const QRectF& cell, double error, double span);

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override;
};

}  // namespace nnpiper
