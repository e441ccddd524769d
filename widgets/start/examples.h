// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/project/project.h"

#include <QList>
#include <QString>

namespace nnpiper {

/// The folder of the example projects: beside the executable as in the build tree and a relocated package
/// (../share/nnpiper/examples), else where the program was installed to. Empty when there is none.
QString examplesDirectory();

struct Example {
    QString path;
    Project project;
};

/// The readable projects of that folder by file name; one that cannot be read is left out.
QList<Example> loadExamples(const QString& directory);

}  // namespace nnpiper
