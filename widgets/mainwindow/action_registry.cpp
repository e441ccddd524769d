// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/mainwindow/action_registry.h"

#include "widgets/theme/theme.h"

#include <QCoreApplication>
#include <QRegularExpression>
#include <QWidget>

namespace nnpiper {

namespace {

/// Without mnemonic and ellipsis; Chinese puts the mnemonic behind the word in brackets.
QString plainText(QString text)
{
    static const QRegularExpression extras(QStringLiteral("\\(&.\\)|&|\\.\\.\\.|…"));
    return text.remove(extras).trimmed();
}

}  // namespace

ActionRegistry::ActionRegistry(QWidget* window)
    : QObject(window)
    , window_(window)
{
}

QAction* ActionRegistry::add(const QString& id, const QString& icon, const char* text,
                             const QList<QKeySequence>& shortcuts)
{
    auto* action = new QAction(this);
    action->setObjectName(id);
    action->setShortcuts(shortcuts);
    window_->addAction(action);
    entries_.push_back({action, icon, text});
    return action;
}

QAction* ActionRegistry::addLocal(QWidget* where, const QString& id, const QString& icon, const char* text,
                                  const QList<QKeySequence>& shortcuts)
{
    QAction* action = add(id, icon, text, shortcuts);
    window_->removeAction(action);
    action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    where->addAction(action);
    return action;
}

QAction* ActionRegistry::action(const QString& id) const
{
    for (const Entry& entry : entries_)
        if (entry.action->objectName() == id)
            return entry.action;
    qFatal("no action %s", qPrintable(id));
}

QList<QAction*> ActionRegistry::actions() const
{
    QList<QAction*> all;
    for (const Entry& entry : entries_)
        all.append(entry.action);
    return all;
}

void ActionRegistry::retranslate()
{
    for (const Entry& entry : entries_) {
        const QString text = QCoreApplication::translate("nnpiper::Actions", entry.text);
        entry.action->setText(text);
        const QString tip = plainText(text);
        entry.action->setIconText(tip);
        const QString keys = entry.action->shortcut().toString(QKeySequence::NativeText);
        entry.action->setToolTip(keys.isEmpty() ? tip : QStringLiteral("%1 (%2)").arg(tip, keys));
    }
}

void ActionRegistry::restyle()
{
    for (const Entry& entry : entries_)
        if (!entry.icon.isEmpty())
            entry.action->setIcon(themedIcon(entry.icon, window_->palette()));
}

}  // namespace nnpiper
