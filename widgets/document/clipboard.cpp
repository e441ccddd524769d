// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/document/clipboard.h"

#include "core/formats/files.h"
#include "widgets/document/copies.h"

namespace nnpiper {

std::string copyText(const Project& project, const QStringList& ids)
{
    Project part;
    part.name = "Clipboard";
    part.model = project.model;
    part.job = project.job;
    part.job.locks.clear();
    part.cluster = partOf(project.cluster, ids);
    for (Device& device : part.cluster.devices)
        if (!find_node(part.cluster, device.node))
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
