// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/tables/element_table_model.h"

#include "core/base/error.h"

#include <algorithm>

namespace nnpiper {

namespace {

Qt::Alignment alignment(const ElementTableModel::Column& column)
{
    return (column.number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter;
}

}  // namespace

ElementTableModel::ElementTableModel(ProjectDocument& document, ElementKind kind, QObject* parent)
    : QAbstractTableModel(parent)
    , document_(document)
    , kind_(kind)
    , columns_(columnsFor(kind, document))
{
    connect(&document, &ProjectDocument::reset, this, &ElementTableModel::rebuild);
    connect(&document, &ProjectDocument::elementAdded, this, [this](const QString& id) { add(id.toStdString()); });
    connect(&document, &ProjectDocument::elementRemoved, this, [this](const QString& id) { remove(id.toStdString()); });
    connect(&document, &ProjectDocument::elementChanged, this,
            [this](const QString& id) { refresh(id.toStdString()); });
    connect(&document, &ProjectDocument::jobChanged, this, [this] {
        if (!ids_.empty())
            emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
    });
    rebuild();
}

std::vector<std::string> ElementTableModel::present() const
{
    std::vector<std::string> ids;
    const Cluster& cluster = document_.project().cluster;
    if (kind_ == ElementKind::device)
        for (const Device& device : cluster.devices)
            ids.push_back(device.id);
    if (kind_ == ElementKind::link)
        for (const Link& link : cluster.links)
            ids.push_back(link.id);
    return ids;
}

void ElementTableModel::rebuild()
{
    beginResetModel();
    ids_ = present();
    endResetModel();
}

void ElementTableModel::add(const std::string& id)
{
    const auto all = present();
    const auto found = std::find(all.begin(), all.end(), id);
    if (found == all.end() || rowOf(QString::fromStdString(id)) >= 0)
        return;
    const int row = std::min(static_cast<int>(found - all.begin()), static_cast<int>(ids_.size()));
    beginInsertRows({}, row, row);
    ids_.insert(ids_.begin() + row, id);
    endInsertRows();
}

void ElementTableModel::remove(const std::string& id)
{
    const int row = rowOf(QString::fromStdString(id));
    if (row >= 0) {
        beginRemoveRows({}, row, row);
        ids_.erase(ids_.begin() + row);
        endRemoveRows();
    } else if (!ids_.empty()) {
        // A node or another end has gone, whose name may be shown.
        emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
    }
}

void ElementTableModel::refresh(const std::string& id)
{
    const int row = rowOf(QString::fromStdString(id));
    if (row >= 0)
        emit dataChanged(index(row, 0), index(row, columnCount() - 1));
    else if (!ids_.empty())
        emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

int ElementTableModel::rowOf(const QString& id) const
{
    const auto found = std::find(ids_.begin(), ids_.end(), id.toStdString());
    return found == ids_.end() ? -1 : static_cast<int>(found - ids_.begin());
}

int ElementTableModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(ids_.size());
}

int ElementTableModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(columns_.size());
}

QVariant ElementTableModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    const std::string& id = ids_[static_cast<std::size_t>(index.row())];
    if (role == idRole)
        return QString::fromStdString(id);
    const Column& column = columns_[static_cast<std::size_t>(index.column())];
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(alignment(column));
    if (role != Qt::DisplayRole && role != Qt::EditRole && role != sortRole)
        return {};
    const auto element = findElement(document_.project().cluster, id);
    if (!element)
        return {};
    if (role == sortRole && column.number)
        return column.number(*element);
    return column.text(*element);
}

QVariant ElementTableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation == Qt::Horizontal && role == Qt::DisplayRole && section >= 0 && section < columnCount())
        return tr(columns_[static_cast<std::size_t>(section)].title);
    if (orientation == Qt::Horizontal && role == Qt::TextAlignmentRole && section >= 0 && section < columnCount())
        return QVariant::fromValue(alignment(columns_[static_cast<std::size_t>(section)]));
    if (orientation == Qt::Vertical && role == Qt::DisplayRole)
        return section + 1;
    return {};
}

Qt::ItemFlags ElementTableModel::flags(const QModelIndex& index) const
{
    if (!index.isValid())
        return Qt::NoItemFlags;
    Qt::ItemFlags flags = Qt::ItemIsEnabled | Qt::ItemIsSelectable;
    if (columns_[static_cast<std::size_t>(index.column())].change)
        flags |= Qt::ItemIsEditable;
    return flags;
}

bool ElementTableModel::setData(const QModelIndex& index, const QVariant& value, int role)
{
    if (!index.isValid() || role != Qt::EditRole)
        return false;
    const Column& column = columns_[static_cast<std::size_t>(index.column())];
    const QString text = value.toString().trimmed();
    if (!column.change || text == data(index, Qt::EditRole).toString())
        return false;
    try {
        column.change({idAt(index.row())}, text);
    } catch (const Error& error) {
        emit rejected(QString::fromStdString(error.what()));
        return false;
    }
    return true;
}

void ElementTableModel::retranslate()
{
    emit headerDataChanged(Qt::Horizontal, 0, columnCount() - 1);
    if (!ids_.empty())
        emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

}  // namespace nnpiper
