// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/canvas/type_names.h"

#include "widgets/results/device_label.h"

#include <QRegularExpression>
#include <QStringList>

#include <algorithm>

namespace nnpiper {

QString shortTypeName(const std::string& type)
{
    return shortDeviceType(QString::fromStdString(type));
}

QString shortLinkName(const std::string& type)
{
    static const QRegularExpression bracketed(QStringLiteral(R"(\s*\(.*)"));
    QString text = QString::fromStdString(type);
    text.remove(bracketed);
    return text;
}

QString summaryOf(const Cluster& cluster, const std::vector<std::string>& devices)
{
    std::vector<std::pair<QString, int>> counts;
    for (const std::string& id : devices) {
        const Device* device = find_device(cluster, id);
        if (!device)
            continue;
        const QString name = shortTypeName(device->spec.type);
        const auto same =
            std::find_if(counts.begin(), counts.end(), [&](const auto& item) { return item.first == name; });
        if (same == counts.end())
            counts.emplace_back(name, 1);
        else
            ++same->second;
    }
    QStringList parts;
    for (const auto& [name, count] : counts)
        parts.append(QStringLiteral("%1×%2").arg(count).arg(name));
    return parts.join(QStringLiteral(" + "));
}

}  // namespace nnpiper
