// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/results/solved_plan.h"
#include "widgets/results/timeline_index.h"

#include <QStringList>

class QLocale;

namespace nnpiper {

/// What the pointer's neighbour has to say: a title, then when it ran, then what it waited for.
QStringList describeElement(const TimelineIndex& index, TimelineElement element, const QLocale& locale);

/// Name of a kind of op in the user's language.
QString opKindText(OpKind kind);

}  // namespace nnpiper
