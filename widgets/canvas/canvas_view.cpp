// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/canvas/canvas_view.h"

#include "widgets/canvas/arrange.h"
#include "widgets/canvas/canvas_scene.h"
#include "widgets/canvas/element_item.h"
#include "widgets/canvas/geometry.h"
#include "widgets/canvas/gesture.h"
#include "widgets/canvas/overview_map.h"
#include "widgets/document/container_edits.h"
#include "widgets/document/containers.h"
#include "widgets/document/edits.h"
#include "widgets/document/selection.h"
#include "widgets/palette/palette_item.h"
#include "widgets/results/plan_strip.h"
#include "widgets/theme/colors.h"

#include <QDrag>
#include <QDragEnterEvent>
#include <QMimeData>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace nnpiper {

namespace {

constexpr double leastZoom = 0.1;
constexpr double mostZoom = 4;
constexpr double leastReadable = 0.8;
constexpr double portReach = 8;

}  // namespace

CanvasView::CanvasView(ProjectDocument& document, PlanBoard& board, QWidget* parent)
    : QGraphicsView(parent)
    , document_(document)
    , canvas_(new CanvasScene(document, board, this))
    , overview_(new OverviewMap(*this))
{
    setScene(canvas_);
    setObjectName(QStringLiteral("canvas"));
    setFrameShape(QFrame::NoFrame);
    setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing);
    setViewportUpdateMode(FullViewportUpdate);
    setTransformationAnchor(NoAnchor);
    setResizeAnchor(AnchorViewCenter);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setMouseTracking(true);
    viewport()->setMouseTracking(true);
    setAcceptDrops(true);
    setFocusPolicy(Qt::StrongFocus);
    new_link_.type = "10 GbE TCP socket";
    new_link_.bandwidth_bytes_per_s = 1.25e9;
    new_link_.achieved_fraction = 0.88;
    new_link_.latency_s = 40e-6;
    connect(&document, &ProjectDocument::reset, this, [this] {
        gesture_.reset();
        canvas_->setDragging(false);
        fitAll();
    });
}

CanvasView::~CanvasView() = default;

void CanvasView::setMode(Mode mode)
{
    if (mode == mode_)
        return;
    mode_ = mode;
    updateCursor();
    emit modeChanged(mode);
}

void CanvasView::updateCursor()
{
    if (panning_)
        viewport()->setCursor(Qt::ClosedHandCursor);
    else if (space_held_ || mode_ == Mode::pan)
        viewport()->setCursor(Qt::OpenHandCursor);
    else if (mode_ == Mode::connect)
        viewport()->setCursor(Qt::CrossCursor);
    else
        viewport()->unsetCursor();
}

void CanvasView::zoomBy(double factor, QPoint at)
{
    follows_fit_ = false;
    const double target = std::clamp(zoom() * factor, leastZoom, mostZoom);
    const QPointF before = mapToScene(at);
    setTransform(QTransform::fromScale(target, target));
    const QPointF away = mapFromScene(before) - at;
    horizontalScrollBar()->setValue(horizontalScrollBar()->value() + static_cast<int>(std::lround(away.x())));
    verticalScrollBar()->setValue(verticalScrollBar()->value() + static_cast<int>(std::lround(away.y())));
    emit zoomChanged(zoom());
}

void CanvasView::zoomBy(double factor)
{
    zoomBy(factor, viewport()->rect().center());
}

void CanvasView::resetZoom()
{
    zoomBy(1 / zoom());
}

void CanvasView::fitRect(const QRectF& rect, double most)
{
    if (rect.isEmpty()) {
        setTransform({});
        centerOn(0, 0);
    } else {
        const QSizeF room = QSizeF(viewport()->size()) - QSizeF(48, 40);
        const double scale = std::min({most, room.width() / rect.width(), room.height() / rect.height()});
        setTransform(QTransform::fromScale(std::max(leastZoom, scale), std::max(leastZoom, scale)));
        centerOn(rect.center());
    }
    emit zoomChanged(zoom());
}

