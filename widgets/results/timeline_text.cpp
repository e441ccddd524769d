// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/results/timeline_text.h"

#include "widgets/results/figures.h"

#include <QCoreApplication>
#include <QLocale>

namespace nnpiper {
namespace {

struct TimelineText {
    Q_DECLARE_TR_FUNCTIONS(nnpiper::Timeline)
};

const TimelineOp& opOf(const TimelineIndex& index, int op)
{
    return index.timeline().ops[static_cast<std::size_t>(op)];
}

/// In model order, whichever direction it belongs to.
int stageOf(const TimelineIndex& index, int stage)
{
    return stage % index.timeline().map.stages;
}

QStringList describeOp(const TimelineIndex& index, int i, const QLocale& locale)
{
    const TimelineOp& op = opOf(index, i);
    QStringList lines;
    lines << TimelineText::tr("%1 · micro-batch %2 · stage %3")
                 .arg(opKindText(op.kind))
                 .arg(op.micro_batch)
                 .arg(stageOf(index, op.stage));
    lines << formatTimeSpan(op.start_s, op.end_s, locale);
    if (op.waited == TimelineOp::Waited::transfer) {
        const TimelineTransfer& t = index.timeline().transfers[static_cast<std::size_t>(op.waited_for)];
        lines << (t.backward ? TimelineText::tr("waits for gradient from stage %1").arg(stageOf(index, t.boundary + 1))
                             : TimelineText::tr("waits for activations from stage %1").arg(stageOf(index, t.boundary)));
    } else if (op.waited == TimelineOp::Waited::sending) {
        lines << TimelineText::tr("waits until the device has sent its message");
    } else if (op.waited == TimelineOp::Waited::device) {
        const TimelineOp& before = opOf(index, op.waited_for);
        lines << TimelineText::tr("starts as soon as the device is free (after %1 %2)")
                     .arg(opKindText(before.kind))
                     .arg(before.micro_batch);
    } else {
        lines << TimelineText::tr("starts the iteration");
    }
    const int before = i - 1;
    if (before >= 0 && index.rowOf(opOf(index, before)) == index.rowOf(op)) {
        const double idle = op.start_s - opOf(index, before).end_s;
        if (idle > 0.01 * (op.end_s - op.start_s))
            lines << TimelineText::tr("device idle for %1 before it").arg(formatSeconds(idle, locale));
    }
    return lines;
}

QStringList describeTransfer(const TimelineIndex& index, int i, const QLocale& locale)
{
    const TimelineTransfer& t = index.timeline().transfers[static_cast<std::size_t>(i)];
    const int from = stageOf(index, t.backward ? t.boundary + 1 : t.boundary);
    const int to = stageOf(index, t.backward ? t.boundary : t.boundary + 1);
    QStringList lines;
    lines << (t.backward ? TimelineText::tr("send gradient · micro-batch %1 · stage %2 → %3")
                         : TimelineText::tr("send activations · micro-batch %1 · stage %2 → %3"))
                 .arg(t.micro_batch)
                 .arg(from)
                 .arg(to);
    lines << formatTimeSpan(t.start_s, t.arrive_s, locale);
    lines << TimelineText::tr("%1 on the link, %2 latency")
                 .arg(formatSeconds(t.sent_s - t.start_s, locale), formatSeconds(t.arrive_s - t.sent_s, locale));
    if (t.waited_for_channel) {
        const double ready = opOf(index, t.producer).end_s;
        lines << TimelineText::tr("waited %1 for the link to be free").arg(formatSeconds(t.start_s - ready, locale));
    }
    return lines;
}

}  // namespace

QString opKindText(OpKind kind)
{
    switch (kind) {
    case OpKind::forward:
        return TimelineText::tr("forward");
    case OpKind::backward:
        return TimelineText::tr("backward");
    case OpKind::backward_input:
        return TimelineText::tr("backward (input)");
    case OpKind::backward_weight:
        return TimelineText::tr("backward (weights)");
    }
    return {};
}

QStringList describeElement(const TimelineIndex& index, TimelineElement element, const QLocale& locale)
{
    if (!element.valid())
        return {};
    return element.transfer ? describeTransfer(index, element.index, locale) : describeOp(index, element.index, locale);
}

}  // namespace nnpiper
