// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/results/memory_bars.h"

#include "widgets/results/device_label.h"
#include "widgets/results/figures.h"
#include "widgets/theme/colors.h"

#include <QEvent>
#include <QHelpEvent>
#include <QLocale>
#include <QPainter>
#include <QToolTip>

#include <algorithm>

namespace nnpiper {
namespace {

constexpr double side = 12;
constexpr std::array<ColorRole, 4> partRoles = {ColorRole::memoryState, ColorRole::memoryActivations,
                                                ColorRole::memoryTransient, ColorRole::memoryBuffers};

std::array<double, 4> parts(const DeviceMemory& memory)
{
    return {memory.state_bytes, memory.stored_bytes, memory.transient_bytes, memory.buffer_bytes};
}

QString labelOf(const SolvedPlan& plan, const DeviceMemory& memory)
{
    const int device = plan.problem ? plan.problem->device_index(memory.device) : -1;
    return device < 0 ? QString::fromStdString(memory.device) : deviceLabel(*plan.problem, device);
}

}  // namespace

MemoryBars::MemoryBars(QWidget* parent)
    : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void MemoryBars::setPlan(std::shared_ptr<const SolvedPlan> plan)
{
    plan_ = std::move(plan);
    updateGeometry();
    update();
}

int MemoryBars::rows() const
{
    return plan_ ? static_cast<int>(plan_->timeline.memory.size()) : 0;
}

double MemoryBars::rowHeight() const
{
    return fontMetrics().height() + 18;
}

double MemoryBars::labelWidth() const
{
    QFont bold = font();
    bold.setBold(true);
    const QFontMetrics boldMetrics(bold);
    double width = 0;
    for (int i = 0; i < rows(); ++i) {
        const DeviceMemory& memory = plan_->timeline.memory[static_cast<std::size_t>(i)];
        width = std::max<double>(width, boldMetrics.horizontalAdvance(tr("stage %1").arg(memory.stage)) + 8
                                            + fontMetrics().horizontalAdvance(labelOf(*plan_, memory)));
    }
    return std::min(width, 240.0);
}

QString MemoryBars::figureText(const DeviceMemory& memory) const
{
    const QLocale l = locale();
    return tr("%1 of %2").arg(formatBytes(memory.needed_bytes(), l), formatBytes(memory.capacity_bytes, l));
}

double MemoryBars::figureWidth() const
{
    QFont bold = font();
    bold.setBold(true);
    double width = 0;
    for (int i = 0; i < rows(); ++i)
        width = std::max<double>(width, QFontMetrics(bold).horizontalAdvance(
                                            figureText(plan_->timeline.memory[static_cast<std::size_t>(i)])));
    return width;
}

double MemoryBars::largest() const
{
    double bytes = 1;
    for (int i = 0; i < rows(); ++i) {
        const DeviceMemory& memory = plan_->timeline.memory[static_cast<std::size_t>(i)];
        bytes = std::max({bytes, memory.capacity_bytes, memory.needed_bytes()});
    }
    return bytes;
}

MemoryBars::Row MemoryBars::row(int device) const
{
    const DeviceMemory& memory = plan_->timeline.memory[static_cast<std::size_t>(device)];
    Row result;
    const double left = side + labelWidth() + 14;
    const double room = std::max(20.0, width() - left - figureWidth() - 14 - side);
    const double scale = room / largest();
    const double top = device * rowHeight() + 7;
    const double height = rowHeight() - 14;
    result.bar = QRectF(left, top, memory.capacity_bytes * scale, height);
    double x = left;
    const std::array<double, 4> bytes = parts(memory);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        result.parts[i] = QRectF(x, top, bytes[i] * scale, height);
        x += bytes[i] * scale;
    }
    result.capacityX = result.bar.right();
    result.fits = memory.fits();
    return result;
}

QSize MemoryBars::sizeHint() const
{
    return {480, static_cast<int>(rows() * rowHeight()) + 10};
}

QSize MemoryBars::minimumSizeHint() const
{
    return {200, sizeHint().height()};
}

