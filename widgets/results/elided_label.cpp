// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/results/elided_label.h"

#include <QPainter>
#include <QStyle>
#include <QStyleOption>

namespace nnpiper {

void ElidedLabel::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const QRect area = contentsRect();
    const QString shown = fontMetrics().elidedText(text(), Qt::ElideRight, area.width());
    if (toolTip() != (shown == text() ? QString() : text()))
        setToolTip(shown == text() ? QString() : text());
    style()->drawItemText(&painter, area, static_cast<int>(alignment()), palette(), isEnabled(), shown,
                          foregroundRole());
}

}  // namespace nnpiper
