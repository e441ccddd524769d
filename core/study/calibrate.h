// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/control.h"
#include "core/study/measured_run.h"

#include <map>
#include <string>
#include <vector>

namespace nnpiper {

/// A run that the user measured.
struct MeasuredStep {
    std::string name;
    MeasuredRun run;
    double iteration_s = 0;
};

struct CalibrationQuestion {
    bool fixed_cost = true;  ///< also fit the cost of every step; left out when the runs are too few
};

/// Magnitudes of predicted / measured - 1.
struct ErrorSummary {
    double mean = 0;
    double largest = 0;
};

struct CalibratedStep {
    std::string name;
    double measured_s = 0;
    double before_s = 0;    ///< predicted with the runs' own constants
    double after_s = 0;     ///< with those fitted on all runs
    double left_out_s = 0;  ///< with those fitted on all other runs; NaN where these are too few
};

/// A type's constant before and after.
struct CalibratedValue {
    double before = 0;
    double after = 0;
};

struct Calibration {
    std::map<std::string, CalibratedValue> achieved_fractions;  ///< by device type, of runs with a project
    std::map<std::string, CalibratedValue> time_scales;         ///< by device type, of runs without one
    bool fixed_cost_fitted = false;
    CalibratedValue fixed_step_s;  ///< of every step; before is the mean of the runs' own
    std::vector<CalibratedStep> steps;
    ErrorSummary before;
    ErrorSummary after;
    ErrorSummary left_out;           ///< leave-one-out cross-validation; NaN where it is not possible
    std::vector<std::string> notes;  ///< what a reader should know, one sentence each
};

/// Finds the achieved fraction of every device type and the fixed cost of a step that make the relative errors of the
/// predicted iteration times least (least squares of their logarithms), and what those constants err on runs that they
/// were not fitted on. Throws Error when there are fewer runs than device types or a run is not possible.
Calibration calibrate(const std::vector<MeasuredStep>& steps, const CalibrationQuestion& question,
                      const Control& control);

/// Takes the fitted constants over into a project: the achieved fractions of its device types, which are marked as
/// calibrated, the fixed cost, and a sentence among its assumptions that says on how many runs they rest. Returns the
/// types that it has changed.
std::vector<std::string> apply(const Calibration& calibration, Project& project);

}  // namespace nnpiper