void CanvasView::fit()
{
    const QRectF selected = canvas_->selectionRect();
    if (selected.isEmpty())
        fitAll();
    else
        fitRect(selected.adjusted(-20, -20, 20, 20), 2);
    follows_fit_ = selected.isEmpty();
}

void CanvasView::fitAll()
{
    fitRect(canvas_->contentRect(), 1.15);
    follows_fit_ = true;
}

void CanvasView::centerOnElement(const std::string& id)
{
    const auto* drawn = canvas_->item(shownAs(document_.project(), id));
    if (!drawn)
        return;
    follows_fit_ = false;
    const double scale = std::max(zoom(), leastReadable);
    setTransform(QTransform::fromScale(scale, scale));
    centerOn(drawn->sceneBoundingRect().center());
    emit zoomChanged(zoom());
}

void CanvasView::showSelection()
{
    const QRectF selected = canvas_->selectionRect();
    const QRectF seen = mapToScene(viewport()->rect()).boundingRect();
    if (selected.isEmpty() || seen.contains(selected))
        return;
    if (selected.width() > seen.width() || selected.height() > seen.height())
        fitRect(selected.adjusted(-20, -20, 20, 20), zoom());
    else
        ensureVisible(selected, 20, 20);
    follows_fit_ = false;
}

QStringList CanvasView::allElements() const
{
    const Cluster& cluster = document_.project().cluster;
    QStringList ids;
    const auto add = [&](const auto& list) {
        for (const auto& item : list)
            if (!canvas_->isHidden(item.id))
                ids.append(QString::fromStdString(item.id));
    };
    add(document_.project().containers);
    add(cluster.nodes);
    for (const Device& device : cluster.devices)
        if (device.node.empty() && !canvas_->isHidden(device.id))
            ids.append(QString::fromStdString(device.id));
    add(cluster.switches);
    add(cluster.links);
    return ids;
}

bool CanvasView::exportPng(const QString& path, double scale)
{
    const QRectF area = canvas_->contentRect().adjusted(-24, -24, 24, 24);
    QImage image((area.size() * scale).toSize(), QImage::Format_ARGB32_Premultiplied);
    if (image.isNull())
        return false;
    image.fill(roleColor(ColorRole::card, palette()));
    QPainter painter(&image);
    painter.setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing);
    canvas_->render(&painter, QRectF(QPointF(), QSizeF(image.size())), area);
    painter.end();
    return image.save(path, "PNG");
}

void CanvasView::wheelEvent(QWheelEvent* event)
{
    const QPoint pixels = event->pixelDelta();
    if (event->modifiers() & Qt::ShiftModifier) {
        follows_fit_ = false;
        const int delta = event->angleDelta().y() != 0 ? event->angleDelta().y() : event->angleDelta().x();
        horizontalScrollBar()->setValue(horizontalScrollBar()->value() - delta);
    } else {
        const double steps = pixels.isNull() ? event->angleDelta().y() / 120.0 : pixels.y() / 60.0;
        zoomBy(std::pow(1.15, steps), event->position().toPoint());
    }
    event->accept();
}

void CanvasView::startPan(QPoint at)
{
    panning_ = true;
    follows_fit_ = false;
    pan_from_ = at;
    updateCursor();
}

