// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan/plan.h"
#include "core/problem/problem.h"
#include "core/project/project.h"

#include <optional>
#include <string>
#include <vector>

namespace nnpiper::cli {

/// A finite number, read without the C locale; `place` is the option's name. Throws Error.
double number(const std::string& text, const std::string& place);
/// Numbers separated by commas or given as several arguments.
std::vector<double> numbers(const std::vector<std::string>& arguments, const std::string& place);
/// A whole number of at least 1.
int positive_integer(const std::string& text, const std::string& place);
/// Splits at commas; empty parts are dropped.
std::vector<std::string> words(const std::string& text);

/// What the command line changes in a job or a raw problem; empty fields change nothing.
struct Overrides {
    std::optional<int> micro_batches;
    std::optional<Objective> objective;
    bool recompute_given = false;
    std::optional<Recompute> recompute;  ///< with recompute_given; empty: the planner may choose
    bool stages_given = false;
    std::optional<int> stages;  ///< with stages_given; empty: the planner may choose
    bool schedule_given = false;
    std::optional<ScheduleKind> schedule;  ///< with schedule_given; empty: the planner may choose
    std::string profile;  ///< file of measured layer times in place of the project's; empty: none
};

/// A project or problem file made ready for planning.
struct Input {
    Problem problem;
    std::optional<Project> project;  ///< empty for a raw problem
};

/// Reads and compiles; warnings go to standard error. Throws Error.
Input load(const std::string& path, const Overrides& overrides = {});

/// A plan file for this problem (a raw one takes over the plan's number of micro-batches). The plan has passed
/// `validate`. Throws Error.
Plan load_plan(const std::string& path, Problem& problem);

/// Best of the project's kept plans that are valid on the problem; throws Error when there is none.
Plan kept_plan(const Input& input, const std::string& path);

}  // namespace nnpiper::cli
