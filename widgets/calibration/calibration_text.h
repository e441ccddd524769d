// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/study/calibrate.h"

#include <QStringList>

#include <vector>

class QLocale;

namespace nnpiper {

/// What was run: "1F1B, 4 stages, 8 micro-batches".
QString runText(const MeasuredRun& run);
/// Types of the devices that the run used, in the plan's order; empty for a textbook pipeline.
QStringList deviceTypesOf(const MeasuredRun& run);
/// How many speeds a fit on these runs has to find: one for each device type, apart for projects and raw problems.
int speedsOf(const std::vector<MeasuredStep>& runs);

/// Why these runs cannot be fitted yet, or an empty text.
QString obstacleText(const std::vector<MeasuredStep>& runs);
/// What a reader of the result should know, one sentence each. `wanted_fixed_cost`: the fit was asked for it.
QStringList noteTexts(const Calibration& calibration, bool wanted_fixed_cost);

/// "1.42 s  +12.3 %": a prediction and its error against what was measured; a dash when it is not known.
QString predictionText(double predicted_s, double measured_s, const QLocale& locale);

}  // namespace nnpiper
