// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/document/project_document.h"

#include <QPointF>
#include <QStringList>

#include <map>
#include <vector>

namespace nnpiper {

/// The elements of `ids`, the devices of the nodes among them and the links whose ends are both among those.
Cluster partOf(const Cluster& cluster, const QStringList& ids);

}  // namespace nnpiper

namespace nnpiper::edits {

/// Adds copies of elements; ids are made fresh, links and node membership are kept among them. Returns the new ids.
QStringList addCopies(ProjectDocument& document, const Cluster& cluster, const std::map<std::string, Placement>& places,
                      QPointF offset, const QString& text);

/// Adds one copy of the elements of `ids` for each of `offsets` (scene units), as one command. Links among them are
/// copied with them; a link to anything else is copied too and ends at the same place, so that a rack made of one
/// server hangs on the same switch. Returns the new ids.
QStringList multiply(ProjectDocument& document, const QStringList& ids, const std::vector<QPointF>& offsets);

}  // namespace nnpiper::edits
