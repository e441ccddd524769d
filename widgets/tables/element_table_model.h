// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/quantity.h"
#include "widgets/document/project_document.h"

#include <QAbstractTableModel>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace nnpiper {

/// Rows of a table over elements of the open project. Rows hold ids; values are read from the document when asked for,
/// and an edited cell becomes an undoable command. A text that cannot be read changes nothing and is told by
/// `rejected`.
class ElementTableModel : public QAbstractTableModel {
    Q_OBJECT
public:
    struct Column {
        const char* title;  ///< source text, context "nnpiper::ElementTableModel"
        std::function<QString(const Element&)> text;
        std::function<double(const Element&)> number;                    ///< for sorting; may be empty
        std::function<void(const QStringList&, const QString&)> change;  ///< empty: not editable; throws Error
    };
    static constexpr int idRole = Qt::UserRole + 1;
    static constexpr int sortRole = Qt::UserRole + 2;

    ElementTableModel(ProjectDocument& document, ElementKind kind, QObject* parent = nullptr);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;

    QString idAt(int row) const { return QString::fromStdString(ids_[static_cast<std::size_t>(row)]); }
    int rowOf(const QString& id) const;
    void retranslate();

signals:
    void rejected(const QString& sentence);

private:
    std::vector<std::string> present() const;
    void rebuild();
    void add(const std::string& id);
    void remove(const std::string& id);
    void refresh(const std::string& id);

    ProjectDocument& document_;
    ElementKind kind_;
    std::vector<Column> columns_;
    std::vector<std::string> ids_;
};

/// The columns of the table of devices, or of links.
std::vector<ElementTableModel::Column> columnsFor(ElementKind kind, ProjectDocument& document);

}  // namespace nnpiper
