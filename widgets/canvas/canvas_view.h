// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/cluster/cluster.h"

#include <QGraphicsView>

#include <memory>

namespace nnpiper {

class CanvasScene;
class Gesture;
class OverviewMap;
class PlanBoard;
class ProjectDocument;

/// The canvas: zoom at the cursor with the wheel, pan with the middle button or held space, select, move, connect, drop
/// from the palette. All edits go through the document.
class CanvasView : public QGraphicsView {
    Q_OBJECT
public:
    enum class Mode { select, connect, pan };

    CanvasView(ProjectDocument& document, PlanBoard& board, QWidget* parent = nullptr);
    ~CanvasView() override;

    CanvasScene& canvas() const { return *canvas_; }
    Mode mode() const { return mode_; }
    void setMode(Mode mode);
    /// What a new link is like; its ends are filled in.
    const Link& newLink() const { return new_link_; }
    void setNewLink(const Link& link) { new_link_ = link; }

    double zoom() const { return transform().m11(); }
    void zoomBy(double factor, QPoint at);
    void zoomBy(double factor);
    void resetZoom();
    /// Shows the selection, or everything where nothing is selected.
    void fit();
    void fitAll();
    /// Brings an element to the middle, large enough to be read.
    void centerOnElement(const std::string& id);
    /// Scrolls, and zooms out where it must, until all that is selected can be seen.
    void showSelection();
    /// Adds a palette item (MIME data) as if dropped at a point of the scene.
    void addFromPalette(const QByteArray& item, QPointF point);
    /// Adds it where there is room near the middle of what can be seen; a device goes into the selected node, or beside
    /// the selected device.
    void addFromPalette(const QByteArray& item);
    /// Ids of all elements, for "select all".
    QStringList allElements() const;
    /// The whole drawing as a picture, `scale` pixels for each of the scene. False when it cannot be written.
    bool exportPng(const QString& path, double scale);

signals:
    void modeChanged(nnpiper::CanvasView::Mode mode);
    void zoomChanged(double zoom);
    /// `element` is what it is for: under the pointer, or by key the last selected; empty for free canvas.
    void contextMenuRequested(const QPoint& global_position, const QPointF& point, const QString& element);

protected:
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void keyReleaseEvent(QKeyEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dragMoveEvent(QDragMoveEvent* event) override;
    void dragLeaveEvent(QDragLeaveEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void drawBackground(QPainter* painter, const QRectF& area) override;
    void drawForeground(QPainter* painter, const QRectF& area) override;
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void updateCursor();
    void startPan(QPoint at);
    void startGesture(QPointF point, Qt::KeyboardModifiers modifiers);
    void dragOut();
    void nudge(QPointF step, bool free);
    void renderStill();
    void paintPlaceholder(QPainter& painter);
    void paintOutdated(QPainter& painter);
    void fitRect(const QRectF& rect, double most);

    ProjectDocument& document_;
    CanvasScene* canvas_;
    OverviewMap* overview_;
    std::unique_ptr<Gesture> gesture_;
    Mode mode_ = Mode::select;
    Link new_link_;
    bool panning_ = false;
    bool space_held_ = false;
    QPoint pan_from_;
    QPointF pointer_;
    QPixmap still_;             ///< all that stays while something is dragged
    QTransform still_transform_;
    int still_revision_ = 0;
    bool renders_still_ = false;
    bool follows_fit_ = true;   ///< everything is shown again when the size changes, until a person zooms or pans
};

}  // namespace nnpiper
