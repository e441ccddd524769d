// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/tables/layer_table_model.h"

#include "core/base/error.h"
#include "widgets/document/project_document.h"
#include "widgets/inspector/quantity_text.h"
#include "widgets/solver/plan_board.h"
#include "widgets/theme/theme.h"

#include <QApplication>

namespace nnpiper {

namespace {

Qt::Alignment alignment(int column)
{
    const bool number = column >= LayerTableModel::parametersColumn && column <= LayerTableModel::outputColumn;
    return (number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter;
}

}  // namespace

LayerTableModel::LayerTableModel(ProjectDocument& document, PlanBoard& board, QObject* parent)
    : QAbstractTableModel(parent)
    , document_(document)
    , board_(board)
{
    connect(&document, &ProjectDocument::reset, this, &LayerTableModel::rebuild);
    connect(&document, &ProjectDocument::modelChanged, this, &LayerTableModel::rebuild);
    connect(&document, &ProjectDocument::jobChanged, this, &LayerTableModel::rebuild);
    connect(&board, &PlanBoard::shownChanged, this, &LayerTableModel::refreshStages);
    rebuild();
}

void LayerTableModel::rebuild()
{
    beginResetModel();
    try {
        layers_ = layers_of(document_.project().model, document_.project().job.precision);
    } catch (const Error&) {
        layers_.clear();  // no model chosen yet
    }
    stage_of_.assign(layers_.size(), -1);
    endResetModel();
    refreshStages();
}

void LayerTableModel::refreshStages()
{
    stage_of_.assign(layers_.size(), -1);
    if (const auto& shown = board_.shown())
        for (std::size_t s = 0; s < shown->plan.stages.size(); ++s)
            for (int layer = shown->plan.stages[s].first_layer; layer < shown->plan.stages[s].end_layer; ++layer)
                if (layer >= 0 && layer < static_cast<int>(stage_of_.size()))
                    stage_of_[static_cast<std::size_t>(layer)] = static_cast<int>(s);
    if (!layers_.empty())
        emit dataChanged(index(0, stageColumn), index(rowCount() - 1, stageColumn));
}

int LayerTableModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(layers_.size());
}

int LayerTableModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : stageColumn + 1;
}

QVariant LayerTableModel::text(const Layer& layer, int row, int column) const
{
    switch (column) {
    case nameColumn:
        return QString::fromStdString(layer.name);
    case kindColumn:
        return layer.kind == LayerKind::embedding ? tr("embedding")
               : layer.kind == LayerKind::head    ? tr("output head")
                                                  : tr("block");
    case parametersColumn:
        return quantityText(layer.parameters, Unit::count);
    case flopsColumn:
        return QLocale().toString(layer.forward_flops / 1e12, 'g', 4);
    case storedColumn:
        return quantityText(layer.stored_bytes, Unit::bytes);
    case outputColumn:
        return quantityText(layer.output_bytes, Unit::bytes);
    case stageColumn: {
        const int stage = stage_of_[static_cast<std::size_t>(row)];
        return stage < 0 ? QString() : tr("stage %1").arg(stage);
    }
    default:
        return {};
    }
}

QVariant LayerTableModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    const auto row = static_cast<std::size_t>(index.row());
    const int stage = stage_of_[row];
    switch (role) {
    case Qt::DisplayRole:
        return text(layers_[row], index.row(), index.column());
    case stageRole:
        return stage;
    case Qt::ForegroundRole:
        if (index.column() == stageColumn && stage >= 0)
            return stageTextColor(stage, QApplication::palette());
        return {};
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(alignment(index.column()));
    default:
        return {};
    }
}

QVariant LayerTableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (role == Qt::TextAlignmentRole && orientation == Qt::Horizontal)
        return QVariant::fromValue(alignment(section));
    if (role != Qt::DisplayRole)
        return {};
    if (orientation == Qt::Vertical)
        return section;
    switch (section) {
    case nameColumn:
        return tr("Layer");
    case kindColumn:
        return tr("Kind");
    case parametersColumn:
        return tr("Parameters");
    case flopsColumn:
        return tr("Forward TFLOP");
    case storedColumn:
        return tr("Kept");
    case outputColumn:
        return tr("Handed on");
    case stageColumn:
        return tr("Stage");
    default:
        return {};
    }
}

void LayerTableModel::retranslate()
{
    emit headerDataChanged(Qt::Horizontal, 0, columnCount() - 1);
    if (!layers_.empty())
        emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

}  // namespace nnpiper
