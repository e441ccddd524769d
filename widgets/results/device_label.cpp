// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/results/device_label.h"

#include <QStringList>

#include <algorithm>

namespace nnpiper {
namespace {

bool hasDigit(const QString& word)
{
    return std::any_of(word.begin(), word.end(), [](QChar c) { return c.isDigit(); });
}

QString typeOf(const Problem& problem, int device)
{
    const auto d = static_cast<std::size_t>(device);
    return d < problem.device_types.size() ? shortDeviceType(QString::fromStdString(problem.device_types[d]))
                                           : QString();
}

QString unknownDevice(const Stage& stage)
{
    return stage.devices.empty() ? QStringLiteral("–") : QString::fromStdString(stage.devices.front());
}

/// The short type that all devices of the stage share, else empty.
QString commonType(const Problem& problem, const Stage& stage)
{
    QString common;
    for (const std::string& id : stage.devices) {
        const int device = problem.device_index(id);
        const QString type = device < 0 ? QString() : typeOf(problem, device);
        if (type.isEmpty() || (!common.isEmpty() && common != type))
            return {};
        common = type;
    }
    return common;
}

}  // namespace

QString shortDeviceType(const QString& type)
{
    const QStringList words = type.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    for (qsizetype i = 0; i < words.size(); ++i) {
        if (!hasDigit(words[i]))
            continue;
        QString name = words[i];
        // "Gaudi 2", "TPU v4": the number alone says nothing.
        const bool bare = name.size() <= 2 && (name[0].isDigit() || name[0] == QLatin1Char('v'));
        if (bare && i > 0)
            name = words[i - 1] + QLatin1Char(' ') + name;
        if (i + 1 < words.size())
            for (const char* suffix : {"Ti", "Super", "XT", "XTX", "Ada"})
                if (words[i + 1].compare(QLatin1String(suffix), Qt::CaseInsensitive) == 0)
                    name += QLatin1Char(' ') + words[i + 1];
        return name;
    }
    return type;
}

QString deviceLabel(const Problem& problem, int device)
{
    const QString type = typeOf(problem, device);
    if (type.isEmpty())
        return QString::fromStdString(problem.device_ids[static_cast<std::size_t>(device)]);
    int before = 0;
    int all = 0;
    for (int d = 0; d < problem.devices(); ++d)
        if (typeOf(problem, d) == type) {
            ++all;
            before += d < device;
        }
    return all == 1 ? type : QStringLiteral("%1-%2").arg(type).arg(before);
}

QString stageDeviceLabel(const Problem& problem, const Stage& stage)
{
    const int first = stage.devices.empty() ? -1 : problem.device_index(stage.devices.front());
    if (first < 0)
        return unknownDevice(stage);
    if (stage.devices.size() == 1)
        return deviceLabel(problem, first);
    const QString common = commonType(problem, stage);
    if (!common.isEmpty())
        return QStringLiteral("%1 ×%2").arg(common).arg(stage.devices.size());
    return QStringLiteral("%1 +%2").arg(deviceLabel(problem, first)).arg(stage.devices.size() - 1);
}

QString stageTypeLabel(const Problem& problem, const Stage& stage)
{
    const QString common = commonType(problem, stage);
    if (common.isEmpty())
        return stageDeviceLabel(problem, stage);
    return stage.devices.size() == 1 ? common : QStringLiteral("%1 ×%2").arg(common).arg(stage.devices.size());
}

}  // namespace nnpiper
