// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/calibrate.h"

#include "core/base/error.h"
#include "core/study/least_squares.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace nnpiper {

namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
constexpr const char* marker = "Calibrated: ";

/// Which unknown is which constant.
struct Layout {
    std::vector<std::string> fractions;  ///< device types of projects
    std::vector<std::string> scales;     ///< device types of raw problems; "" for textbook pipelines
    bool fixed_cost = false;

    std::size_t types() const { return fractions.size() + scales.size(); }
};

void add(std::vector<std::string>& list, const std::string& item)
{
    if (std::find(list.begin(), list.end(), item) == list.end())
        list.push_back(item);
}

/// Types of the devices that a plan uses.
std::vector<std::string> used_types(const PlannedRun& run)
{
    std::vector<std::string> types;
    for (const Stage& stage : run.plan.stages)
        for (const std::string& id : stage.devices)
            if (const int d = run.problem.device_index(id); d >= 0)
                add(types, run.problem.device_types[static_cast<std::size_t>(d)]);
    return types;
}

double own_fixed_step(const MeasuredRun& run)
{
    if (const auto* schedule = std::get_if<ScheduleRun>(&run))
        return schedule->fixed_step_s;
    return std::get<PlannedRun>(run).problem.fixed_step_s;
}

/// Takes the run's own fixed cost away, so that the fitted one stands in its place.
void drop_fixed_step(MeasuredRun& run)
{
    if (auto* schedule = std::get_if<ScheduleRun>(&run)) {
        schedule->fixed_step_s = 0;
    } else {
        auto& planned = std::get<PlannedRun>(run);
        planned.problem.fixed_step_s = 0;
        if (planned.project)
            planned.project->job.fixed_step_s = 0;
    }
}

RunConstants constants_of(const Layout& layout, std::span<const double> values)
{
    RunConstants constants;
    std::size_t i = 0;
    for (const std::string& type : layout.fractions)
        constants.achieved_fractions[type] = values[i++];
    for (const std::string& type : layout.scales)
        constants.time_scales[type] = values[i++];
    if (layout.fixed_cost)
        constants.fixed_step_s = values[i];
    return constants;
}

std::vector<double> fit(const Layout& layout, const std::vector<Unknown>& unknowns,
                        const std::vector<MeasuredStep>& steps, std::size_t left_out, const Control& control)
{
    return least_squares(unknowns, [&](std::span<const double> values) {
        if (control.should_stop())
            throw Error("the calibration", "it was stopped");
        const RunConstants constants = constants_of(layout, values);
        std::vector<double> errors;
        for (std::size_t i = 0; i < steps.size(); ++i)
            if (i != left_out)
                errors.push_back(std::log(predict_run(steps[i].run, constants).iteration_s / steps[i].iteration_s));
        return errors;
    });
}

ErrorSummary summary(const std::vector<CalibratedStep>& steps, double CalibratedStep::*predicted)
{
    ErrorSummary errors;
    for (const CalibratedStep& step : steps) {
        const double size = std::abs(step.*predicted / step.measured_s - 1);
        errors.mean += size / static_cast<double>(steps.size());
        errors.largest = std::isnan(size) ? unknown : std::max(errors.largest, size);
    }
    return errors;
}

/// The fraction that a type has in the first project that uses it.
double own_fraction(const std::vector<MeasuredStep>& steps, const std::string& type)
{
    for (const MeasuredStep& step : steps)
        if (const auto* planned = std::get_if<PlannedRun>(&step.run); planned && planned->project)
            for (const Device& device : planned->project->cluster.devices)
                if (device.spec.type == type)
                    return device.spec.achieved_fraction;
    return DeviceSpec().achieved_fraction;
}

}  // namespace

