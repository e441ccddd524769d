// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/document/clipboard.h"

#include "core/formats/files.h"
#include "widgets/document/edits.h"

#include <set>

namespace nnpiper {

std::string copyText(const Project& project, const QStringList& ids)
{
    std::set<std::string> chosen;
    for (const QString& id : ids) {
        chosen.insert(id.toStdString());
        for (const std::string& device : devicesOf(project.cluster, id.toStdString()))
            chosen.insert(device);
    }
    Project part;
    part.name = "Clipboard";
    part.model = project.model;
    part.job = project.job;
    part.job.locks.clear();
    const auto take = [&](const auto& from, auto& to) {
        for (const auto& item : from)
            if (chosen.count(item.id))
                to.push_back(item);
    };
    take(project.cluster.nodes, part.cluster.nodes);
    take(project.cluster.devices, part.cluster.devices);
    take(project.cluster.switches, part.cluster.switches);
    for (const Link& link : project.cluster.links)
        if (chosen.count(link.from) && chosen.count(link.to))
            part.cluster.links.push_back(link);
    for (Device& device : part.cluster.devices)
        if (!chosen.count(device.node))
            device.node.clear();
    for (const auto& [id, placement] : project.layout)
        if (contains(part.cluster, id))
            part.layout.emplace(id, placement);
    return write_project(part);
}

QStringList pasteText(ProjectDocument& document, const std::string& text, QPointF offset, const QString& command_text)
{
    const Project part = read_project(text, "clipboard");
    return edits::addCopies(document, part.cluster, part.layout, offset, command_text);
}

}  // namespace nnpiper
