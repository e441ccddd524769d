// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/document/project_document.h"

#include <QPointF>
#include <QStringList>

#include <map>
#include <vector>

namespace nnpiper {

/// The elements of `ids`, the devices of the nodes and the contents of the containers among them, and the links whose
/// ends are both among those: cluster, containers and places.
Project partOf(const Project& project, const QStringList& ids);

}  // namespace nnpiper

namespace nnpiper::edits {

/// Adds copies of the elements of `part`; ids are made fresh, links and what stands in what are kept among them. Where
/// the part was taken from this very project (`own`), a card copied out of a node and what was copied out of a container
/// go beside their originals. Returns the new ids.
QStringList addCopies(ProjectDocument& document, const Project& part, QPointF offset, const QString& text, bool own);

/// Adds one copy of the elements of `ids` for each of `offsets` (scene units), as one command. Links among them are
/// copied with them; a link to anything else is copied too and ends at the same place, so that a rack made of one
/// server hangs on the same switch; copies stand in the container of their originals. Returns the new ids.
QStringList multiply(ProjectDocument& document, const QStringList& ids, const std::vector<QPointF>& offsets);

}  // namespace nnpiper::edits
