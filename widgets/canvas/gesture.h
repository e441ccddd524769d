// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointF>
#include <QPolygonF>
#include <QRectF>
#include <QStringList>

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "core/project/project.h"

class QPainter;
class QPalette;

namespace nnpiper {

class CanvasScene;
struct LinkEntry;

/// One press, drag and release on the canvas. Positions are scene coordinates; `free` means that Alt is held: no
/// snapping.
class Gesture {
public:
    explicit Gesture(CanvasScene& canvas)
        : canvas_(canvas)
    {
    }
    virtual ~Gesture() = default;

    virtual void move(QPointF point, bool free) = 0;
    virtual void finish(QPointF point, bool free) = 0;
    /// Escape: takes back what it did.
    virtual void cancel() {}
    /// The one device that is being dragged out of a node, which may leave the canvas; else empty.
    virtual QString draggedDevice() const { return {}; }
    /// What is drawn above the items while it lasts.
    virtual void paint(QPainter&, const QPalette&) const {}

protected:
    CanvasScene& canvas_;
};

/// Moves nodes, switches, single cards and containers with what they hold; every step merges into one command. A single
/// card let go over a node goes in; what is let go over another container, or out of its own, changes container.
class MoveGesture : public Gesture {
public:
    MoveGesture(CanvasScene& canvas, QPointF start);
    void move(QPointF point, bool free) override;
    void finish(QPointF point, bool free) override;
    void cancel() override;
    ~MoveGesture() override;

private:
    QStringList singleDevices() const;
    /// The container that the elements go to, and whether that is another one than now.
    std::pair<std::string, bool> containerFor(QPointF point) const;

    QPointF start_;
    QStringList chosen_;   ///< without what they hold
    std::map<std::string, Placement> before_;
    QString merge_key_;
    bool moved_ = false;
};

/// Drags cards out of their node: onto another node or onto free canvas.
class TakeOutGesture : public Gesture {
public:
    TakeOutGesture(CanvasScene& canvas, QStringList devices, QPointF start);
    void move(QPointF point, bool free) override;
    void finish(QPointF point, bool free) override;
    void cancel() override;
    QString draggedDevice() const override { return moved_ && devices_.size() == 1 ? devices_.front() : QString(); }
    void paint(QPainter& painter, const QPalette& palette) const override;

private:
    QStringList devices_;
    QPointF start_;
    QPointF grip_;
    QPointF now_;
    bool moved_ = false;
};

/// Selects all that the band touches; with `keep` beside what was selected.
class BandGesture : public Gesture {
public:
    BandGesture(CanvasScene& canvas, QPointF start, bool keep);
    void move(QPointF point, bool free) override;
    void finish(QPointF point, bool free) override;
    void cancel() override;
    void paint(QPainter& painter, const QPalette& palette) const override;

private:
    QPointF start_;
    QRectF band_;
    QStringList kept_;
    QStringList before_;
};

/// Draws a link from one element to another.
class ConnectGesture : public Gesture {
public:
    ConnectGesture(CanvasScene& canvas, std::string from, Link link);
    ~ConnectGesture() override;
    void move(QPointF point, bool free) override;
    void finish(QPointF point, bool free) override;
    void cancel() override;
    void paint(QPainter& painter, const QPalette& palette) const override;

private:
    std::string from_;
    Link link_;
    QPointF now_;
};

}  // namespace nnpiper
