// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QKeySequence>
#include <QObject>

#include <vector>

namespace nnpiper {

/// All actions of the window: each has an id, a source text that is translated again when the language changes, an icon
/// that follows the theme, and a tool tip that names its shortcut. Menus and tool bars take them from here.
class ActionRegistry : public QObject {
    Q_OBJECT
public:
    explicit ActionRegistry(QWidget* window);

    /// `text` is a source text in the context "nnpiper::Actions"; an empty icon name means none.
    QAction* add(const QString& id, const QString& icon, const char* text, const QList<QKeySequence>& shortcuts = {});
    /// The same, with keys that work only while `where` has the focus.
    QAction* addLocal(QWidget* where, const QString& id, const QString& icon, const char* text,
                      const QList<QKeySequence>& shortcuts);
    /// Aborts on an id that was not added: a mistake in the program.
    QAction* action(const QString& id) const;
    QList<QAction*> actions() const;

    void retranslate();
    void restyle();

private:
    struct Entry {
        QAction* action;
        QString icon;
        const char* text;
    };
    QWidget* window_;
    std::vector<Entry> entries_;
};

}  // namespace nnpiper
