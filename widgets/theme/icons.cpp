// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/theme/icons.h"

#include "widgets/theme/resources.h"

#include <QFile>
#include <QIconEngine>
#include <QPainter>
#include <QPalette>
#include <QPixmapCache>
#include <QSvgRenderer>

namespace nnpiper {
namespace {

struct IconColors {
    QColor normal;
    QColor checked;
    QColor disabled;
    QColor selected;
};

/// Draws the SVG text with its `currentColor` replaced.
class LineIconEngine : public QIconEngine {
public:
    LineIconEngine(QByteArray svg, IconColors colors)
        : svg_(std::move(svg))
        , colors_(std::move(colors))
    {
    }

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State state) override
    {
        QByteArray colored = svg_;
        colored.replace("currentColor", colorOf(mode, state).name(QColor::HexRgb).toLatin1());
        QSvgRenderer renderer(colored);
        const int side = qMin(rect.width(), rect.height());
        const QRectF square(rect.x() + (rect.width() - side) / 2.0, rect.y() + (rect.height() - side) / 2.0, side,
                            side);
        renderer.render(painter, square);
    }

    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override
    {
        const QString key = QStringLiteral("nnpiper-icon-%1-%2-%3x%4")
                                .arg(qHash(svg_))
                                .arg(colorOf(mode, state).name())
                                .arg(size.width())
                                .arg(size.height());
        QPixmap pixmap;
        if (QPixmapCache::find(key, &pixmap))
            return pixmap;
        pixmap = QPixmap(size);
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        paint(&painter, QRect(QPoint(0, 0), size), mode, state);
        painter.end();
        QPixmapCache::insert(key, pixmap);
        return pixmap;
    }

    QIconEngine* clone() const override { return new LineIconEngine(*this); }
    bool isNull() override { return svg_.isEmpty(); }

private:
    QColor colorOf(QIcon::Mode mode, QIcon::State state) const
    {
        if (mode == QIcon::Disabled)
            return colors_.disabled;
        if (mode == QIcon::Selected)
            return colors_.selected;
        return state == QIcon::On ? colors_.checked : colors_.normal;
    }

    QByteArray svg_;
    IconColors colors_;
};

}  // namespace

QIcon themedIcon(const QString& name, const QPalette& palette, ColorRole role)
{
    ensureResources();
    QFile file(QStringLiteral(":/icons/%1.svg").arg(name));
    if (!file.open(QIODevice::ReadOnly))
        return {};
    const QColor normal = roleColor(role, palette);
    const IconColors colors{normal, role == ColorRole::text ? roleColor(ColorRole::accent, palette) : normal,
                            blend(roleColor(ColorRole::mutedText, palette), roleColor(ColorRole::card, palette), 0.45),
                            normal};
    return QIcon(new LineIconEngine(file.readAll(), colors));
}

}  // namespace nnpiper
