// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/results/solved_plan.h"
#include "widgets/results/strip_layout.h"

#include <QWidget>

#include <memory>
#include <optional>
#include <vector>

namespace nnpiper {

/// MIME type of a device of the cluster under the pointer; its data is the id in UTF-8.
inline constexpr char deviceMimeType[] = "application/x-nnpiper-device";

/// The chain of layers coloured by stage, with handles between the stages. Dragging a handle or moving it with the
/// arrow keys asks for another split; dropping a device on a stage asks for that device there. The strip changes
/// nothing itself: whoever owns the plan answers with setPlan().
class PlanStrip : public QWidget {
    Q_OBJECT

public:
    explicit PlanStrip(QWidget* parent = nullptr);

    /// Null shows the empty state. `solver` is what the plan is compared with, null for nothing.
    void setPlan(std::shared_ptr<const SolvedPlan> plan, std::shared_ptr<const SolvedPlan> solver = nullptr);
    /// Wishes that planners keep; stages that they hold carry a padlock.
    void setLocks(std::vector<Lock> locks);
    bool isLocked(int stage) const;
    /// "139.3 samples/s, −3.2 % against NN-Piper"; empty without a plan.
    QString prediction() const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

    /// The geometry as drawn, with a boundary that is being dragged where the pointer has it.
    StripLayout stripLayout() const;
    int selectedBoundary() const { return selected_; }
    StripCaption caption(int stage) const;

signals:
    /// While a handle moves; `endLayer` is the new end of stage `boundary`. Comes once more with the old one on Escape.
    void boundaryDragged(int boundary, int endLayer);
    /// On release or by key, only when it differs from the plan.
    void boundaryMoved(int boundary, int endLayer);
    void deviceDropped(int stage, const QString& deviceId);
    /// By right click on a stage, or by the menu key: of the stage left of the chosen boundary.
    void menuRequested(int stage, const QPoint& globalPosition);

protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;
    bool event(QEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dragMoveEvent(QDragMoveEvent* event) override;
    void dragLeaveEvent(QDragLeaveEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    void retranslateUi();
    void paintHeader(QPainter& painter);
    void paintLocks(QPainter& painter, const StripLayout& layout);
    void paintCells(QPainter& painter, const StripLayout& layout);
    void paintHandles(QPainter& painter, const StripLayout& layout);
    void paintCaptions(QPainter& painter, const StripLayout& layout);
    void paintEmpty(QPainter& painter);
    QString layerTip(int layer) const;
    void setSelected(int boundary);
    void cancelDrag();
    int stageUnder(const QPointF& position) const;
    double headerHeight() const;

    std::shared_ptr<const SolvedPlan> plan_;
    std::shared_ptr<const SolvedPlan> solver_;
    std::vector<Lock> locks_;
    QString plannerTitle_;
    int selected_ = -1;  ///< boundary with the keyboard's attention
    int hovered_ = -1;   ///< boundary under the pointer
    int dropStage_ = -1;
    struct Drag {
        int boundary;
        int endLayer;
        int startLayer;  ///< where it was taken up; the plan may follow the preview meanwhile
    };
    std::optional<Drag> drag_;
};

}  // namespace nnpiper
