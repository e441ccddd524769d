// SPDX-License-Identifier: GPL-3.0-or-later
// What the palette adds to the canvas, by dropping and by a double click.
#include "widgets/canvas/arrange.h"
#include "widgets/canvas/canvas_scene.h"
#include "widgets/canvas/canvas_view.h"
#include "widgets/canvas/element_item.h"
#include "widgets/canvas/geometry.h"
#include "widgets/document/container_edits.h"
#include "widgets/document/selection.h"
#include "widgets/palette/palette_item.h"

#include <QDragEnterEvent>
#include <QMimeData>

namespace nnpiper {

void CanvasView::addFromPalette(const QByteArray& mime, QPointF point)
{
    const auto item = PaletteItem::fromMime(mime);
    if (!item)
        return;
    const std::string node = canvas_->nodeAt(point);
    const std::string container = canvas_->containerAt(point);
    const bool joins = !container.empty() && item->kind != PaletteItem::Kind::link
                       && (node.empty() || item->kind != PaletteItem::Kind::device);
    if (joins)
        document_.undoStack().beginMacro(tr("Add to %1").arg(QString::fromStdString(container)));
    const QString added = item->addTo(document_, QString::fromStdString(node),
                                      QString::fromStdString(canvas_->elementAt(point)), point);
    if (joins) {
        edits::moveInto(document_, {added}, QString::fromStdString(container));
        document_.undoStack().endMacro();
    }
    if (!added.isEmpty())
        document_.selection().set({added});
}

void CanvasView::addFromPalette(const QByteArray& mime)
{
    const auto item = PaletteItem::fromMime(mime);
    if (!item || item->kind == PaletteItem::Kind::link)
        return;
    const Project& project = document_.project();
    QString node;
    if (item->kind == PaletteItem::Kind::device && document_.selection().ids().size() == 1) {
        const std::string chosen = document_.selection().ids().front().toStdString();
        const Device* beside = find_device(project.cluster, chosen);
        node = QString::fromStdString(beside ? beside->node : find_node(project.cluster, chosen) ? chosen : "");
    }
    const QSizeF size = item->size();
    const QPointF half(size.width() / 2, size.height() / 2);
    const QPointF middle = mapToScene(viewport()->rect().center());
    const QString added = item->addTo(document_, node, {}, freePlace(project, size, middle - half) + half);
    document_.selection().set({added});
    if (const auto* drawn = canvas_->item(added.toStdString()))
        ensureVisible(drawn->sceneBoundingRect(), 20, 20);
}

void CanvasView::dragEnterEvent(QDragEnterEvent* event)
{
    if (event->mimeData()->hasFormat(PaletteItem::mimeType()))
        event->acceptProposedAction();
    else
        event->ignore();
}

void CanvasView::dragMoveEvent(QDragMoveEvent* event)
{
    const auto item = PaletteItem::fromMime(event->mimeData()->data(PaletteItem::mimeType()));
    if (!item) {
        event->ignore();
        return;
    }
    const QPointF point = mapToScene(event->position().toPoint());
    std::string target = item->target(canvas_->nodeAt(point), canvas_->elementAt(point), document_.project().cluster);
    if (target.empty() && item->kind != PaletteItem::Kind::link)
        target = canvas_->containerAt(point);
    canvas_->setDropTarget(target);
    event->acceptProposedAction();
}

void CanvasView::dragLeaveEvent(QDragLeaveEvent* event)
{
    canvas_->setDropTarget({});
    event->accept();
}

void CanvasView::dropEvent(QDropEvent* event)
{
    canvas_->setDropTarget({});
    QPointF point = mapToScene(event->position().toPoint());
    if (!(event->modifiers() & Qt::AltModifier) && canvas_->elementAt(point).empty())
        point = geometry::snapped(point);
    addFromPalette(event->mimeData()->data(PaletteItem::mimeType()), point);
    event->acceptProposedAction();
    setFocus();
}

}  // namespace nnpiper
