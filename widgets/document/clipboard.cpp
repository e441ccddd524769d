// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/document/clipboard.h"

#include "core/formats/files.h"
#include "widgets/canvas/arrange.h"
#include "widgets/canvas/geometry.h"
#include "widgets/document/copies.h"

namespace nnpiper {

std::string copyText(const Project& project, const QStringList& ids)
{
    Project part = partOf(project, ids);
    part.name = "Clipboard";
    part.model = project.model;
    part.job = project.job;
    part.job.locks.clear();
    for (Device& device : part.cluster.devices)
        if (!find_node(part.cluster, device.node))
            device.node.clear();
    return write_project(part);
}

QStringList pasteText(ProjectDocument& document, const std::string& text, QPointF offset, const QString& command_text)
{
    return edits::addCopies(document, read_project(text, "clipboard"), offset, command_text, true);
}

QStringList pasteTextAt(ProjectDocument& document, const std::string& text, QPointF point, const QString& command_text)
{
    const Project part = read_project(text, "clipboard");
    const QPointF offset = geometry::snapped(point - geometry::contentRect(part).center());
    return edits::addCopies(document, part, offset, command_text, true);
}

QStringList pasteForeignText(ProjectDocument& document, const std::string& text, QPointF point,
                             const QString& command_text)
{
    Project part = read_project(text, "clipboard");
    placeMissing(part);
    const QRectF box = geometry::contentRect(part);
    const QPointF corner = freePlace(document.project(), box.size(), point - QPointF(box.width(), box.height()) / 2);
    return edits::addCopies(document, part, geometry::snapped(corner - box.topLeft()), command_text, false);
}

}  // namespace nnpiper
