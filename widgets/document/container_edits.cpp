// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/document/container_edits.h"

#include "widgets/canvas/geometry.h"
#include "widgets/document/commands.h"
#include "widgets/document/containers.h"
#include "widgets/document/edits.h"
#include "widgets/document/selection.h"

#include <QCoreApplication>

#include <algorithm>

namespace nnpiper::edits {

namespace {

struct ContainerEdits {
    Q_DECLARE_TR_FUNCTIONS(nnpiper::ContainerEdits)
};

void dropMember(std::vector<Container>& containers, const std::string& id)
{
    for (Container& container : containers)
        std::erase(container.members, id);
}

Container* find(Project& project, const std::string& id)
{
    const auto at = std::find_if(project.containers.begin(), project.containers.end(),
                                 [&](const Container& container) { return container.id == id; });
    return at == project.containers.end() ? nullptr : &*at;
}

bool canHold(const Project& project, ContainerKind kind, const std::string& id)
{
    if (const Container* container = find_container(project.containers, id))
        return kind == ContainerKind::site && container->kind == ContainerKind::rack;
    const Device* device = find_device(project.cluster, id);
    return device ? device->node.empty() : find_node(project.cluster, id) || find_switch(project.cluster, id);
}

Container fresh(const Project& project, ContainerKind kind)
{
    Container container;
    container.kind = kind;
    container.id = freshId(project, kind == ContainerKind::rack ? "rack-1" : "site-1");
    container.name = container.id;
    return container;
}

}  // namespace

QStringList groupable(const Project& project, ContainerKind kind, const QStringList& ids)
{
    QStringList able;
    for (const QString& id : ids) {
        bool held = false;
        for (const Container* around = containerOf(project, id.toStdString()); around;
             around = containerOf(project, around->id))
            held = held || ids.contains(QString::fromStdString(around->id));
        if (!held && canHold(project, kind, id.toStdString()))
            able.append(id);
    }
    return able;
}

QString addContainer(ProjectDocument& document, ContainerKind kind, QPointF position)
{
    const Container container = fresh(document.project(), kind);
    document.push(std::make_unique<ElementsCommand>(
        document, kind == ContainerKind::rack ? ContainerEdits::tr("Add rack") : ContainerEdits::tr("Add site"),
        std::vector<ElementChange>{
            {container.id, std::nullopt, ElementRecord{container, -1, Placement{position.x(), position.y(), 0, 0}}}}));
    return QString::fromStdString(container.id);
}

QString group(ProjectDocument& document, ContainerKind kind, const QStringList& ids)
{
    Project after = document.project();
    const QStringList members = groupable(after, kind, ids);
    if (members.isEmpty())
        return {};
    Container made = fresh(after, kind);
    QRectF around;
    const Container* site = containerOf(after, members.front().toStdString());
    for (const QString& id : members) {
        made.members.push_back(id.toStdString());
        around |= geometry::elementRect(after, id.toStdString());
        if (containerOf(after, id.toStdString()) != site)
            site = nullptr;
    }
    const std::string into = site && site->kind == ContainerKind::site && kind == ContainerKind::rack ? site->id : "";
    for (const std::string& member : made.members)
        dropMember(after.containers, member);
    if (Container* outer = find(after, into))
        outer->members.push_back(made.id);
    const QPointF corner = around.topLeft() - geometry::containerCorner;
    after.layout[made.id] = {corner.x(), corner.y(), 0, 0};
    const QString id = QString::fromStdString(made.id);
    after.containers.push_back(std::move(made));
    applyProject(document, std::move(after),
                 kind == ContainerKind::rack ? ContainerEdits::tr("Group into a rack")
                                             : ContainerEdits::tr("Group into a site"));
    return id;
}

void moveInto(ProjectDocument& document, const QStringList& ids, const QString& container,
              const std::map<std::string, Placement>& places)
{
    Project after = document.project();
    Container* into = find(after, container.toStdString());
    for (const QString& name : into ? groupable(after, into->kind, ids) : ids) {
        const std::string id = name.toStdString();
        if (id == container.toStdString())
            continue;
        const Container* around = containerOf(after, id);
        if (around == into)
            continue;
        dropMember(after.containers, id);
        if (into)
            into->members.push_back(id);
    }
    for (const auto& [id, placement] : places)
        after.layout[id] = placement;
    applyProject(document, std::move(after),
                 into ? ContainerEdits::tr("Put into %1").arg(container) : ContainerEdits::tr("Take out of the container"));
}

void dissolve(ProjectDocument& document, const QStringList& ids)
{
    Project after = document.project();
    QStringList contents;
    for (const QString& name : ids) {
        const std::string id = name.toStdString();
        const Container* gone = find_container(after.containers, id);
        if (!gone)
            continue;
        const std::vector<std::string> members = gone->members;
        const Container* outer = containerOf(after, id);
        const std::string into = outer ? outer->id : std::string();
        dropMember(after.containers, id);
        std::erase_if(after.containers, [&](const Container& container) { return container.id == id; });
        after.layout.erase(id);
        if (Container* around = find(after, into))
            around->members.insert(around->members.end(), members.begin(), members.end());
        for (const std::string& member : members)
            contents.append(QString::fromStdString(member));
    }
    applyProject(document, std::move(after), ContainerEdits::tr("Ungroup"));
    if (!contents.isEmpty())
        document.selection().set(contents);
}

void setCollapsed(ProjectDocument& document, const QStringList& ids, bool collapsed)
{
    std::map<std::string, Placement> places;
    for (const QString& id : ids) {
        const auto placed = document.project().layout.find(id.toStdString());
        if (placed == document.project().layout.end())
            continue;
        if (!find_node(document.project().cluster, placed->first) && !find_container(document.project().containers, placed->first))
            continue;
        Placement placement = placed->second;
        placement.collapsed = collapsed;
        places[placed->first] = placement;
    }
    place(document, places, collapsed ? ContainerEdits::tr("Collapse") : ContainerEdits::tr("Expand"));
    QStringList shown;
    for (const QString& id : document.selection().ids())
        shown.append(QString::fromStdString(shownAs(document.project(), id.toStdString())));
    document.selection().set(shown);
}

void takeOutOfContainers(const Project& project, const std::set<std::string>& ids, std::vector<ElementChange>& changes)
{
    for (const Container& container : project.containers) {
        Container after = container;
        std::erase_if(after.members, [&](const std::string& member) { return ids.count(member) > 0; });
        if (after == container || ids.count(container.id))
            continue;
        const auto before = recordOf(project, container.id);
        ElementRecord record = *before;
        record.value = after;
        changes.push_back({container.id, before, record});
    }
}

}  // namespace nnpiper::edits
