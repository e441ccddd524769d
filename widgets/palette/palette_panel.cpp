// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/palette/palette_panel.h"

#include "widgets/palette/palette_delegate.h"
#include "widgets/palette/palette_model.h"
#include "widgets/theme/theme.h"

#include <QEvent>
#include <QLabel>
#include <QLineEdit>
#include <QSortFilterProxyModel>
#include <QTreeView>
#include <QVBoxLayout>

namespace nnpiper {

PalettePanel::PalettePanel(QWidget* parent)
    : QFrame(parent)
    , title_(new QLabel)
    , search_(new QLineEdit)
    , view_(new QTreeView)
    , model_(new PaletteModel(this))
    , filter_(new QSortFilterProxyModel(this))
{
    setCard(this);
    setTextRole(title_, TextRole::title);
    search_->setClearButtonEnabled(true);

    filter_->setSourceModel(model_);
    filter_->setRecursiveFilteringEnabled(true);
    filter_->setFilterCaseSensitivity(Qt::CaseInsensitive);
    filter_->setFilterRole(PaletteModel::searchRole);

    view_->setObjectName(QStringLiteral("palette"));
    view_->setModel(filter_);
    view_->setHeaderHidden(true);
    view_->setRootIsDecorated(false);
    view_->setIndentation(0);
    view_->setFrameShape(QFrame::NoFrame);
    view_->setDragEnabled(true);
    view_->setDragDropMode(QAbstractItemView::DragOnly);
    view_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    view_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    view_->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    view_->setMouseTracking(true);
    view_->setItemDelegate(new PaletteDelegate(view_));

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(12, 10, 6, 8);
    layout->setSpacing(8);
    layout->addWidget(title_);
    auto* search_row = new QHBoxLayout;
    search_row->setContentsMargins(0, 0, 6, 0);
    search_row->addWidget(search_);
    layout->addLayout(search_row);
    layout->addWidget(view_, 1);

    connect(search_, &QLineEdit::textChanged, this, [this](const QString& text) {
        filter_->setFilterFixedString(text.trimmed());
        expandSections();
    });
    connect(view_, &QTreeView::activated, this, [this](const QModelIndex& index) {
        const QByteArray item = index.data(PaletteModel::itemRole).toByteArray();
        if (!item.isEmpty())
            emit itemActivated(item);
    });
    connect(view_, &QTreeView::clicked, this, [this](const QModelIndex& index) {
        if (index.data(PaletteModel::itemRole).toByteArray().isEmpty())
            view_->setExpanded(index, !view_->isExpanded(index));
    });
    retranslateUi();
}

void PalettePanel::expandSections()
{
    const bool searching = !search_->text().trimmed().isEmpty();
    for (int row = 0; row < filter_->rowCount(); ++row)
        view_->setExpanded(filter_->index(row, 0), searching || row < 3);
}

void PalettePanel::retranslateUi()
{
    title_->setText(tr("Palette"));
    search_->setPlaceholderText(tr("Search devices..."));
    model_->fill();
    expandSections();
}

void PalettePanel::changeEvent(QEvent* event)
{
    QFrame::changeEvent(event);
    if (event->type() == QEvent::LanguageChange)
        retranslateUi();
}

}  // namespace nnpiper
