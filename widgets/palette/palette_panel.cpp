// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/palette/palette_panel.h"

#include "core/cluster/catalog.h"
#include "core/cluster/device_types.h"
#include "widgets/document/edits.h"
#include "widgets/palette/device_type_dialog.h"
#include "widgets/palette/palette_delegate.h"
#include "widgets/palette/palette_model.h"
#include "widgets/theme/theme.h"

#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QSortFilterProxyModel>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>

namespace nnpiper {

PalettePanel::PalettePanel(ProjectDocument& document, QWidget* parent)
    : QFrame(parent)
    , document_(document)
    , title_(new QLabel)
    , add_(new QToolButton)
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
    setButtonRole(add_, ButtonRole::flat);
    add_->setObjectName(QStringLiteral("newType"));
    add_->setIconSize({16, 16});
    auto* title_row = new QHBoxLayout;
    title_row->setContentsMargins(0, 0, 6, 0);
    title_row->addWidget(title_);
    title_row->addStretch(1);
    title_row->addWidget(add_);
    layout->addLayout(title_row);
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
    connect(add_, &QToolButton::clicked, this, [this] { makeType(); });
    view_->setContextMenuPolicy(Qt::CustomContextMenu);
    view_->installEventFilter(this);
    connect(view_, &QTreeView::customContextMenuRequested, this, &PalettePanel::showMenu);
    connect(&document, &ProjectDocument::reset, this, &PalettePanel::showOwnTypes);
    connect(&document, &ProjectDocument::deviceTypesChanged, this, &PalettePanel::showOwnTypes);
    retranslateUi();
    showOwnTypes();
}

/// All but the last one, the rest of the catalogue.
void PalettePanel::expandSections()
{
    const bool searching = !search_->text().trimmed().isEmpty();
    for (int row = 0; row < filter_->rowCount(); ++row)
        view_->setExpanded(filter_->index(row, 0), searching || row + 1 < filter_->rowCount());
}

void PalettePanel::showOwnTypes()
{
    model_->setOwnTypes(document_.project().device_types);
    expandSections();
}

QStringList PalettePanel::takenNames(const QString& but) const
{
    QStringList taken;
    for (const DeviceEntry& entry : device_catalog())
        taken.append(QString::fromStdString(entry.name));
    for (const DeviceSpec& type : document_.project().device_types)
        taken.append(QString::fromStdString(type.type));
    taken.removeAll(but);
    return taken;
}

void PalettePanel::makeType(const QString& like)
{
    DeviceSpec start;
    if (const DeviceSpec* known = find_device_type(document_.project().device_types, like.toStdString())) {
        start = *known;
        const QStringList taken = takenNames();
        int number = 2;
        while (taken.contains(QStringLiteral("%1 %2").arg(like).arg(number), Qt::CaseInsensitive))
            ++number;
        start.type = QStringLiteral("%1 %2").arg(like).arg(number).toStdString();
    }
    DeviceTypeDialog dialog(start, takenNames(), this);
    dialog.setWindowTitle(tr("New device type"));
    if (dialog.exec() != QDialog::Accepted)
        return;
    edits::addDeviceType(document_, dialog.type());
    select(QString::fromStdString(dialog.type().type));
}

void PalettePanel::changeType(const QString& name)
{
    for (const DeviceSpec& type : document_.project().device_types) {
        if (QString::fromStdString(type.type) != name)
            continue;
        DeviceTypeDialog dialog(type, takenNames(name), this);
        if (dialog.exec() == QDialog::Accepted) {
            edits::changeDeviceType(document_, name, dialog.type());
            select(QString::fromStdString(dialog.type().type));
        }
        return;
    }
}

/// Shows and marks a type, dropping a search that hides it.
void PalettePanel::select(const QString& type)
{
    search_->clear();
    for (int section = 0; section < filter_->rowCount(); ++section) {
        const QModelIndex parent = filter_->index(section, 0);
        for (int row = 0; row < filter_->rowCount(parent); ++row) {
            const QModelIndex index = filter_->index(row, 0, parent);
            const auto item = PaletteItem::fromMime(index.data(PaletteModel::itemRole).toByteArray());
            if (item && item->kind == PaletteItem::Kind::device && item->name == type) {
                view_->setCurrentIndex(index);
                view_->scrollTo(index);
                return;
            }
        }
    }
}

void PalettePanel::showMenu(const QPoint& position)
{
    const QModelIndex index = view_->indexAt(position);
    const QByteArray mime = index.data(PaletteModel::itemRole).toByteArray();
    const auto item = PaletteItem::fromMime(mime);
    QMenu menu(this);
    menu.setObjectName(QStringLiteral("paletteMenu"));
    if (item)
        menu.addAction(item->kind == PaletteItem::Kind::link ? tr("&Use for new links") : tr("&Add to the drawing"),
                       this, [this, mime] { emit itemActivated(mime); });
    const bool device = item && item->kind == PaletteItem::Kind::device;
    menu.addAction(themedIcon(QStringLiteral("add"), palette()), tr("&New device type..."), this, [this] { makeType(); });
    if (device)
        menu.addAction(tr("New device type &like this one..."), this, [this, name = item->name] { makeType(name); });
    if (device && index.data(PaletteModel::ownTypeRole).toBool()) {
        const auto used = edits::devicesOfType(document_.project().cluster, item->name.toStdString()).size();
        menu.addSeparator();
        menu.addAction(tr("&Change %1...").arg(item->name), this, [this, name = item->name] { changeType(name); });
        QAction* remove = menu.addAction(
            themedIcon(QStringLiteral("delete"), palette()),
            used > 0 ? tr("Remove (%1 devices are of this type)").arg(used) : tr("&Remove %1").arg(item->name), this,
            [this, name = item->name] { edits::removeDeviceType(document_, name); });
        remove->setEnabled(used == 0);
    }
    menu.exec(view_->viewport()->mapToGlobal(position));
}

/// F2 changes an own type, Delete removes it.
bool PalettePanel::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == view_ && event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        const QModelIndex index = view_->currentIndex();
        const auto item = PaletteItem::fromMime(index.data(PaletteModel::itemRole).toByteArray());
        if (item && index.data(PaletteModel::ownTypeRole).toBool() && (key == Qt::Key_F2 || key == Qt::Key_Delete)) {
            if (key == Qt::Key_F2)
                changeType(item->name);
            else
                edits::removeDeviceType(document_, item->name);
            return true;
        }
    }
    return QFrame::eventFilter(watched, event);
}

void PalettePanel::retranslateUi()
{
    title_->setText(tr("Palette"));
    search_->setPlaceholderText(tr("Search devices..."));
    add_->setToolTip(tr("New device type..."));
    add_->setIcon(themedIcon(QStringLiteral("add"), palette()));
    model_->fill();
    expandSections();
}

void PalettePanel::changeEvent(QEvent* event)
{
    QFrame::changeEvent(event);
    if (event->type() == QEvent::LanguageChange)
        retranslateUi();
    else if (event->type() == QEvent::PaletteChange)
        add_->setIcon(themedIcon(QStringLiteral("add"), palette()));
}

}  // namespace nnpiper
