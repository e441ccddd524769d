// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>

namespace nnpiper {

/// A one-line label that ends in an ellipsis where it does not fit, with the whole text as tooltip then, and that never
/// forces its parent to be wider.
class ElidedLabel : public QLabel {
    Q_OBJECT

public:
    using QLabel::QLabel;

    QSize minimumSizeHint() const override { return {20, QLabel::minimumSizeHint().height()}; }

protected:
    void paintEvent(QPaintEvent* event) override;
};

}  // namespace nnpiper
