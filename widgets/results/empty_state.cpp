// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/results/empty_state.h"

#include "widgets/theme/colors.h"
#include "widgets/theme/icons.h"

#include <QPainter>

namespace nnpiper {

EmptyState::EmptyState(const QString& icon, QWidget* parent)
    : QWidget(parent)
    , icon_(icon)
{
}

void EmptyState::setText(const QString& title, const QString& hint)
{
    title_ = title;
    hint_ = hint;
    setAccessibleName(title);
    setAccessibleDescription(hint);
    update();
}

void EmptyState::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    QFont bold = font();
    bold.setBold(true);
    const QFontMetrics boldMetrics(bold);
    const int width = qMin(420, this->width() - 24);
    const QRect hintSpace =
        fontMetrics().boundingRect(QRect(0, 0, width, 1000), Qt::AlignHCenter | Qt::TextWordWrap, hint_);
    const int textHeight = boldMetrics.height() + 4 + hintSpace.height();
    // The icon goes first when room is short.
    const int side = height() >= textHeight + 60 ? 40 : 0;
    int y = (height() - textHeight - (side ? side + 10 : 0)) / 2;
    const int x = (this->width() - width) / 2;
    if (side) {
        painter.setOpacity(0.7);
        themedIcon(icon_, palette(), ColorRole::mutedText)
            .paint(&painter, QRect(this->width() / 2 - side / 2, y, side, side));
        painter.setOpacity(1);
        y += side + 10;
    }
    painter.setFont(bold);
    painter.setPen(roleColor(ColorRole::text, palette()));
    painter.drawText(QRect(x, y, width, boldMetrics.height()), Qt::AlignHCenter | Qt::AlignTop, title_);
    y += boldMetrics.height() + 4;
    painter.setFont(font());
    painter.setPen(roleColor(ColorRole::mutedText, palette()));
    painter.drawText(QRect(x, y, width, hintSpace.height() + 2), Qt::AlignHCenter | Qt::TextWordWrap, hint_);
}

}  // namespace nnpiper
