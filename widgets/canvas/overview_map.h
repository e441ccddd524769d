// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

namespace nnpiper {

class CanvasView;

/// The whole drawing in a corner of the canvas with the part that can be seen; shown while something is out of sight.
/// Press or drag in it to go there.
class OverviewMap : public QWidget {
    Q_OBJECT
public:
    explicit OverviewMap(CanvasView& view);

    /// Puts it into its corner and shows or hides it.
    void place();

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;

private:
    QTransform toMap() const;
    void goTo(QPointF point);

    CanvasView& view_;
};

}  // namespace nnpiper
