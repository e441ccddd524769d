// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/palette/palette_model.h"

#include "widgets/canvas/type_names.h"
#include "widgets/inspector/quantity_text.h"
#include "widgets/palette/device_types.h"

#include <QMimeData>
#include <QRegularExpression>

#include <algorithm>

namespace nnpiper {

namespace {

QString withoutSize(const QString& name)
{
    QString text = name;
    static const QRegularExpression size(QStringLiteral(R"(\s+\d+\s*GB\b)"));
    return text.remove(size);
}

}  // namespace

PaletteModel::PaletteModel(QObject* parent)
    : QStandardItemModel(parent)
{
    fill();
}

QStandardItem* PaletteModel::section(const QString& title)
{
    auto* item = new QStandardItem(title);
    item->setFlags(Qt::ItemIsEnabled);
    appendRow(item);
    return item;
}

QStandardItem* PaletteModel::addItem(QStandardItem* parent, const PaletteItem& item, const QString& title,
                                     const QString& detail, const QString& tool_tip)
{
    auto* row = new QStandardItem(title);
    row->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsDragEnabled);
    row->setData(item.toMime(), itemRole);
    row->setData(detail, detailRole);
    row->setData(item.name + QLatin1Char(' ') + title + QLatin1Char(' ') + detail, searchRole);
    row->setToolTip(tool_tip);
    parent->appendRow(row);
    return row;
}

QStandardItem* PaletteModel::addDevice(QStandardItem* parent, const DeviceSpec& type, const QString& vendor,
                                       const QString& notes)
{
    const QString name = QString::fromStdString(type.type);
    QString tip = vendor.isEmpty() ? name : QStringLiteral("%1 %2").arg(vendor, name);
    for (const auto& [precision, peak] : type.peak_flop_per_s)
        tip += QStringLiteral("\n%1: %2")
                   .arg(QString::fromStdString(precision),
                        quantityText(peak, Unit::flop_per_second));
    if (!notes.isEmpty())
        tip += QLatin1Char('\n') + notes;
    return addItem(parent, {PaletteItem::Kind::device, name}, vendor.isEmpty() ? name : withoutSize(name),
                   quantityText(type.memory_bytes, Unit::bytes), tip);
}

void PaletteModel::addDevice(QStandardItem* parent, const DeviceEntry& entry)
{
    addDevice(parent, entry.spec, QString::fromStdString(entry.vendor), QString::fromStdString(entry.notes));
}

void PaletteModel::setOwnTypes(std::vector<DeviceSpec> types)
{
    if (types == own_types_)
        return;
    own_types_ = std::move(types);
    fill();
}

void PaletteModel::fill()
{
    clear();
    if (!own_types_.empty()) {
        QStandardItem* own = section(tr("Own devices"));
        for (const DeviceSpec& type : own_types_)
            addDevice(own, type, {}, tr("A device type of this project"))->setData(true, ownTypeRole);
    }
    QStandardItem* accelerators = section(tr("Accelerators"));
    for (const std::string& name : commonDeviceTypes())
        if (const DeviceEntry* entry = find_device_entry(name))
            addDevice(accelerators, *entry);

    QStandardItem* nodes = section(tr("Nodes"));
    for (const NodeTemplate& entry : nodeTemplates()) {
        const PaletteItem item{PaletteItem::Kind::node, QString::fromLatin1(entry.key)};
        if (entry.count == 0)
            addItem(nodes, item, tr("Empty node"), {}, tr("A server; drop devices into it"));
        else if (find_device_entry(entry.device))
            addItem(nodes, item, tr("%1×%2").arg(entry.count).arg(shortTypeName(entry.device)),
                    shortLinkName(entry.interconnect).section(QLatin1Char(' '), 0, *entry.interconnect == 'N' ? 0 : 1),
                    tr("A server with %1 × %2 on %3")
                        .arg(entry.count)
                        .arg(QString::fromLatin1(entry.device), QString::fromLatin1(entry.interconnect)));
    }

    addItem(nodes, {PaletteItem::Kind::container, QStringLiteral("rack")}, tr("Rack"), {},
            tr("Nodes and switches that stand together; it can be collapsed to one card"));
    addItem(nodes, {PaletteItem::Kind::container, QStringLiteral("site")}, tr("Site"), {},
            tr("Racks, nodes and switches of one place; it can be collapsed to one card"));

    QStandardItem* network = section(tr("Network"));
    addItem(network, {PaletteItem::Kind::network_switch, QStringLiteral("switch")}, tr("Switch"), {},
            tr("Joins any number of nodes"));
    for (const CommonLink& common_link : commonLinks()) {
        const LinkEntry* entry = find_link_entry(common_link.entry);
        if (!entry)
            continue;
        const Link link = linkOf(*entry);
        const QString name = QString::fromStdString(entry->name);
        addItem(network, {PaletteItem::Kind::link, name}, tr(common_link.title),
                quantityText(link.bandwidth_bytes_per_s, Unit::bits_per_second),
                tr("%1\nDouble-click: new links are of this type. Drop it on a link to change that one.\n%2")
                    .arg(name, QString::fromStdString(entry->basis)));
    }

    QStandardItem* more = section(tr("More accelerators"));
    const std::vector<std::string>& common = commonDeviceTypes();
    for (const DeviceEntry& entry : device_catalog())
        if (std::find(common.begin(), common.end(), entry.name) == common.end())
            addDevice(more, entry);
}

QStringList PaletteModel::mimeTypes() const
{
    return {PaletteItem::mimeType()};
}

QMimeData* PaletteModel::mimeData(const QModelIndexList& indexes) const
{
    if (indexes.isEmpty())
        return nullptr;
    const QByteArray data = indexes.front().data(itemRole).toByteArray();
    if (data.isEmpty())
        return nullptr;
    auto* mime = new QMimeData;
    mime->setData(PaletteItem::mimeType(), data);
    return mime;
}

}  // namespace nnpiper
