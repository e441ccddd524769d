// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/tables/table_pages.h"

#include "core/model/model.h"
#include "widgets/document/project_document.h"
#include "widgets/document/selection.h"
#include "widgets/inspector/quantity_text.h"
#include "widgets/tables/element_table_model.h"
#include "widgets/tables/layer_table_model.h"
#include "widgets/theme/theme.h"

#include <QEvent>
#include <QHeaderView>
#include <QLabel>
#include <QSortFilterProxyModel>
#include <QStyledItemDelegate>
#include <QTableView>
#include <QVBoxLayout>

namespace nnpiper {

namespace {

/// Without the frame around the current cell: the selected row says enough.
class RowDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override
    {
        QStyledItemDelegate::initStyleOption(option, index);
        option->state &= ~QStyle::State_HasFocus;
    }
};

void prepare(QTableView& table)
{
    table.setItemDelegate(new RowDelegate(&table));
    table.setFrameShape(QFrame::NoFrame);
    table.setAlternatingRowColors(true);
    table.setShowGrid(false);
    table.setSelectionBehavior(QAbstractItemView::SelectRows);
    table.verticalHeader()->setDefaultSectionSize(26);
    table.verticalHeader()->setDefaultAlignment(Qt::AlignCenter);
    table.verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    table.horizontalHeader()->setHighlightSections(false);
    table.horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
}

QSortFilterProxyModel* proxyOf(const QTableView& table)
{
    return qobject_cast<QSortFilterProxyModel*>(table.model());
}

}  // namespace

TablePage::TablePage(ProjectDocument& document, QWidget* parent)
    : QWidget(parent)
    , document_(document)
    , device_title_(new QLabel)
    , link_title_(new QLabel)
    , device_model_(new ElementTableModel(document, ElementKind::device, this))
    , link_model_(new ElementTableModel(document, ElementKind::link, this))
    , devices_(addTable(device_model_))
    , links_(addTable(link_model_))
{
    setTextRole(device_title_, TextRole::title);
    setTextRole(link_title_, TextRole::title);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(12, 8, 12, 8);
    layout->addWidget(device_title_);
    layout->addWidget(devices_, 3);
    layout->addWidget(link_title_);
    layout->addWidget(links_, 2);
    connect(&document.selection(), &Selection::changed, this, &TablePage::showSelection);
    retranslateUi();
}

QTableView* TablePage::addTable(ElementTableModel* model)
{
    auto* table = new QTableView;
    auto* proxy = new QSortFilterProxyModel(table);
    proxy->setSourceModel(model);
    proxy->setSortRole(ElementTableModel::sortRole);
    table->setModel(proxy);
    prepare(*table);
    table->setSortingEnabled(true);
    table->sortByColumn(-1, Qt::AscendingOrder);
    table->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed
                           | QAbstractItemView::AnyKeyPressed);
    connect(table->selectionModel(), &QItemSelectionModel::selectionChanged, this, &TablePage::takeSelection);
    connect(model, &ElementTableModel::rejected, this, &TablePage::message);
    return table;
}

void TablePage::takeSelection()
{
    if (following_)
        return;
    following_ = true;
    QStringList ids;
    for (const QTableView* table : {devices_, links_})
        for (const QModelIndex& index : table->selectionModel()->selectedRows())
            ids.append(index.data(ElementTableModel::idRole).toString());
    document_.selection().set(ids);
    following_ = false;
}

void TablePage::showSelection()
{
    if (following_)
        return;
    following_ = true;
    for (const QTableView* table : {devices_, links_}) {
        const auto* model = table == devices_ ? device_model_ : link_model_;
        QItemSelection rows;
        for (const QString& id : document_.selection().ids()) {
            const int row = model->rowOf(id);
            if (row < 0)
                continue;
            const QModelIndex index = proxyOf(*table)->mapFromSource(model->index(row, 0));
            rows.select(index, index);
        }
        table->selectionModel()->select(rows, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    }
    following_ = false;
}

void TablePage::retranslateUi()
{
    device_title_->setText(tr("Devices"));
    link_title_->setText(tr("Links"));
    device_model_->retranslate();
    link_model_->retranslate();
}

void TablePage::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::LanguageChange)
        retranslateUi();
}

LayerPage::LayerPage(ProjectDocument& document, PlanBoard& board, QWidget* parent)
    : QWidget(parent)
    , document_(document)
    , title_(new QLabel)
    , model_(new LayerTableModel(document, board, this))
    , table_(new QTableView)
{
    setTextRole(title_, TextRole::title);
    table_->setModel(model_);
    prepare(*table_);
    table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(12, 8, 12, 8);
    layout->addWidget(title_);
    layout->addWidget(table_, 1);
    connect(&document, &ProjectDocument::reset, this, &LayerPage::retranslateUi);
    connect(&document, &ProjectDocument::modelChanged, this, &LayerPage::retranslateUi);
    retranslateUi();
}

void LayerPage::retranslateUi()
{
    const Model& model = document_.project().model;
    title_->setText(model.architecture.blocks > 0 ? tr("%1, per sample of %2 tokens")
                                                        .arg(QString::fromStdString(model.architecture.name))
                                                        .arg(model.sequence_length)
                                                  : tr("No model chosen"));
    model_->retranslate();
}

void LayerPage::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::LanguageChange)
        retranslateUi();
}

}  // namespace nnpiper
