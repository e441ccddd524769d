// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/project/project.h"

#include <QPointF>
#include <QSizeF>

#include <map>
#include <string>

namespace nnpiper {

/// A tidy drawing of a cluster: nodes and single cards in rows, switches between or below them under the middle of what
/// they join. Up to five boxes make one row, more go above and below the switches. Places only, by element id.
std::map<std::string, Placement> arrange(const Project& project);

/// The top left corner nearest to `wished` at which a box of that size touches nothing.
QPointF freePlace(const Project& project, QSizeF size, QPointF wished);

/// Gives a place to every element that has none: the whole drawing where nothing has a place yet, else a free row below
/// what is there. Returns whether anything was missing.
bool placeMissing(Project& project);

}  // namespace nnpiper
