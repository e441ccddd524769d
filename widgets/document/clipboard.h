// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/document/project_document.h"

#include <QPointF>
#include <QStringList>

#include <string>

namespace nnpiper {

/// What the clipboard holds: a project file with the copied elements, the devices of copied nodes and the links among
/// them. So a copy can also be pasted into an editor, and any project file's text can be pasted onto the canvas.
std::string copyText(const Project& project, const QStringList& ids);

/// Adds what `copyText` wrote of this project, moved by `offset`, as one command; cards and what stands in containers go
/// beside their originals. Returns the ids of the new elements; throws Error when the text is no project.
QStringList pasteText(ProjectDocument& document, const std::string& text, QPointF offset, const QString& command_text);
/// The same with the middle of what is pasted at `point`, on the grid.
QStringList pasteTextAt(ProjectDocument& document, const std::string& text, QPointF point, const QString& command_text);
/// Adds what comes from another project: near `point` where there is room. Ids that happen to be the same mean nothing.
QStringList pasteForeignText(ProjectDocument& document, const std::string& text, QPointF point,
                             const QString& command_text);

}  // namespace nnpiper
