// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/document/containers.h"

#include "widgets/canvas/type_names.h"
#include "widgets/document/element.h"
#include "widgets/inspector/quantity_text.h"

#include <algorithm>

namespace nnpiper {

namespace {

void collect(const Project& project, const std::string& id, std::vector<std::string>& contents, int depth = 0)
{
    const Container* container = find_container(project.containers, id);
    if (!container || depth > 2)
        return;
    for (const std::string& member : container->members) {
        contents.push_back(member);
        collect(project, member, contents, depth + 1);
    }
}

}  // namespace

std::vector<std::string> contentsOf(const Project& project, const std::string& container)
{
    std::vector<std::string> contents;
    collect(project, container, contents);
    return contents;
}

QStringList withContents(const Project& project, const QStringList& ids)
{
    QStringList all = ids;
    for (const QString& id : ids)
        for (const std::string& inner : contentsOf(project, id.toStdString()))
            all.append(QString::fromStdString(inner));
    all.removeDuplicates();
    return all;
}

const Container* containerOf(const Project& project, const std::string& id)
{
    return container_of(project.containers, project.cluster, id);
}

const Container* commonContainer(const Project& project, const std::string& a, const std::string& b)
{
    for (const Container* around = containerOf(project, a); around; around = containerOf(project, around->id))
        for (const Container* other = containerOf(project, b); other; other = containerOf(project, other->id))
            if (other == around)
                return around;
    return nullptr;
}

bool isCollapsed(const Project& project, const std::string& id)
{
    const auto placed = project.layout.find(id);
    return placed != project.layout.end() && placed->second.collapsed;
}

std::string shownAs(const Project& project, const std::string& id)
{
    std::string shown = id;
    if (const Device* device = find_device(project.cluster, id);
        device && !device->node.empty() && isCollapsed(project, device->node))
        shown = device->node;
    for (const Container* around = containerOf(project, id); around; around = containerOf(project, around->id))
        if (isCollapsed(project, around->id))
            shown = around->id;
    return shown;
}

std::map<std::string, std::string> hiddenElements(const Project& project)
{
    std::map<std::string, std::string> hidden;
    for (const auto& [id, placement] : project.layout) {
        if (!placement.collapsed)
            continue;
        const std::string card = shownAs(project, id);
        std::vector<std::string> inside = contentsOf(project, id);
        inside.push_back(id);
        for (const std::string& element : inside) {
            for (const std::string& device : devicesOf(project.cluster, element))
                hidden[device] = card;
            if (element != card)
                hidden[element] = card;
        }
    }
    return hidden;
}

Link linkBetween(const Project& project, const std::string& from, const std::string& to, Link usual)
{
    for (const Container* around = commonContainer(project, from, to); around;
         around = containerOf(project, around->id)) {
        if (around->link_type.empty() && !around->link_bandwidth_bytes_per_s && !around->link_latency_s)
            continue;
        usual.speed.clear();
        if (!around->link_type.empty())
            usual.type = around->link_type;
        usual.bandwidth_bytes_per_s = around->link_bandwidth_bytes_per_s.value_or(usual.bandwidth_bytes_per_s);
        usual.latency_s = around->link_latency_s.value_or(usual.latency_s);
        break;
    }
    return usual;
}

std::vector<std::string> devicesIn(const Project& project, const std::string& id)
{
    if (find_device(project.cluster, id))
        return {id};
    std::vector<std::string> devices = devicesOf(project.cluster, id);
    for (const std::string& inner : contentsOf(project, id)) {
        if (find_device(project.cluster, inner))
            devices.push_back(inner);
        for (const std::string& device : devicesOf(project.cluster, inner))
            devices.push_back(device);
    }
    return devices;
}

QString summaryOfDevices(const Project& project, const std::string& id)
{
    const std::vector<std::string> devices = devicesIn(project, id);
    if (devices.empty())
        return {};
    double bytes = 0;
    for (const std::string& device : devices)
        bytes += find_device(project.cluster, device)->spec.memory_bytes;
    return QStringLiteral("%1, %2").arg(summaryOf(project.cluster, devices),
                                        quantityText(bytes, Unit::bytes));
}

}  // namespace nnpiper
