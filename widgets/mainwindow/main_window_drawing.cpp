// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/canvas/align.h"
#include "widgets/canvas/canvas_view.h"
#include "widgets/canvas/find_bar.h"
#include "widgets/document/copies.h"
#include "widgets/document/edits.h"
#include "widgets/document/selection.h"
#include "widgets/mainwindow/action_registry.h"
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
    const bool copyable = std::any_of(selected.begin(), selected.end(),
                                      [&](const QString& id) { return !find_link(cluster, id.toStdString()); });
    actions_->action(QStringLiteral("edit.multiply"))->setEnabled(project && copyable);
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

void MainWindow::showCanvasMenu(const QPoint& position)
{
    QMenu menu(this);
    const auto fill = [&](std::initializer_list<const char*> ids) {
        for (const char* id : ids) {
            if (*id)
                menu.addAction(actions_->action(QString::fromLatin1(id)));
            else
                menu.addSeparator();
        }
    };
    if (!document_.selection().isEmpty()) {
        fill({"edit.cut", "edit.copy", "edit.paste", "edit.duplicate", "edit.multiply", "edit.delete", ""});
        menu.addMenu(align_menu_);
        fill({"", "plan.idle", "plan.release", "", "view.fit"});
    } else {
        fill({"cluster.addNode", "cluster.addSwitch", "edit.paste", "edit.selectAll", "edit.find", "",
              "cluster.arrange", "view.fit"});
    }
    menu.exec(position);
}

}  // namespace nnpiper
