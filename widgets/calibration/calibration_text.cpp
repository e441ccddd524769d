// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/calibration/calibration_text.h"

#include "core/schedule/schedule.h"
#include "widgets/results/figures.h"

#include <QCoreApplication>
#include <QLocale>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace nnpiper {

namespace {

struct Texts {
    Q_DECLARE_TR_FUNCTIONS(nnpiper::CalibrationText)
};

QString titleOf(ScheduleKind kind)
{
    for (const ScheduleEntry& entry : schedule_catalog())
        if (entry.kind == kind)
            return QString::fromStdString(entry.title);
    return QString::fromUtf8(name_of(kind).data());
}

QString shapeText(ScheduleKind schedule, int stages, int micro_batches)
{
    return Texts::tr("%1, %2 stages, %3 micro-batches").arg(titleOf(schedule)).arg(stages).arg(micro_batches);
}

/// Three digits, with trailing zeros, so that a column of them lines up.
QString threeDigits(double seconds, const QLocale& locale)
{
    if (seconds >= 999.5 || seconds < 1e-3)
        return formatSeconds(seconds, locale);
    const bool whole = seconds >= 0.9995;
    const double shown = whole ? seconds : seconds * 1e3;
    return locale.toString(shown, 'f',
                           shown >= 99.95   ? 0
                           : shown >= 9.995 ? 1
                                            : 2)
           + (whole ? QStringLiteral("\u00a0s") : QStringLiteral("\u00a0ms"));
}

}  // namespace

QString runText(const MeasuredRun& run)
{
    if (const auto* schedule = std::get_if<ScheduleRun>(&run))
        return shapeText(schedule->pipeline.kind, schedule->pipeline.devices, schedule->pipeline.micro_batches);
    const Plan& plan = std::get<PlannedRun>(run).plan;
    const int groups = static_cast<int>(plan.stages.size()) / std::max(1, plan.chunks_per_device);
    return shapeText(plan.schedule, groups, plan.micro_batches);
}

QStringList deviceTypesOf(const MeasuredRun& run)
{
    QStringList types;
    const auto* planned = std::get_if<PlannedRun>(&run);
    if (!planned)
        return types;
    for (const Stage& stage : planned->plan.stages)
        for (const std::string& id : stage.devices)
            if (const int device = planned->problem.device_index(id); device >= 0)
                types.append(QString::fromStdString(planned->problem.device_types[static_cast<std::size_t>(device)]));
    types.removeDuplicates();
    return types;
}

int speedsOf(const std::vector<MeasuredStep>& runs)
{
    std::set<std::pair<bool, QString>> speeds;
    for (const MeasuredStep& run : runs) {
        if (std::holds_alternative<ScheduleRun>(run.run))
            speeds.emplace(false, QString());
        for (const QString& type : deviceTypesOf(run.run))
            speeds.emplace(std::get<PlannedRun>(run.run).project.has_value(), type);
    }
    return static_cast<int>(speeds.size());
}

QString obstacleText(const std::vector<MeasuredStep>& runs)
{
    for (const MeasuredStep& run : runs)
        if (std::isnan(run.iteration_s))
            return Texts::tr("The measured step time of \"%1\" is missing: type it into the table.")
                .arg(QString::fromStdString(run.name));
    const int speeds = speedsOf(runs);
    const auto count = static_cast<int>(runs.size());
    if (count < speeds)
        return Texts::tr("Too few runs: %1 measured, but they use %2 device types. At least one run for each type is "
                         "needed, better three.")
            .arg(count)
            .arg(speeds);
    return {};
}

QStringList noteTexts(const Calibration& calibration, bool wanted_fixed_cost)
{
    QStringList notes;
    for (const auto& [type, fraction] : calibration.achieved_fractions)
        if (fraction.after > 1 - 1e-6)
            notes << Texts::tr("The achieved fraction of %1 comes out at 100 %, the most there is: its peak in the "
                               "project is too low, or a run did less work than its plan says.")
                         .arg(QString::fromStdString(type));
    if (wanted_fixed_cost && !calibration.fixed_cost_fitted)
        notes << Texts::tr("The fixed cost of a step was left as it is: it needs two runs more than there are "
                           "device types.");
    if (std::isnan(calibration.left_out.mean))
        notes << Texts::tr("There are no more runs than constants, so nothing is left to check them on.");
    else if (calibration.left_out.mean >= calibration.before.mean)
        notes << Texts::tr("On runs that they were not fitted on, the constants err no less than before: keep the old "
                           "ones, or measure more runs.");
    return notes;
}

QString predictionText(double predicted_s, double measured_s, const QLocale& locale)
{
    if (std::isnan(predicted_s))
        return QStringLiteral("–");
    return threeDigits(predicted_s, locale) + QStringLiteral("\u2002")
           + formatDifference(predicted_s / measured_s - 1, locale);
}

}  // namespace nnpiper
