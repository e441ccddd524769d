// SPDX-License-Identifier: GPL-3.0-or-later
// How the plan strip looks.
#include "widgets/results/plan_strip.h"

#include "widgets/results/device_label.h"
#include "widgets/results/figures.h"
#include "widgets/results/planner_title.h"
#include "widgets/theme/colors.h"
#include "widgets/theme/icons.h"

#include <QLocale>
#include <QPainter>

#include <cmath>
#include <optional>

namespace nnpiper {
namespace {

constexpr int margin = 12;

std::size_t at(int i)
{
    return static_cast<std::size_t>(i);
}

/// Throughput gained over the solver's plan, as a fraction; nothing less than the digits shown.
std::optional<double> against(const SolvedPlan* plan, const SolvedPlan* solver)
{
    if (!plan || !solver || !(solver->plan.throughput_samples_per_s > 0))
        return std::nullopt;
    const double share = plan->plan.throughput_samples_per_s / solver->plan.throughput_samples_per_s - 1;
    return std::abs(share) < 5e-4 ? 0 : share;
}

/// Figures of the device group that runs a stage; nullptr before anything has been simulated.
const DeviceMetrics* metricsOf(const Timeline& timeline, int stage)
{
    if (timeline.micro_batches <= 0 || stage >= timeline.stages())
        return nullptr;
    return &timeline.metrics[at(timeline.map.device(stage))];
}

}  // namespace

QString PlanStrip::prediction() const
{
    if (!plan_)
        return {};
    const Plan& plan = plan_->plan;
    const QString figure = plan.throughput_samples_per_s > 0
                               ? tr("%1 samples/s").arg(formatRate(plan.throughput_samples_per_s, locale()))
                               : formatSeconds(plan.makespan_s, locale());
    const QString shown = plan.feasible ? figure : tr("%1, does not fit").arg(figure);
    const auto share = against(plan_.get(), solver_.get());
    return share ? tr("%1, %2 against %3").arg(shown, formatDifference(*share, locale()), plannerTitle(solver_->plan.planner))
                 : shown;
}

StripCaption PlanStrip::caption(int stage) const
{
    if (!plan_)
        return {};
    const StripLayout layout = stripLayout();
    const Stage& part = plan_->plan.stages[at(stage)];
    const int first = stage == 0 ? 0 : layout.ends[at(stage - 1)];
    const int layers = layout.ends[at(stage)] - first;
    QString time;
    const DeviceMetrics* metrics = metricsOf(plan_->timeline, stage);
    if (metrics)
        time = formatSeconds(metrics->busy_s / plan_->timeline.micro_batches, locale());
    const QString type = plan_->problem ? stageTypeLabel(*plan_->problem, part) : QString();
    const QString name = tr("stage %1").arg(stage);
    const QString count = layers == 1 ? tr("1 layer") : tr("%1 layers").arg(layers);
    const QString dot = QStringLiteral(" · ");
    const std::vector<StripCaption> forms = {
        {type.isEmpty() ? name : name + dot + type, count + dot + time},
        {name, count + dot + time},
        {name, time},
        {QString::number(stage), time},
        {QString::number(stage), QString()},
    };
    return fittingCaption(forms, layout.stageRect(stage).width() - 6, fontMetrics());
}

QString PlanStrip::layerTip(int layer) const
{
    const StripLayout layout = stripLayout();
    const int stage = layout.stageOf(layer);
    const Stage& part = plan_->plan.stages[at(stage)];
    QStringList lines;
    const bool named = plan_->problem && at(layer) < plan_->problem->layer_names.size();
    const QString name = named ? QString::fromStdString(plan_->problem->layer_names[at(layer)]) : QString();
    lines << (name.isEmpty() ? tr("layer %1").arg(layer) : tr("layer %1: %2").arg(layer).arg(name));
    QStringList ids;
    for (const std::string& id : part.devices)
        ids << QString::fromStdString(id);
    lines << tr("stage %1 on %2").arg(stage).arg(ids.join(QStringLiteral(", ")));
    const int first = stage == 0 ? 0 : layout.ends[at(stage - 1)];
    lines << tr("layers %1 to %2").arg(first).arg(layout.ends[at(stage)] - 1);
    if (const DeviceMetrics* metrics = metricsOf(plan_->timeline, stage))
        lines << tr("%1 a micro-batch, %2 in flight")
                     .arg(formatSeconds(metrics->busy_s / plan_->timeline.micro_batches, locale()))
                     .arg(locale().toString(metrics->peak_in_flight, 'g', 4));
    return lines.join(QLatin1Char('\n'));
}

void PlanStrip::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    paintHeader(painter);
    if (!plan_)
        return paintEmpty(painter);
    const StripLayout layout = stripLayout();
    paintCells(painter, layout);
    paintLocks(painter, layout);
    paintHandles(painter, layout);
    paintCaptions(painter, layout);
}

