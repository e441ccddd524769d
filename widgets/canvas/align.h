// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/project/project.h"

#include <QPointF>
#include <QStringList>
#include <Qt>

#include <map>
#include <string>
#include <vector>

namespace nnpiper {

enum class Alignment { left, center, right, top, middle, bottom };

/// The elements of `ids` that have a place of their own: nodes, switches, single cards and containers.
QStringList placedOf(const Project& project, const QStringList& ids);

/// Places after moving the elements, with what they hold, to one edge or middle line of the box around them; empty for
/// fewer than two.
std::map<std::string, Placement> aligned(const Project& project, const QStringList& ids, Alignment alignment);

/// Places with equal gaps between neighbours in one direction; the two outermost stay. Empty for fewer than three.
std::map<std::string, Placement> distributed(const Project& project, const QStringList& ids, Qt::Orientation direction);

/// Where `copies` more of the elements go, as shifts in scene units: rows of about as many as columns to the right and
/// below, on the grid and clear of everything that is there. Zero where none has a place of its own.
std::vector<QPointF> copyShifts(const Project& project, const QStringList& ids, int copies);

}  // namespace nnpiper
