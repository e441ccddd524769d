// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/document/project_document.h"

#include <QPointF>
#include <QStringList>

#include <map>
#include <set>
#include <string>

namespace nnpiper {
struct ElementChange;
}

/// Edits of racks and sites, each one undoable command. None of them changes what is planned.
namespace nnpiper::edits {

/// An empty container; scene units of its top left corner. Returns its id.
QString addContainer(ProjectDocument& document, ContainerKind kind, QPointF position);
/// A new container around nodes, switches, single devices and, in a site, racks. A rack made inside one site stays in
/// it. Returns its id; empty where none of `ids` can stand in it.
QString group(ProjectDocument& document, ContainerKind kind, const QStringList& ids);
/// Which of `ids` can stand in a container of that kind: nothing that another of them holds.
QStringList groupable(const Project& project, ContainerKind kind, const QStringList& ids);
/// Puts elements into a container (empty: into none) at the places given; what cannot stand there stays.
void moveInto(ProjectDocument& document, const QStringList& ids, const QString& container,
              const std::map<std::string, Placement>& places = {});
/// Takes containers away and leaves what they hold, in the container around them where there is one.
void dissolve(ProjectDocument& document, const QStringList& ids);
/// Draws nodes and containers as one card, or as a box around their contents again. What is then hidden is no longer
/// selected; its card is.
void setCollapsed(ProjectDocument& document, const QStringList& ids, bool collapsed);

/// For other edits: the containers that lose members which are gone or stand elsewhere.
void takeOutOfContainers(const Project& project, const std::set<std::string>& ids, std::vector<ElementChange>& changes);

}  // namespace nnpiper::edits
