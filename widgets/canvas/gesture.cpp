// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/canvas/gesture.h"

#include "widgets/canvas/canvas_scene.h"
#include "widgets/canvas/geometry.h"
#include "widgets/document/container_edits.h"
#include "widgets/document/containers.h"
#include "widgets/document/edits.h"
#include "widgets/document/selection.h"
#include "widgets/theme/colors.h"

#include <QCoreApplication>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace nnpiper {

namespace {

struct GestureText {
    Q_DECLARE_TR_FUNCTIONS(nnpiper::Gesture)
};

constexpr double threshold = 4;

bool beyondThreshold(QPointF a, QPointF b)
{
    return std::hypot(a.x() - b.x(), a.y() - b.y()) >= threshold;
}

}  // namespace

MoveGesture::MoveGesture(CanvasScene& canvas, QPointF start)
    : Gesture(canvas)
    , start_(start)
    , merge_key_(canvas.document().newMergeKey())
{
    const Project& project = canvas.document().project();
    for (const QString& id : withContents(project, canvas.document().selection().ids())) {
        const auto placed = project.layout.find(id.toStdString());
        if (placed != project.layout.end())
            before_.insert(*placed);
    }
    for (const QString& id : canvas.document().selection().ids())
        if (before_.count(id.toStdString()))
            chosen_.append(id);
}

MoveGesture::~MoveGesture()
{
    canvas_.endLive();
    canvas_.holdContainers({});
}

QStringList MoveGesture::singleDevices() const
{
    QStringList devices;
    for (const QString& id : chosen_)
        if (find_device(canvas_.document().project().cluster, id.toStdString()))
            devices.append(id);
    return devices;
}

std::pair<std::string, bool> MoveGesture::containerFor(QPointF point) const
{
    const Project& project = canvas_.document().project();
    std::string target = canvas_.containerAt(point, chosen_);
    const Container* into = find_container(project.containers, target);
    const bool racks = std::any_of(chosen_.begin(), chosen_.end(), [&](const QString& id) {
        return find_container(project.containers, id.toStdString()) != nullptr;
    });
    // A rack stands in no other rack, but may in that one's site.
    if (into && racks && into->kind == ContainerKind::rack) {
        into = containerOf(project, target);
        target = into ? into->id : std::string();
    }
    const QStringList able = edits::groupable(project, into ? into->kind : ContainerKind::site, chosen_);
    return {target, std::any_of(able.begin(), able.end(), [&](const QString& id) {
                const Container* now = containerOf(project, id.toStdString());
                return (now ? now->id : std::string()) != target;
            })};
}

void MoveGesture::move(QPointF point, bool free)
{
    if (!moved_ && !beyondThreshold(point, start_))
        return;
    if (!moved_) {
        canvas_.holdContainers(chosen_);
        canvas_.startLive(chosen_);
    }
    moved_ = true;
    if (before_.empty())
        return;
    // The first element snaps and the others keep their distance to it.
    const Placement& first = before_.begin()->second;
    QPointF target = QPointF(first.x, first.y) + point - start_;
    if (!free)
        target = geometry::snapped(target);
    const QPointF shift = target - QPointF(first.x, first.y);
    std::map<std::string, Placement> places = before_;
    for (auto& [id, placement] : places) {
        placement.x += shift.x();
        placement.y += shift.y();
    }
    edits::place(canvas_.document(), places, GestureText::tr("Move"), merge_key_);
    std::string into = singleDevices().isEmpty() ? std::string() : canvas_.nodeAt(point);
    if (into.empty())
        if (const auto [container, is_other] = containerFor(point); is_other)
            into = container;
    canvas_.setDropTarget(into);
}

void MoveGesture::finish(QPointF point, bool)
{
    const QStringList devices = singleDevices();
    const std::string node = canvas_.nodeAt(point);
    canvas_.setDropTarget({});
    if (!moved_)
        return;
    if (devices.isEmpty() || node.empty() || before_.count(node)) {
        const auto [container, is_other] = containerFor(point);
        if (!is_other)
            return;
        std::map<std::string, Placement> places;
        for (const auto& [id, placement] : before_)
            places[id] = canvas_.document().project().layout.at(id);
        edits::place(canvas_.document(), before_, GestureText::tr("Move"), merge_key_);
        edits::moveInto(canvas_.document(), chosen_, QString::fromStdString(container), places);
        return;
    }
    // Moving back takes the move out of the history, so that going into the node is one step.
    edits::place(canvas_.document(), before_, GestureText::tr("Move"), merge_key_);
    edits::moveDevices(canvas_.document(), devices, QString::fromStdString(node), {});
}

void MoveGesture::cancel()
{
    canvas_.setDropTarget({});
    if (moved_)
        edits::place(canvas_.document(), before_, GestureText::tr("Move"), merge_key_);
}

TakeOutGesture::TakeOutGesture(CanvasScene& canvas, QStringList devices, QPointF start)
    : Gesture(canvas)
    , devices_(std::move(devices))
    , start_(start)
    , now_(start)
{
    if (!devices_.isEmpty())
        grip_ = start - geometry::elementRect(canvas.document().project(), devices_.front().toStdString()).topLeft();
}

