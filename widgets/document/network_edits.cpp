// SPDX-License-Identifier: GPL-3.0-or-later
// Edits of the drawing that concern several links at once.
#include "widgets/document/commands.h"
#include "widgets/document/containers.h"
#include "widgets/document/edits.h"

#include <QCoreApplication>

namespace nnpiper::edits {

namespace {

struct NetworkEdits {
    Q_DECLARE_TR_FUNCTIONS(nnpiper::NetworkEdits)
};

ElementChange added(const Element& element, std::optional<Placement> placement = std::nullopt)
{
    return {idOf(element), std::nullopt, ElementRecord{element, -1, placement}};
}

}  // namespace

QStringList addLinks(ProjectDocument& document, const Link& usual, const QStringList& from, const QString& to)
{
    const Cluster& cluster = document.project().cluster;
    std::vector<ElementChange> changes;
    std::vector<std::string> taken;
    QStringList made;
    for (const QString& end : from) {
        Link link = linkBetween(document.project(), end.toStdString(), to.toStdString(), usual);
        link.from = end.toStdString();
        link.to = to.toStdString();
        if (!canLink(cluster, link.from, link.to))
            continue;
        link.id = freshId(document.project(), link.from + "--" + link.to, taken);
        taken.push_back(link.id);
        made.append(QString::fromStdString(link.id));
        changes.push_back(added(link));
    }
    document.push(std::make_unique<ElementsCommand>(document, NetworkEdits::tr("Connect"), std::move(changes)));
    return made;
}

QString splitLink(ProjectDocument& document, const QString& id, QPointF position)
{
    const Project& project = document.project();
    const Link* link = find_link(project.cluster, id.toStdString());
    if (!link)
        return {};
    Switch middle;
    middle.id = freshId(project, "switch");
    middle.name = middle.id;
    Link first = *link;
    Link second = *link;
    first.to = middle.id;
    second.from = middle.id;
    // The way stays as long as it was.
    first.latency_s = second.latency_s = link->latency_s / 2;
    first.id = freshId(project, first.from + "--" + first.to);
    second.id = freshId(project, second.from + "--" + second.to, {first.id});
    const std::string made = middle.id;
    document.push(std::make_unique<ElementsCommand>(
        document, NetworkEdits::tr("Put a switch into the link"),
        std::vector<ElementChange>{{link->id, recordOf(project, link->id), std::nullopt},
                                   added(middle, Placement{position.x(), position.y(), 0, 0}),
                                   added(first),
                                   added(second)}));
    return QString::fromStdString(made);
}

}  // namespace nnpiper::edits
