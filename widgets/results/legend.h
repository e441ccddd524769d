// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/theme/colors.h"

#include <QList>
#include <QWidget>

namespace nnpiper {

/// One line of "swatch text" pairs; entries that do not fit are left out from the end, never clipped.
class Legend : public QWidget {
    Q_OBJECT

public:
    struct Entry {
        ColorRole role;
        QString text;
        bool line = false;  ///< a stroke instead of a filled swatch
    };

    explicit Legend(QWidget* parent = nullptr);

    void setEntries(QList<Entry> entries);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QList<Entry> entries_;
};

}  // namespace nnpiper
