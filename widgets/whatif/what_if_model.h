// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/study/what_if_effect.h"

#include <QAbstractTableModel>

#include <memory>
#include <vector>

namespace nnpiper {

/// Planned changes as rows, what pays first; each new one goes to its place.
class WhatIfModel : public QAbstractTableModel {
    Q_OBJECT

public:
    using Shared = std::shared_ptr<const WhatIfEffect>;

    enum Column { ChangeColumn, ThroughputColumn, GainColumn, PriceColumn, GainPerCostColumn, ColumnCount };
    /// double, NaN where unknown; of the first column the text.
    static constexpr int SortRole = Qt::UserRole + 1;

    using QAbstractTableModel::QAbstractTableModel;

    void clear();
    void add(Shared effect);
    const Shared& effect(int row) const { return effects_[static_cast<std::size_t>(row)]; }
    void retranslate();

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::vector<Shared> effects_;
};

}  // namespace nnpiper
