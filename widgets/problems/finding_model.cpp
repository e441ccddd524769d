// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/problems/finding_model.h"

#include "widgets/document/element.h"
#include "widgets/results/figures.h"

#include <QLocale>

#include <algorithm>

namespace nnpiper {

namespace {

/// "node-a/gpu0" for a card in a node: card names repeat from node to node.
QString nameOf(const Cluster& cluster, const std::string& id)
{
    const auto element = findElement(cluster, id);
    if (!element)
        return QString::fromStdString(id);
    const Device* device = find_device(cluster, id);
    const Node* node = device ? find_node(cluster, device->node) : nullptr;
    return node ? displayName(*node) + u'/' + displayName(*element) : displayName(*element);
}

}  // namespace

FindingModel::Row FindingModel::rowOf(const Project& project, const Finding& finding) const
{
    const Cluster& cluster = project.cluster;
    const auto name = [&](std::size_t i) { return nameOf(cluster, finding.elements.at(i)); };
    const QLocale locale;
    const QString needed = formatBytes(finding.needed_bytes, locale);
    const QString available = formatBytes(finding.available_bytes, locale);
    Row row;
    row.is_error = finding.is_error();
    for (const std::string& id : finding.elements)
        row.elements.append(QString::fromStdString(id));
    switch (finding.kind) {
    case Finding::Kind::no_device:
        row.text = tr("There is no accelerator. Drag one from the palette.");
        break;
    case Finding::Kind::no_route:
        row.text = tr("No route from %1 to %2: they cannot hold neighbouring stages.").arg(name(0), name(1));
        break;
    case Finding::Kind::zero_bandwidth:
        row.text = find_link(cluster, finding.elements.at(0))
                       ? tr("The link %1 carries nothing: its bandwidth is zero.").arg(name(0))
                       : tr("A bandwidth inside node %1 is zero: its cards cannot send.").arg(name(0));
        break;
    case Finding::Kind::no_speed:
        row.text = tr("%1 has no known speed in %2.").arg(name(0), QString::fromStdString(project.job.precision));
        break;
    case Finding::Kind::state_too_large:
        row.text = tr("The model's weights, gradients and optimizer state need %1; all devices together have %2.")
                       .arg(needed, available);
        break;
    case Finding::Kind::memory_short:
        row.text = tr("Memory short: in the shown plan %1 needs %2 of %3.").arg(name(0), needed, available);
        break;
    case Finding::Kind::duplicate_name:
        row.text = tr("%1 elements have the name %2.").arg(locale.toString(finding.elements.size()), name(0));
        break;
    }
    return row;
}

void FindingModel::setFindings(const Project& project, std::vector<Finding> findings)
{
    std::stable_partition(findings.begin(), findings.end(), [](const Finding& finding) { return finding.is_error(); });
    std::vector<Row> rows;
    for (const Finding& finding : findings)
        rows.push_back(rowOf(project, finding));
    if (rows == rows_)
        return;
    beginResetModel();
    rows_ = std::move(rows);
    endResetModel();
}

void FindingModel::setIcons(const QIcon& error, const QIcon& warning)
{
    error_ = error;
    warning_ = warning;
    if (!rows_.empty())
        emit dataChanged(index(0), index(rowCount() - 1), {Qt::DecorationRole});
}

int FindingModel::errorCount() const
{
    return static_cast<int>(std::count_if(rows_.begin(), rows_.end(), [](const Row& row) { return row.is_error; }));
}

int FindingModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

QVariant FindingModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= rowCount())
        return {};
    const Row& row = rows_[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole:
    case Qt::ToolTipRole:
        return row.text;
    case Qt::DecorationRole:
        return row.is_error ? error_ : warning_;
    case elementsRole:
        return row.elements;
    case errorRole:
        return row.is_error;
    default:
        return {};
    }
}

}  // namespace nnpiper
