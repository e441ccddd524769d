// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/palette/palette_item.h"

#include "core/cluster/device_types.h"
#include "widgets/canvas/geometry.h"
#include "widgets/document/container_edits.h"
#include "widgets/document/edits.h"

#include <QCoreApplication>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>

namespace nnpiper {

namespace {

const char* const kindNames[] = {"device", "node", "switch", "link", "container"};

QPointF cornerFor(QPointF point, QSizeF size)
{
    return geometry::snapped(point - QPointF(size.width() / 2, size.height() / 2));
}

QString addNodeTo(ProjectDocument& document, const QString& key, QPointF point)
{
    Node node;
    std::vector<DeviceSpec> devices;
    for (const NodeTemplate& entry : nodeTemplates()) {
        if (key != QLatin1String(entry.key))
            continue;
        if (const LinkEntry* link = find_link_entry(entry.interconnect))
            setInterconnect(node, *link);
        if (const DeviceEntry* device = find_device_entry(entry.device))
            devices.assign(static_cast<std::size_t>(entry.count), device->spec);
    }
    return edits::addNode(document, node, devices,
                          cornerFor(point, geometry::nodeSize(static_cast<int>(devices.size()))));
}

}  // namespace

const std::vector<NodeTemplate>& nodeTemplates()
{
    static const std::vector<NodeTemplate> templates{
        {"empty", "", 0, "PCIe 4.0 x16"},
        {"2x3090", "RTX 3090", 2, "PCIe 4.0 x16"},
        {"4x4090", "RTX 4090", 4, "PCIe 4.0 x16"},
        {"4xV100", "V100 SXM2 32GB", 4, "NVLink2 V100 (per link)"},
        {"8xA100", "A100 SXM4 80GB", 8, "NVLink3 A100 NVSwitch p2p (measured, vidur)"},
        {"8xH100", "H100 SXM5", 8, "NVLink4 H100 NVSwitch p2p (measured)"},
    };
    return templates;
}

Link linkOf(const LinkEntry& entry)
{
    Link link;
    link.type = entry.name;
    const double effective = entry.effective_bytes_per_s.value_or(0);
    if (entry.nominal_bytes_per_s > 0) {
        link.bandwidth_bytes_per_s = entry.nominal_bytes_per_s;
        if (effective > 0)
            link.achieved_fraction = std::min(1.0, effective / entry.nominal_bytes_per_s);
    } else {
        link.bandwidth_bytes_per_s = effective > 0 ? effective : 1.25e9;
        link.achieved_fraction = effective > 0 ? 1.0 : link.achieved_fraction;
    }
    link.latency_s = entry.latency_s.value_or(10e-6);
    return link;
}

void setInterconnect(Node& node, const LinkEntry& entry)
{
    const Link link = linkOf(entry);
    node.interconnect = entry.name;
    node.interconnect_bytes_per_s = link.bandwidth_bytes_per_s * link.achieved_fraction;
    node.interconnect_latency_s = link.latency_s;
}

QString PaletteItem::mimeType()
{
    return QStringLiteral("application/x-nnpiper-palette");
}

QByteArray PaletteItem::toMime() const
{
    return QJsonDocument(QJsonObject{{QStringLiteral("kind"), QLatin1String(kindNames[static_cast<int>(kind)])},
                                     {QStringLiteral("name"), name}})
        .toJson(QJsonDocument::Compact);
}

std::optional<PaletteItem> PaletteItem::fromMime(const QByteArray& data)
{
    const QJsonObject object = QJsonDocument::fromJson(data).object();
    const QString kind = object.value(QStringLiteral("kind")).toString();
    for (int i = 0; i < 5; ++i)
        if (kind == QLatin1String(kindNames[i]))
            return PaletteItem{static_cast<Kind>(i), object.value(QStringLiteral("name")).toString()};
    return std::nullopt;
}

std::string PaletteItem::target(const std::string& node_under, const std::string& element_under,
                                const Cluster& cluster) const
{
    if (kind == Kind::device)
        return node_under;
    if (kind == Kind::link && find_link(cluster, element_under))
        return element_under;
    return {};
}

QSizeF PaletteItem::size() const
{
    switch (kind) {
    case Kind::device:
        return geometry::cardSize;
    case Kind::node:
        for (const NodeTemplate& entry : nodeTemplates())
            if (name == QLatin1String(entry.key))
                return geometry::nodeSize(entry.count);
        return geometry::nodeSize(0);
    case Kind::network_switch:
        return geometry::switchSize;
    case Kind::container:
        return geometry::emptyContainerSize;
    case Kind::link:
        break;
    }
    return {};
}

QString PaletteItem::addTo(ProjectDocument& document, const QString& node_under, const QString& element_under,
                           QPointF point) const
{
    switch (kind) {
    case Kind::device: {
        const DeviceSpec* type = find_device_type(document.project().device_types, name.toStdString());
        if (!type)
            return {};
        return edits::addDevice(document, *type, node_under, cornerFor(point, geometry::cardSize));
    }
    case Kind::node:
        return addNodeTo(document, name, point);
    case Kind::network_switch:
        return edits::addSwitch(document, {}, cornerFor(point, geometry::switchSize));
    case Kind::container:
        return edits::addContainer(document, container_kind_from_name(name.toStdString()),
                                   cornerFor(point, geometry::emptyContainerSize));
    case Kind::link: {
        const LinkEntry* entry = find_link_entry(name.toStdString());
        if (!entry || !find_link(document.project().cluster, element_under.toStdString()))
            return {};
        const Link like = linkOf(*entry);
        edits::change<Link>(document, {element_under},
                            QCoreApplication::translate("nnpiper::PaletteItem", "Change link type"), [&](Link& link) {
                                link.type = like.type;
                                link.bandwidth_bytes_per_s = like.bandwidth_bytes_per_s;
                                link.achieved_fraction = like.achieved_fraction;
                                link.latency_s = like.latency_s;
                            });
        return element_under;
    }
    }
    return {};
}

}  // namespace nnpiper