void MemoryBars::paintEvent(QPaintEvent*)
{
    if (!plan_)
        return;
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    QFont bold = font();
    bold.setBold(true);
    const QFontMetrics boldMetrics(bold);
    for (int i = 0; i < rows(); ++i) {
        const DeviceMemory& memory = plan_->timeline.memory[static_cast<std::size_t>(i)];
        const Row geometry = row(i);
        const QRectF line(side, geometry.bar.top(), labelWidth() + 4, geometry.bar.height());
        const QString stage = tr("stage %1").arg(memory.stage);
        const double used = boldMetrics.horizontalAdvance(stage) + 8;
        painter.setFont(bold);
        painter.setPen(stageTextColor(memory.stage, palette()));
        painter.drawText(line, Qt::AlignVCenter | Qt::AlignLeft, stage);
        painter.setFont(font());
        painter.setPen(roleColor(ColorRole::mutedText, palette()));
        painter.drawText(
            line.adjusted(used, 0, 0, 0), Qt::AlignVCenter | Qt::AlignLeft,
            fontMetrics().elidedText(labelOf(*plan_, memory), Qt::ElideMiddle, static_cast<int>(line.width() - used)));
        painter.setPen(Qt::NoPen);
        painter.setBrush(roleColor(ColorRole::track, palette()));
        painter.drawRoundedRect(geometry.bar, 3, 3);
        for (std::size_t part = 0; part < partRoles.size(); ++part)
            if (geometry.parts[part].width() > 0)
                painter.fillRect(geometry.parts[part].adjusted(0, 2, part + 1 < partRoles.size() ? -0.5 : 0, -2),
                                 roleColor(partRoles[part], palette()));
        painter.setPen(QPen(roleColor(ColorRole::capacity, palette()), geometry.fits ? 1.5 : 2.5));
        painter.drawLine(QPointF(geometry.capacityX, geometry.bar.top() - 3),
                         QPointF(geometry.capacityX, geometry.bar.bottom() + 3));
        painter.setFont(geometry.fits ? font() : bold);
        painter.setPen(roleColor(geometry.fits ? ColorRole::text : ColorRole::negative, palette()));
        const double right = width() - side;
        painter.drawText(
            QRectF(right - figureWidth() - 2, geometry.bar.top(), figureWidth() + 2, geometry.bar.height()),
            Qt::AlignVCenter | Qt::AlignRight, figureText(memory));
    }
}

QString MemoryBars::tip(const DeviceMemory& memory) const
{
    const QLocale l = locale();
    QStringList lines;
    lines << QString::fromStdString(memory.device);
    lines << tr("parameters, gradients, optimizer: %1").arg(formatBytes(memory.state_bytes, l));
    lines << tr("activations: %1 (%2 micro-batches of %3)")
                 .arg(formatBytes(memory.stored_bytes, l))
                 .arg(l.toString(memory.in_flight, 'g', 4))
                 .arg(formatBytes(memory.in_flight > 0 ? memory.stored_bytes / memory.in_flight : 0, l));
    lines << tr("transient: %1").arg(formatBytes(memory.transient_bytes, l));
    lines << tr("message buffers: %1").arg(formatBytes(memory.buffer_bytes, l));
    const double spare = memory.capacity_bytes - memory.needed_bytes();
    lines << (memory.fits() ? tr("%1 to spare").arg(formatBytes(std::max(0.0, spare), l))
                            : tr("%1 too much").arg(formatBytes(-spare, l)));
    return lines.join(QLatin1Char('\n'));
}

bool MemoryBars::event(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        auto* help = static_cast<QHelpEvent*>(event);
        const int i = static_cast<int>(help->pos().y() / rowHeight());
        if (i >= 0 && i < rows())
            QToolTip::showText(help->globalPos(), tip(plan_->timeline.memory[static_cast<std::size_t>(i)]), this);
        else
            QToolTip::hideText();
        return true;
    }
    return QWidget::event(event);
}

void MemoryBars::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::LanguageChange)
        updateGeometry();
    update();
}

}  // namespace nnpiper
