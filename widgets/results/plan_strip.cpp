// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/results/plan_strip.h"

#include "widgets/results/planner_title.h"

#include <QDragEnterEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMimeData>
#include <QMouseEvent>
#include <QToolTip>

#include <algorithm>

namespace nnpiper {
namespace {

constexpr double reachOfHandle = 7;  ///< pixels beside a handle that still take it up
constexpr int margin = 12;

}  // namespace

PlanStrip::PlanStrip(QWidget* parent)
    : QWidget(parent)
{
    setAcceptDrops(true);
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    retranslateUi();
}

void PlanStrip::setPlan(std::shared_ptr<const SolvedPlan> plan, std::shared_ptr<const SolvedPlan> solver)
{
    solver_ = std::move(solver);
    plan_ = plan && !plan->plan.stages.empty() ? std::move(plan) : nullptr;
    const int boundaries = plan_ ? static_cast<int>(plan_->plan.stages.size()) - 1 : 0;
    if (drag_ && drag_->boundary >= boundaries)
        drag_.reset();
    if (selected_ >= boundaries)
        selected_ = -1;
    hovered_ = -1;
    plannerTitle_ = plan_ ? plannerTitle(plan_->plan.planner) : QString();
    update();
}

void PlanStrip::setLocks(std::vector<Lock> locks)
{
    locks_ = std::move(locks);
    update();
}

bool PlanStrip::isLocked(int stage) const
{
    if (!plan_ || stage < 0 || stage >= static_cast<int>(plan_->plan.stages.size()))
        return false;
    const auto& devices = plan_->plan.stages[static_cast<std::size_t>(stage)].devices;
    return std::any_of(locks_.begin(), locks_.end(), [&](const Lock& lock) {
        return !lock.idle && std::any_of(lock.devices.begin(), lock.devices.end(), [&](const std::string& id) {
            return std::find(devices.begin(), devices.end(), id) != devices.end();
        });
    });
}

double PlanStrip::headerHeight() const
{
    return fontMetrics().height() + 12;
}

QSize PlanStrip::sizeHint() const
{
    return {640, static_cast<int>(headerHeight()) + 36 + 2 * fontMetrics().height() + 16};
}

QSize PlanStrip::minimumSizeHint() const
{
    return {200, sizeHint().height()};
}

StripLayout PlanStrip::stripLayout() const
{
    StripLayout layout;
    const double captions = 2.0 * fontMetrics().height() + 10;
    const double top = headerHeight() + 4;
    layout.area = QRectF(margin, top, width() - 2.0 * margin, qMax(12.0, height() - top - captions - 6));
    if (!plan_)
        return layout;
    for (const Stage& stage : plan_->plan.stages)
        layout.ends.push_back(stage.end_layer);
    layout.layers = layout.ends.back();
    if (drag_)
        layout.ends[static_cast<std::size_t>(drag_->boundary)] = drag_->endLayer;
    return layout;
}

void PlanStrip::setSelected(int boundary)
{
    if (selected_ == boundary)
        return;
    selected_ = boundary;
    update();
}

void PlanStrip::cancelDrag()
{
    if (!drag_)
        return;
    const Drag dropped = *drag_;
    drag_.reset();
    if (dropped.endLayer != dropped.startLayer)
        emit boundaryDragged(dropped.boundary, dropped.startLayer);
    update();
}

void PlanStrip::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton || !plan_)
        return;
    const StripLayout layout = stripLayout();
    const QRectF reach = layout.area.adjusted(-reachOfHandle, -6, reachOfHandle, 6);
    const int boundary =
        reach.contains(event->position()) ? layout.boundaryAt(event->position().x(), reachOfHandle) : -1;
    setSelected(boundary);
    if (boundary >= 0) {
        const int endLayer = layout.ends[static_cast<std::size_t>(boundary)];
        drag_ = Drag{boundary, endLayer, endLayer};
        setCursor(Qt::SplitHCursor);
    }
    update();
}

void PlanStrip::mouseMoveEvent(QMouseEvent* event)
{
    if (!plan_)
        return;
    const StripLayout layout = stripLayout();
    if (drag_) {
        const int endLayer = layout.endLayerAt(drag_->boundary, event->position().x());
        if (endLayer != drag_->endLayer) {
            drag_->endLayer = endLayer;
            update();
            emit boundaryDragged(drag_->boundary, endLayer);
        }
        return;
    }
    const bool inside = layout.area.adjusted(-reachOfHandle, -6, reachOfHandle, 6).contains(event->position());
    const int boundary = inside ? layout.boundaryAt(event->position().x(), reachOfHandle) : -1;
    if (boundary != hovered_) {
        hovered_ = boundary;
        if (boundary >= 0)
            setCursor(Qt::SplitHCursor);
        else
            unsetCursor();
        update();
    }
}