Calibration calibrate(const std::vector<MeasuredStep>& steps, const CalibrationQuestion& question,
                      const Control& control)
{
    Layout layout;
    double fixed = 0, typical = 0;
    for (const MeasuredStep& step : steps) {
        if (const auto* planned = std::get_if<PlannedRun>(&step.run))
            for (const std::string& type : used_types(*planned))
                add(planned->project ? layout.fractions : layout.scales, type);
        else
            add(layout.scales, {});
        fixed += own_fixed_step(step.run) / static_cast<double>(steps.size());
        typical += step.iteration_s / static_cast<double>(steps.size());
    }
    if (steps.empty() || steps.size() < layout.types())
        throw Error("the measured runs",
                    std::to_string(steps.size()) + (steps.size() == 1 ? " run uses " : " runs use ")
                        + std::to_string(layout.types()) + " device types",
                    "at least one run for each type is needed, better three");
    layout.fixed_cost = question.fixed_cost && steps.size() > layout.types() + 1;

    Calibration result;
    std::vector<MeasuredStep> bare = steps;
    if (layout.fixed_cost)
        for (MeasuredStep& step : bare)
            drop_fixed_step(step.run);
    std::vector<Unknown> unknowns;
    for (const std::string& type : layout.fractions)
        unknowns.push_back({own_fraction(steps, type), true, 1, 1});
    for (std::size_t i = 0; i < layout.scales.size(); ++i)
        unknowns.push_back({});
    if (layout.fixed_cost)
        unknowns.push_back({fixed, false, typical / 10, std::numeric_limits<double>::infinity()});

    const std::vector<double> fitted = fit(layout, unknowns, bare, bare.size(), control);
    std::size_t at = 0;
    for (const std::string& type : layout.fractions) {
        result.achieved_fractions[type] = {unknowns[at].start, fitted[at]};
        if (fitted[at] > 1 - 1e-6)
            result.notes.push_back(
                "The achieved fraction of " + type
                + " comes out at 1, the most there is: its peak in the project is too low, or a run did "
                  "less work than its plan says.");
        ++at;
    }
    for (const std::string& type : layout.scales)
        result.time_scales[type] = {1, fitted[at++]};
    result.fixed_cost_fitted = layout.fixed_cost;
    result.fixed_step_s = {fixed, layout.fixed_cost ? fitted[at] : fixed};
    if (question.fixed_cost && !layout.fixed_cost)
        result.notes.push_back(
            "The fixed cost of a step was left as it is: it needs two runs more than there are device "
            "types.");

    const RunConstants constants = constants_of(layout, fitted);
    const bool enough = steps.size() > unknowns.size();
    if (!enough)
        result.notes.push_back("There are no more runs than constants, so nothing is left to check them on.");
    for (std::size_t i = 0; i < steps.size(); ++i) {
        control.report(static_cast<double>(i) / static_cast<double>(steps.size()), steps[i].name);
        CalibratedStep step{steps[i].name, steps[i].iteration_s, predict_run(steps[i].run, {}).iteration_s,
                            predict_run(bare[i].run, constants).iteration_s, unknown};
        if (enough)
            step.left_out_s =
                predict_run(bare[i].run, constants_of(layout, fit(layout, unknowns, bare, i, control))).iteration_s;
        result.steps.push_back(std::move(step));
    }
    result.before = summary(result.steps, &CalibratedStep::before_s);
    result.after = summary(result.steps, &CalibratedStep::after_s);
    result.left_out = summary(result.steps, &CalibratedStep::left_out_s);
    if (enough && result.left_out.mean >= result.before.mean)
        result.notes.push_back(
            "On runs that they were not fitted on, the constants err no less than before: keep the old "
            "ones, or measure more runs.");
    return result;
}

std::vector<std::string> apply(const Calibration& calibration, Project& project)
{
    std::vector<std::string> changed;
    for (Device& device : project.cluster.devices)
        if (const auto it = calibration.achieved_fractions.find(device.spec.type);
            it != calibration.achieved_fractions.end()) {
            set_achieved_fraction(device.spec, std::min(1.0, it->second.after));
            device.spec.calibrated = true;
            add(changed, device.spec.type);
        }
    if (changed.empty())
        return changed;
    if (calibration.fixed_cost_fitted)
        project.job.fixed_step_s = calibration.fixed_step_s.after;
    std::string types;
    for (const std::string& type : changed)
        types += (types.empty() ? "" : ", ") + type;
    char percent[32];
    const double shown = std::isnan(calibration.left_out.mean) ? calibration.after.mean : calibration.left_out.mean;
    const auto end = std::to_chars(percent, percent + sizeof percent, shown * 100, std::chars_format::fixed, 1);
    std::erase_if(project.assumptions, [](const std::string& sentence) { return sentence.starts_with(marker); });
    project.assumptions.push_back(marker + std::string("the achieved fraction of ") + types
                                  + (calibration.fixed_cost_fitted ? " and the fixed cost of a step" : "")
                                  + " are fitted on " + std::to_string(calibration.steps.size())
                                  + " measured runs, mean error " + std::string(percent, end.ptr) + " %"
                                  + (std::isnan(calibration.left_out.mean) ? "." : " on runs left out."));
    return changed;
}

}  // namespace nnpiper
