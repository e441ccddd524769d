// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan/plan.h"
#include "core/problem/problem.h"
#include "core/project/project.h"
#include "core/simulator/textbook.h"

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace nnpiper {

/// A textbook pipeline whose op times were measured, and what it does once an iteration.
struct ScheduleRun {
    TextbookPipeline pipeline;
    std::vector<double> all_reduce_s;  ///< one a device; empty: none
    std::vector<double> optimizer_s;   ///< one a device; empty: none
    double fixed_step_s = 0;
    bool rolling = false;  ///< a device starts its next iteration without waiting for the others, so that one lasts as
                           ///< long as the longest span of a device
};

/// A plan on its problem. With the project that the problem was compiled from, achieved fractions can be changed.
struct PlannedRun {
    std::optional<Project> project;
    Problem problem;
    Plan plan;
    bool blocking = false;  ///< a device waits while it sends
};

using MeasuredRun = std::variant<ScheduleRun, PlannedRun>;

/// What is found out from measurements and holds for several runs.
struct RunConstants {
    double time_scale = 1;                             ///< of every forward and backward
    double op_overhead_s = 0;                          ///< on every forward and every backward of a chunk
    double transfer_overhead_s = 0;                    ///< latency on every boundary
    double fixed_step_s = 0;                           ///< on every iteration, beside the run's own
    std::map<std::string, double> time_scales;         ///< by device type, on top of time_scale
    std::map<std::string, double> achieved_fractions;  ///< by device type, in place of a project's own
};

struct RunFigures {
    double makespan_s = 0;
    double iteration_s = 0;
    double bubble_fraction = 0;    ///< idle share of makespan x devices
    double peak_activations = 0;   ///< on the fullest device, in micro-batches of its full share
    double peak_memory_bytes = 0;  ///< on the fullest device; NaN for a textbook pipeline
    double samples = 0;            ///< of one iteration; NaN for a textbook pipeline
    int devices = 0;
};

/// Sets the fraction of the peak that a device achieves; those of single kinds of work keep their ratio to it, up to 1.
void set_achieved_fraction(DeviceSpec& spec, double fraction);

/// The simulator's prediction. Throws Error when the run is not possible (invalid plan, deadlock).
RunFigures predict_run(const MeasuredRun& run, const RunConstants& constants);

}  // namespace nnpiper