void PlanStrip::paintHeader(QPainter& painter)
{
    QFont bold = font();
    bold.setBold(true);
    const QFontMetrics boldMetrics(bold);
    const QString title = plan_ && !plannerTitle_.isEmpty() ? tr("Plan · %1").arg(plannerTitle_) : tr("Plan");
    const QRectF line(margin, 8, width() - 2.0 * margin, fontMetrics().height());
    painter.setFont(bold);
    painter.setPen(roleColor(ColorRole::text, palette()));
    painter.drawText(line, Qt::AlignVCenter | Qt::AlignLeft,
                     boldMetrics.elidedText(title, Qt::ElideRight, int(line.width())));
    if (!plan_)
        return;
    const double used = boldMetrics.horizontalAdvance(title) + 20;
    const auto stages = static_cast<int>(plan_->plan.stages.size());
    const int layers = plan_->plan.stages.back().end_layer;
    const QString hint = stages > 1
                             ? tr("%1 stages over %2 layers, drag a boundary to move layers; the prediction follows")
                                   .arg(stages)
                                   .arg(layers)
                             : tr("one stage holds all %1 layers").arg(layers);
    painter.setFont(font());
    painter.setPen(roleColor(ColorRole::mutedText, palette()));
    QString figures = prediction();
    double taken = fontMetrics().horizontalAdvance(figures) + 20;
    if (used + taken > line.width()) {
        figures.clear();
        taken = 0;
    }
    const double share = against(plan_.get(), solver_.get()).value_or(0);
    painter.setPen(roleColor(share < 0 ? ColorRole::negative : share > 0 ? ColorRole::positive : ColorRole::text, palette()));
    painter.drawText(line, Qt::AlignVCenter | Qt::AlignRight, figures);
    painter.setPen(roleColor(ColorRole::mutedText, palette()));
    const QRectF rest = line.adjusted(used, 0, -taken, 0);
    if (rest.width() > 60)
        painter.drawText(rest, Qt::AlignVCenter | Qt::AlignLeft,
                         fontMetrics().elidedText(hint, Qt::ElideRight, int(rest.width())));
}

void PlanStrip::paintCells(QPainter& painter, const StripLayout& layout)
{
    // Single cells as long as they can be told apart, else one block a stage.
    const bool cells = layout.cell() >= 5;
    const double gap = layout.cell() >= 12 ? 1 : 0.5;
    painter.setPen(Qt::NoPen);
    for (int stage = 0; stage < static_cast<int>(layout.ends.size()); ++stage) {
        const QColor color = stageColor(stage, palette());
        const QRectF block = layout.stageRect(stage);
        painter.setBrush(stage == dropStage_ ? blend(roleColor(ColorRole::card, palette()), color, 0.35) : color);
        if (!cells) {
            painter.drawRoundedRect(block.adjusted(0.5, 0, -0.5, 0), 3, 3);
            continue;
        }
        const int first = stage == 0 ? 0 : layout.ends[at(stage - 1)];
        for (int layer = first; layer < layout.ends[at(stage)]; ++layer)
            painter.drawRoundedRect(layout.layerRect(layer).adjusted(gap, 0, -gap, 0), 3, 3);
    }
    if (dropStage_ >= 0) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(roleColor(ColorRole::selection, palette()), 2));
        painter.drawRoundedRect(layout.stageRect(dropStage_).adjusted(1, -2, -1, 2), 4, 4);
    }
}