void PlanStrip::mouseReleaseEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton || !drag_)
        return;
    const Drag done = *drag_;
    drag_.reset();
    unsetCursor();
    hovered_ = -1;
    update();
    if (done.endLayer != done.startLayer)
        emit boundaryMoved(done.boundary, done.endLayer);
}

void PlanStrip::leaveEvent(QEvent* event)
{
    hovered_ = -1;
    if (!drag_)
        unsetCursor();
    update();
    QWidget::leaveEvent(event);
}

void PlanStrip::keyPressEvent(QKeyEvent* event)
{
    const int boundaries = plan_ ? static_cast<int>(plan_->plan.stages.size()) - 1 : 0;
    if (boundaries < 1)
        return QWidget::keyPressEvent(event);
    const bool left = event->key() == Qt::Key_Left;
    const bool right = event->key() == Qt::Key_Right;
    if (event->key() == Qt::Key_Escape && drag_) {
        cancelDrag();
    } else if (event->key() == Qt::Key_Escape && selected_ >= 0) {
        setSelected(-1);
    } else if ((left || right) && (selected_ < 0 || event->modifiers() & Qt::ControlModifier)) {
        // Without a handle in hand, or with Ctrl, the arrows choose one.
        const int next = selected_ < 0 ? (left ? boundaries - 1 : 0) : selected_ + (left ? -1 : 1);
        setSelected(qBound(0, next, boundaries - 1));
    } else if (left || right) {
        const StripLayout layout = stripLayout();
        const int now = layout.ends[static_cast<std::size_t>(selected_)];
        const int step = event->modifiers() & Qt::ShiftModifier ? 5 : 1;
        const int next = qBound(layout.lowestEnd(selected_), now + (left ? -step : step), layout.highestEnd(selected_));
        if (next != now)
            emit boundaryMoved(selected_, next);
    } else {
        return QWidget::keyPressEvent(event);
    }
    event->accept();
}

void PlanStrip::focusOutEvent(QFocusEvent* event)
{
    update();
    QWidget::focusOutEvent(event);
}

int PlanStrip::stageUnder(const QPointF& position) const
{
    const StripLayout layout = stripLayout();
    const int layer = layout.layerAt(position.x());
    return layer < 0 || position.y() < layout.area.top() - 8 ? -1 : layout.stageOf(layer);
}

void PlanStrip::dragEnterEvent(QDragEnterEvent* event)
{
    if (plan_ && event->mimeData()->hasFormat(QLatin1String(deviceMimeType)))
        event->acceptProposedAction();
}

void PlanStrip::dragMoveEvent(QDragMoveEvent* event)
{
    const int stage = stageUnder(event->position());
    if (stage != dropStage_) {
        dropStage_ = stage;
        update();
    }
    if (stage >= 0)
        event->acceptProposedAction();
    else
        event->ignore();
}

void PlanStrip::dragLeaveEvent(QDragLeaveEvent* event)
{
    dropStage_ = -1;
    update();
    QWidget::dragLeaveEvent(event);
}

void PlanStrip::dropEvent(QDropEvent* event)
{
    const int stage = stageUnder(event->position());
    dropStage_ = -1;
    update();
    const QByteArray id = event->mimeData()->data(QLatin1String(deviceMimeType));
    if (stage < 0 || id.isEmpty())
        return event->ignore();
    event->acceptProposedAction();
    emit deviceDropped(stage, QString::fromUtf8(id));
}

void PlanStrip::contextMenuEvent(QContextMenuEvent* event)
{
    if (!plan_)
        return;
    const StripLayout layout = stripLayout();
    if (event->reason() == QContextMenuEvent::Keyboard) {
        const int stage = qMax(0, selected_);
        emit menuRequested(stage, mapToGlobal(layout.stageRect(stage).center().toPoint()));
    } else if (const int stage = stageUnder(event->pos()); stage >= 0) {
        emit menuRequested(stage, event->globalPos());
    }
}

bool PlanStrip::event(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        auto* help = static_cast<QHelpEvent*>(event);
        const StripLayout layout = stripLayout();
        const int layer =
            layout.area.adjusted(0, -4, 0, 40).contains(help->pos()) ? layout.layerAt(help->pos().x()) : -1;
        if (layer >= 0)
            QToolTip::showText(help->globalPos(), layerTip(layer), this,
                               layout.stageRect(layout.stageOf(layer)).toRect());
        else
            QToolTip::hideText();
        return true;
    }
    return QWidget::event(event);
}

void PlanStrip::retranslateUi()
{
    setAccessibleName(tr("Plan"));
    setAccessibleDescription(
        tr("Layers by stage. Left and right arrows move the chosen boundary, with Ctrl they choose "
           "another one."));
    update();
}

void PlanStrip::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::LanguageChange)
        retranslateUi();
    else if (event->type() == QEvent::FontChange)
        updateGeometry();
    update();
}

}  // namespace nnpiper
