// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/start/examples.h"

#include "core/base/error.h"
#include "core/formats/files.h"

#include <QCoreApplication>
#include <QDir>

namespace nnpiper {

QString examplesDirectory()
{
    const QStringList candidates = {QCoreApplication::applicationDirPath()
                                        + QStringLiteral("/../share/nnpiper/examples"),
                                    QStringLiteral(NNPIPER_DATA_DIRECTORY "/examples")};
    for (const QString& candidate : candidates)
        if (QDir(candidate).exists())
            return QDir(candidate).canonicalPath();
    return {};
}

QList<Example> loadExamples(const QString& directory)
{
    QList<Example> examples;
    if (directory.isEmpty())
        return examples;
    const QDir folder(directory);
    for (const QString& name : folder.entryList({QStringLiteral("*.nnpiper.json")}, QDir::Files, QDir::Name)) {
        const QString path = folder.filePath(name);
        try {
            const std::string text = read_text(path.toStdString());
            examples.append({path, read_project(text, path.toStdString())});
        } catch (const Error&) {
            continue;
        }
    }
    return examples;
}

}  // namespace nnpiper
