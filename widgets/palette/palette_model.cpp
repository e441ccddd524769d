// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/palette/palette_model.h"

#include "core/base/quantity.h"
#include "widgets/canvas/type_names.h"

#include <QMimeData>
#include <QRegularExpression>

#include <algorithm>

namespace nnpiper {

namespace {

/// What most clusters are made of; the rest of the catalogue follows in a section of its own.
const std::vector<std::string> common{"H100 SXM5", "A100 SXM4 80GB", "A100 SXM4 40GB", "V100 SXM2 32GB",
                                      "L40S",      "RTX 4090",       "RTX 3090",       "T4"};

/// The kinds of link that people draw; the inspector's list has the whole catalogue.
struct NetworkLink {
    const char* entry;
    const char* title;
};
constexpr NetworkLink commonLinks[] = {
    {"1 GbE TCP", QT_TRANSLATE_NOOP("nnpiper::PaletteModel", "1 GbE")},
    {"10 GbE TCP socket", QT_TRANSLATE_NOOP("nnpiper::PaletteModel", "10 GbE")},
    {"25 GbE TCP / RoCE", QT_TRANSLATE_NOOP("nnpiper::PaletteModel", "25 GbE")},
    {"100 GbE RoCE", QT_TRANSLATE_NOOP("nnpiper::PaletteModel", "100 GbE")},
    {"InfiniBand EDR 100 Gb", QT_TRANSLATE_NOOP("nnpiper::PaletteModel", "IB EDR")},
    {"InfiniBand HDR 200 Gb", QT_TRANSLATE_NOOP("nnpiper::PaletteModel", "IB HDR")},
    {"InfiniBand NDR 400 Gb per GPU (H100)", QT_TRANSLATE_NOOP("nnpiper::PaletteModel", "IB NDR")},
    {"WAN same continent (cloud regions)", QT_TRANSLATE_NOOP("nnpiper::PaletteModel", "WAN, near")},
    {"WAN intercontinental (cloud regions)", QT_TRANSLATE_NOOP("nnpiper::PaletteModel", "WAN, far")},
};

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

void PaletteModel::addItem(QStandardItem* parent, const PaletteItem& item, const QString& title, const QString& detail,
                           const QString& tool_tip)
{
    auto* row = new QStandardItem(title);
    row->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsDragEnabled);
    row->setData(item.toMime(), itemRole);
    row->setData(detail, detailRole);
    row->setData(item.name + QLatin1Char(' ') + title + QLatin1Char(' ') + detail, searchRole);
    row->setToolTip(tool_tip);
    parent->appendRow(row);
}

void PaletteModel::addDevice(QStandardItem* parent, const DeviceEntry& entry)
{
    const QString name = QString::fromStdString(entry.name);
    QString tip = QStringLiteral("%1 %2").arg(QString::fromStdString(entry.vendor), name);
    for (const auto& [precision, peak] : entry.spec.peak_flop_per_s)
        tip += QStringLiteral("\n%1: %2")
                   .arg(QString::fromStdString(precision),
                        QString::fromStdString(format_quantity(peak, Unit::flop_per_second)));
    if (!entry.notes.empty())
        tip += QLatin1Char('\n') + QString::fromStdString(entry.notes);
    addItem(parent, {PaletteItem::Kind::device, name}, withoutSize(name),
            QString::fromStdString(format_quantity(entry.spec.memory_bytes, Unit::bytes)), tip);
}

void PaletteModel::fill()
{
    clear();
    QStandardItem* accelerators = section(tr("Accelerators"));
    for (const std::string& name : common)
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

    QStandardItem* network = section(tr("Network"));
    addItem(network, {PaletteItem::Kind::network_switch, QStringLiteral("switch")}, tr("Switch"), {},
            tr("Joins any number of nodes"));
    for (const NetworkLink& common_link : commonLinks) {
        const LinkEntry* entry = find_link_entry(common_link.entry);
        if (!entry)
            continue;
        const Link link = linkOf(*entry);
        const QString name = QString::fromStdString(entry->name);
        addItem(network, {PaletteItem::Kind::link, name}, tr(common_link.title),
                QString::fromStdString(format_quantity(link.bandwidth_bytes_per_s, Unit::bits_per_second)),
                tr("%1\nDouble-click: new links are of this type. Drop it on a link to change that one.\n%2")
                    .arg(name, QString::fromStdString(entry->basis)));
    }

    QStandardItem* more = section(tr("More accelerators"));
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