void CanvasView::startGesture(QPointF point, Qt::KeyboardModifiers modifiers)
{
    Selection& selection = document_.selection();
    const Cluster& cluster = document_.project().cluster;
    if (const std::string folded = canvas_->foldMarkAt(point); !folded.empty()) {
        edits::setCollapsed(document_, {QString::fromStdString(folded)}, !isCollapsed(document_.project(), folded));
        return;
    }
    const std::string under = canvas_->elementAt(point);
    const std::string port = mode_ == Mode::connect ? under : canvas_->portAt(point, portReach / zoom());
    if (!port.empty() && !find_link(cluster, port)) {
        gesture_ = std::make_unique<ConnectGesture>(*canvas_, port, new_link_);
        return;
    }
    const bool extend = modifiers & (Qt::ShiftModifier | Qt::ControlModifier);
    if (under.empty() || mode_ == Mode::connect) {
        gesture_ = std::make_unique<BandGesture>(*canvas_, point, extend);
        return;
    }
    const QString id = QString::fromStdString(under);
    if (extend) {
        if (selection.contains(id))
            selection.remove(id);
        else
            selection.set(selection.ids() + QStringList{id});
        return;
    }
    if (!selection.contains(id))
        selection.set({id});
    if (canvas_->isInsideNode(under)) {
        QStringList inside;
        for (const QString& chosen : selection.ids())
            if (canvas_->isInsideNode(chosen.toStdString()))
                inside.append(chosen);
        inside.removeAll(id);
        inside.prepend(id);
        gesture_ = std::make_unique<TakeOutGesture>(*canvas_, inside, point);
    } else if (!find_link(cluster, under)) {
        gesture_ = std::make_unique<MoveGesture>(*canvas_, point);
    }
}

void CanvasView::mousePressEvent(QMouseEvent* event)
{
    pointer_ = mapToScene(event->pos());
    if (event->button() == Qt::MiddleButton
        || (event->button() == Qt::LeftButton && (space_held_ || mode_ == Mode::pan))) {
        startPan(event->pos());
    } else if (event->button() == Qt::LeftButton && !gesture_) {
        startGesture(pointer_, event->modifiers());
        canvas_->setDragging(gesture_ != nullptr);
    } else if (event->button() == Qt::RightButton) {
        const QString under = QString::fromStdString(canvas_->elementAt(pointer_));
        if (!under.isEmpty() && !document_.selection().contains(under))
            document_.selection().set({under});
    }
    event->accept();
}

void CanvasView::mouseMoveEvent(QMouseEvent* event)
{
    pointer_ = mapToScene(event->pos());
    if (panning_) {
        const QPoint away = event->pos() - pan_from_;
        pan_from_ = event->pos();
        horizontalScrollBar()->setValue(horizontalScrollBar()->value() - away.x());
        verticalScrollBar()->setValue(verticalScrollBar()->value() - away.y());
    } else if (gesture_ && !viewport()->rect().contains(event->pos()) && !gesture_->draggedDevice().isEmpty()) {
        dragOut();
    } else if (gesture_) {
        gesture_->move(pointer_, event->modifiers() & Qt::AltModifier);
        viewport()->update();
    } else {
        const std::string port = canvas_->portAt(pointer_, portReach / zoom());
        canvas_->setHovered(port.empty() ? canvas_->elementAt(pointer_) : port);
        if (mode_ == Mode::select && !space_held_)
            viewport()->setCursor(port.empty() ? Qt::ArrowCursor : Qt::CrossCursor);
    }
    event->accept();
}

/// A card pulled off the canvas becomes an ordinary drag, so that it can be dropped on a stage of the plan strip.
void CanvasView::dragOut()
{
    const QString device = gesture_->draggedDevice();
    gesture_->cancel();
    gesture_.reset();
    canvas_->setDragging(false);
    auto* mime = new QMimeData;
    mime->setData(QString::fromLatin1(deviceMimeType), device.toUtf8());
    auto* drag = new QDrag(this);
    drag->setMimeData(mime);
    drag->exec(Qt::CopyAction | Qt::MoveAction);
}

void CanvasView::mouseReleaseEvent(QMouseEvent* event)
{
    pointer_ = mapToScene(event->pos());
    if (panning_ && (event->button() == Qt::MiddleButton || event->button() == Qt::LeftButton)) {
        panning_ = false;
        updateCursor();
    } else if (gesture_ && event->button() == Qt::LeftButton) {
        const auto gesture = std::move(gesture_);
        canvas_->setDragging(false);
        gesture->finish(pointer_, event->modifiers() & Qt::AltModifier);
        viewport()->update();
    }
    event->accept();
}

