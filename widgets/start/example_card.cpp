// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/start/example_card.h"

#include "widgets/start/cluster_thumbnail.h"
#include "widgets/theme/colors.h"

#include <QEnterEvent>
#include <QEvent>
#include <QPainter>
#include <QTextLayout>

namespace nnpiper {
namespace {

constexpr double smallestPicture = 104;
constexpr int textLines = 5;
constexpr double margin = 14;

/// At most `most` lines of wrapped text, the last one with an ellipsis where more would follow.
void drawLines(QPainter& painter, const QRectF& area, const QString& text, int most)
{
    QTextLayout layout(text, painter.font());
    layout.beginLayout();
    double y = 0;
    const QFontMetricsF metrics(painter.font());
    for (int number = 0; number < most; ++number) {
        QTextLine line = layout.createLine();
        if (!line.isValid())
            break;
        line.setLineWidth(area.width());
        const bool last = number + 1 == most || y + 2 * metrics.lineSpacing() > area.height();
        const int from = line.textStart();
        const QPointF corner = area.topLeft() + QPointF(0, y + metrics.ascent());
        if (last && from + line.textLength() < text.size()) {
            painter.drawText(corner, metrics.elidedText(text.mid(from), Qt::ElideRight, area.width()));
            break;
        }
        painter.drawText(corner, text.mid(from, line.textLength()).trimmed());
        y += metrics.lineSpacing();
        if (last)
            break;
    }
    layout.endLayout();
}

}  // namespace

ExampleCard::ExampleCard(Example example, QWidget* parent)
    : QAbstractButton(parent)
    , example_(std::move(example))
{
    setCursor(Qt::PointingHandCursor);
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    setMinimumSize(220, sizeHint().height() - 20);
    setMaximumHeight(400);
    retranslateUi();
}

QSize ExampleCard::sizeHint() const
{
    return {330, static_cast<int>(smallestPicture) + textLines * fontMetrics().lineSpacing() + 54};
}

QString ExampleCard::facts() const
{
    const Project& project = example_.project;
    return tr("%1 devices in %2 machines · %3")
        .arg(project.cluster.devices.size())
        .arg(project.cluster.nodes.size())
        .arg(QString::fromStdString(project.model.architecture.name));
}

void ExampleCard::retranslateUi()
{
    setText(QString::fromStdString(example_.project.name));
    setAccessibleName(text());
    setAccessibleDescription(QString::fromStdString(example_.project.description));
    setToolTip(QString::fromStdString(example_.project.description));
    update();
}

void ExampleCard::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const bool lifted = underMouse() || hasFocus();
    const QRectF frame = QRectF(rect()).adjusted(0.75, 0.75, -0.75, -0.75);
    painter.setPen(QPen(roleColor(lifted ? ColorRole::accent : ColorRole::cardBorder, palette()), lifted ? 1.5 : 1));
    painter.setBrush(roleColor(isDown() ? ColorRole::hover : ColorRole::card, palette()));
    painter.drawRoundedRect(frame, 8, 8);

    // What the text does not need belongs to the picture.
    const double textHeight = textLines * fontMetrics().lineSpacing() + 40;
    const QRectF picture(margin, margin, width() - 2 * margin,
                         qMax(smallestPicture - 20, height() - margin - textHeight));
    painter.setPen(Qt::NoPen);
    painter.setBrush(roleColor(ColorRole::track, palette()));
    painter.drawRoundedRect(picture, 5, 5);
    paintClusterThumbnail(painter, picture.adjusted(14, 12, -14, -12), example_.project.cluster, palette());

    QFont bold = font();
    bold.setBold(true);
    const QFontMetricsF boldMetrics(bold);
    const double textWidth = width() - 2 * margin;
    double y = picture.bottom() + 10;
    painter.setFont(bold);
    painter.setPen(roleColor(ColorRole::text, palette()));
    painter.drawText(QRectF(margin, y, textWidth, boldMetrics.height()), Qt::AlignVCenter | Qt::AlignLeft,
                     boldMetrics.elidedText(this->text(), Qt::ElideRight, textWidth));
    y += boldMetrics.height() + 3;
    painter.setFont(font());
    painter.setPen(roleColor(ColorRole::accent, palette()));
    const QFontMetricsF metrics(font());
    painter.drawText(QRectF(margin, y, textWidth, metrics.height()), Qt::AlignVCenter | Qt::AlignLeft,
                     metrics.elidedText(facts(), Qt::ElideRight, textWidth));
    y += metrics.height() + 5;
    painter.setPen(roleColor(ColorRole::mutedText, palette()));
    drawLines(painter, QRectF(margin, y, textWidth, height() - y - 8),
              QString::fromStdString(example_.project.description), 3);
}

void ExampleCard::changeEvent(QEvent* event)
{
    QAbstractButton::changeEvent(event);
    if (event->type() == QEvent::LanguageChange)
        retranslateUi();
    update();
}

void ExampleCard::enterEvent(QEnterEvent* event)
{
    update();
    QAbstractButton::enterEvent(event);
}

void ExampleCard::leaveEvent(QEvent* event)
{
    update();
    QAbstractButton::leaveEvent(event);
}

}  // namespace nnpiper
