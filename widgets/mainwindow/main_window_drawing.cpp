// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/canvas/align.h"
#include "widgets/canvas/canvas_view.h"
#include "widgets/canvas/find_bar.h"
#include "widgets/document/container_edits.h"
#include "widgets/document/containers.h"
#include "widgets/document/copies.h"
#include "widgets/document/edits.h"
#include "widgets/document/selection.h"
#include "widgets/mainwindow/action_registry.h"
#include "widgets/mainwindow/canvas_menu.h"
#include "widgets/mainwindow/main_window.h"

#include <QInputDialog>
#include <QMenu>
#include <QTabWidget>

#include <algorithm>

namespace nnpiper {

namespace {

constexpr int mostOfThese = 256;

}  // namespace

void MainWindow::makeDrawingActions()
{
    const auto add = [this](const char* id, const char* icon, const char* text, QList<QKeySequence> keys,
                            const std::function<void()>& run) {
        QAction* action = actions_->add(QString::fromLatin1(id), QString::fromLatin1(icon), text, keys);
        connect(action, &QAction::triggered, this, run);
    };
    const auto addOnCanvas = [this](const char* id, const char* text, QList<QKeySequence> keys,
                                    const std::function<void()>& run) {
        QAction* action = actions_->addLocal(canvas_, QString::fromLatin1(id), {}, text, keys);
        connect(action, &QAction::triggered, this, run);
    };
    add("edit.multiply", "copy", QT_TRANSLATE_NOOP("nnpiper::Actions", "&Make several of these..."),
        {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_D)}, [this] { multiplySelection(); });
    add("edit.find", "", QT_TRANSLATE_NOOP("nnpiper::Actions", "&Find..."), {QKeySequence::Find}, [this] {
        tabs_->setCurrentIndex(0);
        find_bar_->open();
    });
    add("edit.findNext", "", QT_TRANSLATE_NOOP("nnpiper::Actions", "Find &next"), {QKeySequence(Qt::Key_F3)}, [this] {
        tabs_->setCurrentIndex(0);
        find_bar_->next();
    });

    const auto group = [this](ContainerKind kind) {
        const QString made = edits::group(document_, kind, document_.selection().ids());
        if (!made.isEmpty())
            document_.selection().set({made});
    };
    add("cluster.groupRack", "rack", QT_TRANSLATE_NOOP("nnpiper::Actions", "&Group into a rack"),
        {QKeySequence(Qt::CTRL | Qt::Key_G)}, [group] { group(ContainerKind::rack); });
    add("cluster.groupSite", "site", QT_TRANSLATE_NOOP("nnpiper::Actions", "Group into a s&ite"),
        {QKeySequence(Qt::CTRL | Qt::ALT | Qt::Key_G)}, [group] { group(ContainerKind::site); });
    add("cluster.ungroup", "", QT_TRANSLATE_NOOP("nnpiper::Actions", "&Ungroup"),
        {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_G)},
        [this] { edits::dissolve(document_, document_.selection().ids()); });
    addOnCanvas("cluster.collapse", QT_TRANSLATE_NOOP("nnpiper::Actions", "C&ollapse or expand"),
                {QKeySequence(Qt::Key_E)}, [this] {
                    const QStringList ids = document_.selection().ids();
                    const bool collapsed = std::any_of(ids.begin(), ids.end(), [&](const QString& id) {
                        return isCollapsed(document_.project(), id.toStdString());
                    });
                    edits::setCollapsed(document_, ids, !collapsed);
                });
    addOnCanvas("edit.rename", QT_TRANSLATE_NOOP("nnpiper::Actions", "Re&name..."), {QKeySequence(Qt::Key_F2)},
                [this] { renameSelected(); });

    const auto align = [&](const char* id, const char* text, Qt::Key key, Alignment alignment) {
        addOnCanvas(id, text, {QKeySequence(Qt::CTRL | Qt::SHIFT | key)}, [this, alignment] {
            edits::place(document_, aligned(document_.project(), document_.selection().ids(), alignment), tr("Align"));
        });
    };
    align("align.left", QT_TRANSLATE_NOOP("nnpiper::Actions", "&Left edges"), Qt::Key_Left, Alignment::left);
    align("align.center", QT_TRANSLATE_NOOP("nnpiper::Actions", "&Centres"), Qt::Key_C, Alignment::center);
    align("align.right", QT_TRANSLATE_NOOP("nnpiper::Actions", "&Right edges"), Qt::Key_Right, Alignment::right);
    align("align.top", QT_TRANSLATE_NOOP("nnpiper::Actions", "&Top edges"), Qt::Key_Up, Alignment::top);
    align("align.middle", QT_TRANSLATE_NOOP("nnpiper::Actions", "&Middles"), Qt::Key_M, Alignment::middle);
    align("align.bottom", QT_TRANSLATE_NOOP("nnpiper::Actions", "&Bottom edges"), Qt::Key_Down, Alignment::bottom);
    const auto distribute = [&](const char* id, const char* text, Qt::Key key, Qt::Orientation direction) {
        addOnCanvas(id, text, {QKeySequence(Qt::CTRL | Qt::SHIFT | key)}, [this, direction] {
            edits::place(document_, distributed(document_.project(), document_.selection().ids(), direction),
                         tr("Distribute"));
        });
    };
    distribute("distribute.across", QT_TRANSLATE_NOOP("nnpiper::Actions", "Distribute &across"), Qt::Key_H,
               Qt::Horizontal);
    distribute("distribute.down", QT_TRANSLATE_NOOP("nnpiper::Actions", "Distribute &down"), Qt::Key_V, Qt::Vertical);
}