void PlanStrip::paintLocks(QPainter& painter, const StripLayout& layout)
{
    const QIcon lock = themedIcon(QStringLiteral("lock"), palette());
    for (int stage = 0; stage < static_cast<int>(layout.ends.size()); ++stage) {
        const QRectF block = layout.stageRect(stage);
        if (!isLocked(stage) || block.width() < 14)
            continue;
        const double side = qMin(20.0, block.width() - 4);
        const QRectF badge(block.center().x() - side / 2, block.center().y() - side / 2, side, side);
        painter.setPen(Qt::NoPen);
        painter.setBrush(roleColor(ColorRole::card, palette()));
        painter.drawEllipse(badge);
        lock.paint(&painter, badge.adjusted(4, 3, -4, -5).toRect());
    }
}

void PlanStrip::paintHandles(QPainter& painter, const StripLayout& layout)
{
    painter.setPen(Qt::NoPen);
    for (int b = 0; b + 1 < static_cast<int>(layout.ends.size()); ++b) {
        const double x = layout.edge(layout.ends[at(b)]);
        const bool held = drag_ && drag_->boundary == b;
        const bool chosen = held || (b == selected_ && hasFocus());
        const double half = held || b == hovered_ || chosen ? 3 : 2;
        const QRectF handle(x - half, layout.area.top() - 4, 2 * half, layout.area.height() + 8);
        painter.setBrush(roleColor(chosen ? ColorRole::accent : ColorRole::boundary, palette()));
        painter.drawRoundedRect(handle, 2, 2);
        if (chosen) {
            painter.setBrush(Qt::NoBrush);
            painter.setPen(QPen(roleColor(ColorRole::accent, palette()), 1));
            painter.drawRoundedRect(handle.adjusted(-2.5, -1.5, 2.5, 1.5), 4, 4);
            painter.setPen(Qt::NoPen);
        }
    }
}

void PlanStrip::paintCaptions(QPainter& painter, const StripLayout& layout)
{
    const double lineHeight = fontMetrics().height();
    painter.setFont(font());
    for (int stage = 0; stage < static_cast<int>(layout.ends.size()); ++stage) {
        const StripCaption text = caption(stage);
        const QRectF block = layout.stageRect(stage);
        const QRectF first(block.left(), layout.area.bottom() + 7, block.width(), lineHeight);
        painter.setPen(roleColor(ColorRole::text, palette()));
        painter.drawText(first, Qt::AlignCenter, text.first);
        painter.setPen(roleColor(ColorRole::mutedText, palette()));
        painter.drawText(first.translated(0, lineHeight), Qt::AlignCenter, text.second);
    }
}

void PlanStrip::paintEmpty(QPainter& painter)
{
    const StripLayout layout = stripLayout();
    const int cells = qMax(4, static_cast<int>(layout.area.width() / 30));
    const double cell = layout.area.width() / cells;
    painter.setFont(font());
    painter.setPen(Qt::NoPen);
    painter.setBrush(roleColor(ColorRole::track, palette()));
    for (int i = 0; i < cells; ++i)
        painter.drawRoundedRect(
            QRectF(layout.area.left() + i * cell + 1, layout.area.top(), cell - 2, layout.area.height()), 3, 3);
    painter.setPen(roleColor(ColorRole::mutedText, palette()));
    const QRectF line(margin, layout.area.bottom() + 7, width() - 2.0 * margin, fontMetrics().height());
    const QString hint = tr("No plan yet: press Solve to divide the model among the devices.");
    painter.drawText(line, Qt::AlignCenter, fontMetrics().elidedText(hint, Qt::ElideRight, int(line.width())));
}

}  // namespace nnpiper
