// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/results/legend.h"

#include <QPainter>

namespace nnpiper {
namespace {

constexpr int swatch = 9;
constexpr int gap = 6;
constexpr int between = 18;

}  // namespace

Legend::Legend(QWidget* parent)
    : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
}

void Legend::setEntries(QList<Entry> entries)
{
    entries_ = std::move(entries);
    updateGeometry();
    update();
}

QSize Legend::sizeHint() const
{
    int width = 0;
    for (const Entry& entry : entries_)
        width += swatch + gap + fontMetrics().horizontalAdvance(entry.text) + between;
    return {width, fontMetrics().height() + 4};
}

QSize Legend::minimumSizeHint() const
{
    return {20, sizeHint().height()};
}

void Legend::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    double x = 0;
    const double middle = height() / 2.0;
    for (const Entry& entry : entries_) {
        const int text = fontMetrics().horizontalAdvance(entry.text);
        if (x + swatch + gap + text > width())
            break;
        const QColor color = roleColor(entry.role, palette());
        if (entry.line) {
            painter.setPen(QPen(color, 2));
            painter.drawLine(QPointF(x, middle), QPointF(x + swatch + 2, middle));
        } else {
            painter.setPen(Qt::NoPen);
            painter.setBrush(color);
            painter.drawRoundedRect(QRectF(x, middle - swatch / 2.0, swatch, swatch), 2, 2);
        }
        painter.setPen(roleColor(ColorRole::mutedText, palette()));
        painter.drawText(QRectF(x + swatch + gap, 0, text + 2, height()), Qt::AlignVCenter | Qt::AlignLeft, entry.text);
        x += swatch + gap + text + between;
    }
}

}  // namespace nnpiper