void MainWindow::fillAlignMenu(QMenu& menu) const
{
    for (const char* id : {"align.left", "align.center", "align.right", "", "align.top", "align.middle", "align.bottom",
                           "", "distribute.across", "distribute.down"}) {
        if (*id)
            menu.addAction(actions_->action(QString::fromLatin1(id)));
        else
            menu.addSeparator();
    }
}

void MainWindow::updateDrawingActions()
{
    const bool project = !isStartPageShown();
    const QStringList& selected = document_.selection().ids();
    const auto placed = placedOf(document_.project(), selected).size();
    for (QAction* action : actions_->actions()) {
        if (action->objectName().startsWith(QStringLiteral("align.")))
            action->setEnabled(project && placed >= 2);
        else if (action->objectName().startsWith(QStringLiteral("distribute.")))
            action->setEnabled(project && placed >= 3);
    }
    const Cluster& cluster = document_.project().cluster;
    const auto groupable = edits::groupable(document_.project(), ContainerKind::site, selected);
    actions_->action(QStringLiteral("cluster.groupSite"))->setEnabled(project && !groupable.isEmpty());
    actions_->action(QStringLiteral("cluster.groupRack"))
        ->setEnabled(project && !edits::groupable(document_.project(), ContainerKind::rack, selected).isEmpty());
    const auto is_container = [&](const QString& id) {
        return find_container(document_.project().containers, id.toStdString()) != nullptr;
    };
    const bool container = project && std::any_of(selected.begin(), selected.end(), is_container);
    actions_->action(QStringLiteral("cluster.ungroup"))->setEnabled(container);
    actions_->action(QStringLiteral("cluster.collapse"))
        ->setEnabled(container || (project && std::any_of(selected.begin(), selected.end(), [&](const QString& id) {
                                       return find_node(cluster, id.toStdString()) != nullptr;
                                   })));
    const bool copyable = std::any_of(selected.begin(), selected.end(),
                                      [&](const QString& id) { return !find_link(cluster, id.toStdString()); });
    actions_->action(QStringLiteral("edit.multiply"))->setEnabled(project && copyable);
    actions_->action(QStringLiteral("edit.rename"))->setEnabled(project && copyable && selected.size() == 1);
    actions_->action(QStringLiteral("edit.find"))->setEnabled(project);
    actions_->action(QStringLiteral("edit.findNext"))->setEnabled(project);
    align_menu_->setEnabled(project && placed >= 2);
}

void MainWindow::multiplySelection()
{
    QInputDialog dialog(this);
    dialog.setObjectName(QStringLiteral("multiply"));
    dialog.setWindowTitle(tr("Make several of these"));
    dialog.setLabelText(tr("How many there shall be in all:"));
    dialog.setInputMode(QInputDialog::IntInput);
    dialog.setIntRange(2, mostOfThese);
    dialog.setIntValue(2);
    if (dialog.exec() != QDialog::Accepted)
        return;
    const QStringList ids = document_.selection().ids();
    const QStringList made =
        edits::multiply(document_, ids, copyShifts(document_.project(), ids, dialog.intValue() - 1));
    document_.selection().set(ids + made);
    canvas_->showSelection();
}

void MainWindow::renameSelected()
{
    const QStringList ids = document_.selection().ids();
    const auto element = ids.size() == 1 ? findElement(document_.project(), ids.front().toStdString()) : std::nullopt;
    if (!element)
        return;
    QInputDialog dialog(this);
    dialog.setObjectName(QStringLiteral("rename"));
    dialog.setWindowTitle(tr("Rename"));
    dialog.setLabelText(tr("New name:"));
    dialog.setTextValue(displayName(*element));
    if (dialog.exec() == QDialog::Accepted)
        edits::rename(document_, ids.front(), dialog.textValue());
}

void MainWindow::showCanvasMenu(const QPoint& position, const QPointF& point, const QString& element)
{
    CanvasMenu menu(document_, board_, *canvas_, *actions_, align_menu_, element.toStdString(), point, this);
    connect(&menu, &CanvasMenu::pasteRequested, this, &MainWindow::pasteAt);
    menu.exec(position);
}

}  // namespace nnpiper
