// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/study/fidelity.h"

namespace nnpiper {

/// Pieces of the evaluation of a group: selecting records, one predicted figure, the verdict.

bool higher_is_better(Figure figure);

/// "*" stands for any characters, also none.
bool matches(std::string_view text, std::string_view pattern);
bool matches_any(std::string_view text, const std::vector<std::string>& patterns);

/// Records whose ids match, in the records' order. Throws Error when a pattern matches none.
std::vector<const FidelityRecord*> selected(const std::vector<FidelityRecord>& records,
                                            const std::vector<std::string>& patterns, const std::string& group);

/// "model 1.5B, m 24": the record's values of these tags; empty for none. Throws Error when it lacks one.
std::string part_of(const FidelityRecord& record, const std::vector<std::string>& tags, const std::string& group);

/// The one record with the group's reference tags, a measured figure and the same values as `record` in reference_same.
/// Throws Error when there is none or more than one.
const FidelityRecord* reference_of(const FidelityRecord& record, const FidelityGroup& group,
                                   const std::vector<FidelityRecord>& records);

/// Throws Error unless the group's figure was measured.
void require_figure(const FidelityRecord& record, const FidelityGroup& group);

/// Types of the devices of the record's project, each once. Throws Error when the run has no project.
std::vector<std::string> device_types(const FidelityRecord& record);

/// NaN where the run does not tell it. Throws Error when the run is not possible.
double predicted_figure(const FidelityRecord& record, Figure figure, const RunConstants& constants);

/// Fills the sums over the rows and ranks, and whether they meet the tolerance.
void judge(FidelityResult& result, const FidelityGroup& group);

}  // namespace nnpiper
