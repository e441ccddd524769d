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

/// Adds what `copyText` wrote, moved by `offset`, as one command. Returns the ids of the new elements; throws Error
/// when the text is no project.
QStringList pasteText(ProjectDocument& document, const std::string& text, QPointF offset, const QString& command_text);

}  // namespace nnpiper
