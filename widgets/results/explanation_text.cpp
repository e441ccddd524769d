// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/results/explanation_text.h"

#include "widgets/results/device_label.h"
#include "widgets/results/figures.h"
#include "widgets/results/planner_title.h"

#include <QCoreApplication>
#include <QLocale>

namespace nnpiper {
namespace {

struct ExplanationText {
    Q_DECLARE_TR_FUNCTIONS(nnpiper::Explanation)
};

QString gigabits(double bytesPerS, const QLocale& locale)
{
    const double bits = bytesPerS * 8;
    return bits >= 1e9 ? formatRate(bits / 1e9, locale) + QStringLiteral("\u00a0Gb/s")
                       : formatRate(bits / 1e6, locale) + QStringLiteral("\u00a0Mb/s");
}

QString sentence(const Problem& problem, const Reason& r, const QLocale& l)
{
    const QString other = plannerTitle(r.planner);
    switch (r.kind) {
    case Reason::Kind::balance:
        if (!r.planner.empty())
            return ExplanationText::tr(
                       "No stage takes longer than %1 a micro-batch (stage %2); the balance is %3, with %4 %5")
                .arg(formatSeconds(r.value_s, l))
                .arg(r.stage)
                .arg(formatPercent(r.fraction, l), other, formatPercent(r.other_fraction, l));
        return ExplanationText::tr("No stage takes longer than %1 a micro-batch (stage %2); the balance is %3")
            .arg(formatSeconds(r.value_s, l))
            .arg(r.stage)
            .arg(formatPercent(r.fraction, l));
    case Reason::Kind::slow_links:
        if (!r.planner.empty())
            return ExplanationText::tr("%1 of %2 boundaries cross a slow route (%3); with %4 it is %5")
                .arg(r.count)
                .arg(r.total)
                .arg(gigabits(r.value_bytes_per_s, l), other)
                .arg(r.other_count);
        return ExplanationText::tr("Only %1 of %2 boundaries cross a slow route (%3)")
            .arg(r.count)
            .arg(r.total)
            .arg(gigabits(r.value_bytes_per_s, l));
    case Reason::Kind::hidden_transfers:
        return ExplanationText::tr(
                   "Messages hide behind the work: the busiest link needs %1 of the slowest stage's time")
            .arg(formatPercent(r.fraction, l));
    case Reason::Kind::link_bound:
        return ExplanationText::tr("The link behind stage %1 sets the pace: it needs %2 of the slowest stage's time")
            .arg(r.stage)
            .arg(formatPercent(r.fraction, l));
    case Reason::Kind::bubble:
        if (!r.planner.empty())
            return ExplanationText::tr("The devices idle %1 of the time, with %2 %3")
                .arg(formatPercent(r.fraction, l), other, formatPercent(r.other_fraction, l));
        return ExplanationText::tr("The devices idle %1 of the time").arg(formatPercent(r.fraction, l));
    case Reason::Kind::idle_devices: {
        const int device = problem.device_index(r.device);
        if (r.count == 1 && device >= 0)
            return ExplanationText::tr("It leaves %1 unused; no compared plan that uses it is faster")
                .arg(deviceLabel(problem, device));
        return ExplanationText::tr("It leaves %1 of %2 devices unused; no compared plan that uses them is faster")
            .arg(r.count)
            .arg(r.total);
    }
    case Reason::Kind::memory_saved:
        if (r.count == 1)
            return ExplanationText::tr("It fits: the fullest device is filled to %1, while the plan of %2 does not fit")
                .arg(formatPercent(r.fraction, l), other);
        return ExplanationText::tr("It fits: the fullest device is filled to %1, while %2 other plans do not fit")
            .arg(formatPercent(r.fraction, l))
            .arg(r.count);
    case Reason::Kind::margin:
        return ExplanationText::tr("It is %1 faster than %2, the next best").arg(formatPercent(r.fraction, l), other);
    }
    return {};
}

}  // namespace

QStringList explanationText(const Problem& problem, const std::vector<Reason>& reasons, const QLocale& locale)
{
    QStringList sentences;
    for (const Reason& reason : reasons)
        sentences << sentence(problem, reason, locale);
    return sentences;
}

}  // namespace nnpiper