void TakeOutGesture::move(QPointF point, bool)
{
    if (!moved_ && !beyondThreshold(point, start_))
        return;
    moved_ = true;
    now_ = point;
    canvas_.setShowsPorts(false);
    canvas_.setDropTarget(canvas_.nodeAt(point));
    canvas_.update();
}

void TakeOutGesture::finish(QPointF point, bool free)
{
    canvas_.setShowsPorts(true);
    canvas_.setDropTarget({});
    if (!moved_)
        return;
    const QPointF corner = free ? point - grip_ : geometry::snapped(point - grip_);
    const QString node = QString::fromStdString(canvas_.nodeAt(point));
    const QString container = QString::fromStdString(canvas_.containerAt(point));
    if (!node.isEmpty() || container.isEmpty()) {
        edits::moveDevices(canvas_.document(), devices_, node, corner);
    } else {
        QUndoStack& history = canvas_.document().undoStack();
        history.beginMacro(GestureText::tr("Take out of node"));
        edits::moveDevices(canvas_.document(), devices_, node, corner);
        edits::moveInto(canvas_.document(), devices_, container);
        history.endMacro();
    }
    canvas_.update();
}

void TakeOutGesture::cancel()
{
    canvas_.setShowsPorts(true);
    canvas_.setDropTarget({});
    canvas_.update();
}

void TakeOutGesture::paint(QPainter& painter, const QPalette& palette) const
{
    if (!moved_)
        return;
    QColor fill = roleColor(ColorRole::accent, palette);
    painter.setPen(QPen(fill, 1.5, Qt::DashLine));
    fill.setAlphaF(0.12F);
    painter.setBrush(fill);
    for (qsizetype i = 0; i < devices_.size(); ++i)
        painter.drawRoundedRect(QRectF(now_ - grip_ + QPointF(24, 24) * static_cast<double>(i), geometry::cardSize), 7,
                                7);
}

BandGesture::BandGesture(CanvasScene& canvas, QPointF start, bool keep)
    : Gesture(canvas)
    , start_(start)
    , before_(canvas.document().selection().ids())
{
    if (keep)
        kept_ = before_;
    else
        canvas.document().selection().clear();
}

void BandGesture::move(QPointF point, bool)
{
    band_ = QRectF(start_, point).normalized();
    canvas_.document().selection().set(kept_ + canvas_.elementsIn(band_));
    canvas_.update();
}

void BandGesture::finish(QPointF, bool)
{
    band_ = {};
    canvas_.update();
}

void BandGesture::cancel()
{
    canvas_.document().selection().set(before_);
    finish({}, false);
}

void BandGesture::paint(QPainter& painter, const QPalette& palette) const
{
    if (band_.isEmpty())
        return;
    QColor fill = roleColor(ColorRole::selection, palette);
    QPen pen(fill, 1);
    pen.setCosmetic(true);
    painter.setPen(pen);
    fill.setAlphaF(0.10F);
    painter.setBrush(fill);
    painter.drawRect(band_);
}

ConnectGesture::ConnectGesture(CanvasScene& canvas, std::string from, Link link)
    : Gesture(canvas)
    , from_(std::move(from))
    , link_(std::move(link))
{
    now_ = geometry::elementRect(canvas.document().project(), from_).center();
    canvas.startLive({});
}

ConnectGesture::~ConnectGesture()
{
    canvas_.endLive();
}

void ConnectGesture::move(QPointF point, bool)
{
    now_ = point;
    const std::string to = canvas_.boxAt(point);
    const bool possible = edits::canLink(canvas_.document().project().cluster, from_, to);
    canvas_.setDropTarget(possible ? to : std::string());
    canvas_.update();
}

void ConnectGesture::finish(QPointF point, bool)
{
    canvas_.setDropTarget({});
    const std::string to = canvas_.boxAt(point);
    const Link link = linkBetween(canvas_.document().project(), from_, to, link_);
    const QString made =
        edits::addLink(canvas_.document(), link, QString::fromStdString(from_), QString::fromStdString(to));
    if (!made.isEmpty())
        canvas_.document().selection().set({made});
    canvas_.update();
}

void ConnectGesture::cancel()
{
    canvas_.setDropTarget({});
    canvas_.update();
}

void ConnectGesture::paint(QPainter& painter, const QPalette& palette) const
{
    const Project& project = canvas_.document().project();
    const QRectF from = geometry::elementRect(project, from_);
    QRectF to(now_, QSizeF(1, 1));
    if (!canvas_.dropTarget().empty())
        to = geometry::elementRect(project, canvas_.dropTarget());
    else if (from.contains(now_))
        return;
    painter.setPen(QPen(roleColor(ColorRole::accent, palette), 2, Qt::DashLine));
    painter.setBrush(Qt::NoBrush);
    painter.drawPath(geometry::linkPath(from, to));
}

}  // namespace nnpiper
