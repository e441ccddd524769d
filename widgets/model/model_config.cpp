// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/model/model_config.h"

#include "core/formats/files.h"
#include "core/formats/hf_config.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>

namespace nnpiper {

bool isModelConfig(const QString& path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return false;
    const QJsonObject object = QJsonDocument::fromJson(file.readAll()).object();
    return object.contains(QStringLiteral("model_type")) && !object.contains(QStringLiteral("format"));
}

Architecture architectureFromConfig(const QString& path)
{
    Architecture architecture = read_hf_config(read_text(path.toStdString()), path.toStdString());
    if (architecture.name.empty())
        architecture.name = QFileInfo(path).absoluteDir().dirName().toStdString();
    return architecture;
}

Model withArchitecture(Model model, const Architecture& architecture)
{
    model.architecture = architecture;
    model.target_length = 0;
    if (model.sequence_length <= 0)
        model.sequence_length = 2048;
    if (architecture.positions > 0
        && (model.sequence_length > architecture.positions || architecture.family == Family::vit))
        model.sequence_length = architecture.positions;
    return model;
}

}  // namespace nnpiper