void CanvasView::mouseDoubleClickEvent(QMouseEvent* event)
{
    // A card opens; anything else takes the second press of a double click as an ordinary one.
    const std::string id = canvas_->elementAt(mapToScene(event->pos()));
    if (event->button() == Qt::LeftButton && mode_ == Mode::select && isCollapsed(document_.project(), id)
        && canvas_->foldMarkAt(mapToScene(event->pos())).empty()) {
        edits::setCollapsed(document_, {QString::fromStdString(id)}, false);
        event->accept();
        return;
    }
    mousePressEvent(event);
}

void CanvasView::nudge(QPointF step, bool free)
{
    const Project& project = document_.project();
    std::map<std::string, Placement> places;
    for (const QString& id : withContents(project, document_.selection().ids())) {
        const auto placed = project.layout.find(id.toStdString());
        if (placed == project.layout.end())
            continue;
        Placement moved = placed->second;
        moved.x += step.x() * (free ? 1 : geometry::grid);
        moved.y += step.y() * (free ? 1 : geometry::grid);
        places[placed->first] = moved;
    }
    if (!places.empty())
        edits::place(document_, places, tr("Move"),
                     QStringLiteral("nudge %1").arg(document_.selection().ids().join(u' ')));
}

void CanvasView::keyPressEvent(QKeyEvent* event)
{
    const bool free = event->modifiers() & Qt::AltModifier;
    switch (event->key()) {
    case Qt::Key_Space:
        if (!event->isAutoRepeat()) {
            space_held_ = true;
            updateCursor();
        }
        break;
    case Qt::Key_Escape:
        if (gesture_) {
            gesture_->cancel();
            gesture_.reset();
            canvas_->setDragging(false);
            viewport()->update();
        } else if (mode_ != Mode::select) {
            setMode(Mode::select);
        } else {
            document_.selection().clear();
        }
        break;
    case Qt::Key_Left:
        nudge({-1, 0}, free);
        break;
    case Qt::Key_Right:
        nudge({1, 0}, free);
        break;
    case Qt::Key_Up:
        nudge({0, -1}, free);
        break;
    case Qt::Key_Down:
        nudge({0, 1}, free);
        break;
    default:
        event->ignore();
        return;
    }
    event->accept();
}

void CanvasView::keyReleaseEvent(QKeyEvent* event)
{
    if (event->key() != Qt::Key_Space || event->isAutoRepeat())
        return QGraphicsView::keyReleaseEvent(event);
    space_held_ = false;
    updateCursor();
}

void CanvasView::focusOutEvent(QFocusEvent* event)
{
    space_held_ = false;
    updateCursor();
    QGraphicsView::focusOutEvent(event);
}

void CanvasView::leaveEvent(QEvent* event)
{
    canvas_->setHovered({});
    QGraphicsView::leaveEvent(event);
}

void CanvasView::contextMenuEvent(QContextMenuEvent* event)
{
    if (event->reason() != QContextMenuEvent::Keyboard) {
        const QPointF point = mapToScene(event->pos());
        emit contextMenuRequested(event->globalPos(), point, QString::fromStdString(canvas_->elementAt(point)));
        return;
    }
    const QStringList& selected = document_.selection().ids();
    const QString element = selected.isEmpty() ? QString() : selected.back();
    const auto* drawn = canvas_->item(element.toStdString());
    const QPointF point = drawn ? drawn->sceneBoundingRect().center() : mapToScene(viewport()->rect().center());
    emit contextMenuRequested(viewport()->mapToGlobal(mapFromScene(point)), point, element);
}

void CanvasView::resizeEvent(QResizeEvent* event)
{
    QGraphicsView::resizeEvent(event);
    overview_->place();
    if (follows_fit_)
        fitAll();
}

void CanvasView::showEvent(QShowEvent* event)
{
    QGraphicsView::showEvent(event);
    if (follows_fit_)
        fitAll();
}

void CanvasView::changeEvent(QEvent* event)
{
    QGraphicsView::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::LanguageChange)
        viewport()->update();
}

}  // namespace nnpiper
