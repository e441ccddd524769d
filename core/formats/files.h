// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan/plan.h"
#include "core/problem/problem.h"
#include "core/project/project.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace nnpiper {

/// Text in, data out; every reader throws Error with `place` (a file name) and a JSON pointer. `warnings`, where given,
/// gets one sentence per field that is not known ("/job/colour is not known and is kept out").
Project read_project(std::string_view text, const std::string& place, std::vector<std::string>* warnings = nullptr);
Problem read_problem(std::string_view text, const std::string& place, std::vector<std::string>* warnings = nullptr);
/// `problem` turns device indices into ids and bounds layers.
Plan read_plan(std::string_view text, const std::string& place, const Problem* problem = nullptr,
               std::vector<std::string>* warnings = nullptr);

/// Stable key order, two-space indent, one trailing newline.
std::string write_project(const Project& project);
std::string write_problem(const Problem& problem);
std::string write_plan(const Plan& plan);
/// The value of `plan --format json`: {"plans": [...]}.
std::string write_plans(const std::vector<Plan>& plans);

/// Measured layer times, as JSON ("nnpiper-profile") or CSV: a heading with device_type, layer, micro_batch, forward_s and
/// backward_s (or backward_input_s and backward_weight_s), optionally tensor_parallel and stored_bytes, then a row per
/// layer, kind or range of layers. Lines that begin with # are comments.
Profile read_profile(std::string_view text, const std::string& place);
std::string write_profile(const Profile& profile);

enum class FileKind { project, problem, plan };
/// By the "format" field; throws Error naming the three.
FileKind file_kind(std::string_view text, const std::string& place);

/// Whole files. Reading throws Error ("no such file"); writing is atomic (temporary beside it, then rename) with a
/// plain write where renaming is not possible.
std::string read_text(const std::filesystem::path& path);
void write_text(const std::filesystem::path& path, std::string_view text);

/// Project or problem file to a problem.
Problem load_problem(const std::filesystem::path& path, std::vector<std::string>* warnings = nullptr);

}  // namespace nnpiper
