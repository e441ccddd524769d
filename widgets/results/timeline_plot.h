// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/results/solved_plan.h"
#include "widgets/results/time_scale.h"
#include "widgets/results/timeline_index.h"

#include <qcustomplot.h>

#include <memory>
#include <optional>

namespace nnpiper {

class TimelineBars;
class TimelineOverlay;
class TimelineRows;

/// The chart and its habits: wheel zooms at the pointer, Shift+wheel and dragging pan, W A S D zoom and pan, F fits the
/// selection and then everything, comma and full stop walk along a row, Escape clears, a click selects.
class TimelinePlot : public QCustomPlot {
    Q_OBJECT

public:
    explicit TimelinePlot(QWidget* parent = nullptr);
    ~TimelinePlot() override;

    void setPlan(std::shared_ptr<const SolvedPlan> plan);
    void setCriticalPathShown(bool shown);
    bool criticalPathShown() const { return criticalShown_; }

    TimeScale scale() const;
    void setScale(const TimeScale& scale);
    void fitAll();
    void fitSelection();
    /// The chart as it stands, without what follows the pointer; `factor` pixels for each of the screen's.
    QPixmap picture(double factor);
    /// Rows hidden below the viewport, and how far they are scrolled, in pixels.
    double hiddenRows() const;
    void setRowOffset(double pixels);
    double rowOffset() const { return rowOffset_; }

    TimelineElement selected() const;
    void select(TimelineElement element);
    TimelineElement hovered() const;
    QRectF rectOf(TimelineElement element) const;
    const TimelineBars& bars() const { return *bars_; }
    const TimelineOverlay& overlay() const { return *overlay_; }

signals:
    void selectionChanged(const QStringList& description);
    void rowsChanged();
    void criticalPathToggled(bool shown);

protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void restyle();
    void relayout();
    void hover(const QPointF& pixel);
    void clearHover();
    void updateTicks();
    void walk(int step);
    double anchor() const;

    std::shared_ptr<const SolvedPlan> plan_;
    std::unique_ptr<TimelineIndex> index_;
    TimelineBars* bars_;
    TimelineRows* rows_;
    TimelineOverlay* overlay_;
    QSharedPointer<QCPAxisTickerText> ticker_;
    bool criticalShown_ = false;
    bool showsAll_ = true;  ///< a new width keeps everything in view
    double rowOffset_ = 0;

    struct Drag {
        QPointF from;
        TimeScale scale;
        double rowOffset = 0;
        bool moved = false;
        Qt::MouseButton button = Qt::NoButton;
    };
    std::optional<Drag> drag_;
    std::optional<QPointF> pointer_;
};

}  // namespace nnpiper
