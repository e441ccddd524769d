// SPDX-License-Identifier: GPL-3.0-or-later
// Device types of the project's own, and the devices that are of them.
#include "widgets/document/commands.h"
#include "widgets/document/edits.h"

#include <QCoreApplication>

#include <algorithm>

namespace nnpiper::edits {

namespace {

struct TypeEdits {
    Q_DECLARE_TR_FUNCTIONS(nnpiper::TypeEdits)
};

using Types = std::vector<DeviceSpec>;

Types::iterator find(Types& types, const std::string& name)
{
    return std::find_if(types.begin(), types.end(), [&](const DeviceSpec& type) { return type.type == name; });
}

void setTypes(ProjectDocument& document, Types types, const QString& text)
{
    document.push(std::make_unique<ValueCommand<Types>>(document, text, &ProjectDocument::setDeviceTypes,
                                                        document.project().device_types, std::move(types)));
}

}  // namespace

QStringList devicesOfType(const Cluster& cluster, const std::string& type)
{
    QStringList ids;
    for (const Device& device : cluster.devices)
        if (device.spec.type == type)
            ids.append(QString::fromStdString(device.id));
    return ids;
}

void addDeviceType(ProjectDocument& document, const DeviceSpec& type)
{
    Types types = document.project().device_types;
    if (type.type.empty() || find(types, type.type) != types.end())
        return;
    types.push_back(type);
    setTypes(document, std::move(types), TypeEdits::tr("New device type %1").arg(QString::fromStdString(type.type)));
}

void changeDeviceType(ProjectDocument& document, const QString& name, const DeviceSpec& type)
{
    Types types = document.project().device_types;
    const auto at = find(types, name.toStdString());
    if (at == types.end() || *at == type)
        return;
    const DeviceSpec before = *at;
    *at = type;
    const QString text = TypeEdits::tr("Change device type %1").arg(name);
    const QStringList devices = devicesOfType(document.project().cluster, before.type);
    if (devices.isEmpty()) {
        setTypes(document, std::move(types), text);
        return;
    }
    document.undoStack().beginMacro(text);
    setTypes(document, std::move(types), text);
    // A card with values of its own keeps them under the new name.
    change<Device>(document, devices, text, [&](Device& device) {
        if (device.spec == before)
            device.spec = type;
        else
            device.spec.type = type.type;
    });
    document.undoStack().endMacro();
}

bool removeDeviceType(ProjectDocument& document, const QString& name)
{
    Types types = document.project().device_types;
    const auto at = find(types, name.toStdString());
    if (at == types.end() || !devicesOfType(document.project().cluster, at->type).isEmpty())
        return false;
    types.erase(at);
    setTypes(document, std::move(types), TypeEdits::tr("Remove device type %1").arg(name));
    return true;
}

}  // namespace nnpiper::edits
