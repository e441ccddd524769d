// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/model.h"

#include <QAbstractTableModel>

#include <vector>

namespace nnpiper {

class PlanBoard;
class ProjectDocument;

/// The chain of layers of the open project's model with the stage that each is on in the shown plan.
class LayerTableModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum ColumnIndex { nameColumn, kindColumn, parametersColumn, flopsColumn, storedColumn, outputColumn, stageColumn };
    static constexpr int stageRole = Qt::UserRole + 1;  ///< -1: none

    LayerTableModel(ProjectDocument& document, PlanBoard& board, QObject* parent = nullptr);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    void retranslate();

private:
    void rebuild();
    void refreshStages();
    QVariant text(const Layer& layer, int row, int column) const;

    ProjectDocument& document_;
    PlanBoard& board_;
    std::vector<Layer> layers_;
    std::vector<int> stage_of_;
};

}  // namespace nnpiper
