// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/project/project.h"

#include <QStringList>

namespace nnpiper {

/// Ids of the elements in whose name, id or type every word of `text` occurs, whatever the case: those whose name or id
/// is just the text first, then those whose name starts with it, then the rest, each in the order nodes, devices,
/// switches, links, containers. A device is found by the name of its node too. Empty for an empty text.
QStringList findElements(const Project& project, const QString& text);

}  // namespace nnpiper
