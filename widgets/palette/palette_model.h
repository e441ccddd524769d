// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/palette/palette_item.h"

#include <QStandardItemModel>

namespace nnpiper {

/// Two levels: sections, and in them what can be dragged. Text is the title, `detailRole` a short second text,
/// `itemRole` the PaletteItem as MIME data (empty for a section), `ownTypeRole` true for a device type of
/// the project's own.
class PaletteModel : public QStandardItemModel {
    Q_OBJECT
public:
    enum Role { itemRole = Qt::UserRole + 1, detailRole, searchRole, ownTypeRole };

    explicit PaletteModel(QObject* parent = nullptr);
    /// Fills it anew, in the language of the moment.
    void fill();
    /// Device types of the open project; a section on top of the others where there are any.
    void setOwnTypes(std::vector<DeviceSpec> types);

    QStringList mimeTypes() const override;
    QMimeData* mimeData(const QModelIndexList& indexes) const override;
    Qt::DropActions supportedDragActions() const override { return Qt::CopyAction; }

private:
    QStandardItem* section(const QString& title);
    QStandardItem* addItem(QStandardItem* section, const PaletteItem& item, const QString& title,
                           const QString& detail, const QString& tool_tip);
    QStandardItem* addDevice(QStandardItem* section, const DeviceSpec& type, const QString& vendor,
                             const QString& notes);
    void addDevice(QStandardItem* section, const DeviceEntry& entry);

    std::vector<DeviceSpec> own_types_;
};

}  // namespace nnpiper
