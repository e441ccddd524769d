// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/study/findings.h"

#include <QAbstractListModel>
#include <QIcon>
#include <QStringList>

#include <vector>

namespace nnpiper {

/// Findings as rows: one sentence each in the language of the moment, with an icon for how bad it is. `elementsRole`
/// gives the ids of the culprits (QStringList).
class FindingModel : public QAbstractListModel {
    Q_OBJECT
public:
    enum Role { elementsRole = Qt::UserRole + 1, errorRole };

    using QAbstractListModel::QAbstractListModel;

    /// `project` is what they were found in: it gives the names. Errors come first. The rows stay as they are, with
    /// what is selected in a view, where nothing has changed.
    void setFindings(const Project& project, std::vector<Finding> findings);
    void setIcons(const QIcon& error, const QIcon& warning);
    int errorCount() const;

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;

private:
    struct Row {
        QString text;
        QStringList elements;
        bool is_error = false;

        bool operator==(const Row&) const = default;
    };
    Row rowOf(const Project& project, const Finding& finding) const;

    std::vector<Row> rows_;
    QIcon error_;
    QIcon warning_;
};

}  // namespace nnpiper
