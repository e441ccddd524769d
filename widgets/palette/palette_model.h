// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/palette/palette_item.h"

#include <QStandardItemModel>

namespace nnpiper {

/// Two levels: sections, and in them what can be dragged. Text is the title, `detailRole` a short second text,
/// `itemRole` the PaletteItem as MIME data (empty for a section).
class PaletteModel : public QStandardItemModel {
    Q_OBJECT
public:
    enum Role { itemRole = Qt::UserRole + 1, detailRole, searchRole };

    explicit PaletteModel(QObject* parent = nullptr);
    /// Fills it anew, in the language of the moment.
    void fill();

    QStringList mimeTypes() const override;
    QMimeData* mimeData(const QModelIndexList& indexes) const override;
    Qt::DropActions supportedDragActions() const override { return Qt::CopyAction; }

private:
    QStandardItem* section(const QString& title);
    void addItem(QStandardItem* section, const PaletteItem& item, const QString& title, const QString& detail,
                 const QString& tool_tip);
    void addDevice(QStandardItem* section, const DeviceEntry& entry);
};

}  // namespace nnpiper
