// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QStringList>

class QWidget;

namespace nnpiper {

class ProjectDocument;
struct Project;

/// Opening and saving as a person meets it: asks before unsaved work would be lost, keeps the list of recent files, and
/// tells what could not be done in one sentence. A failed load leaves the open project as it is.
class ProjectFiles : public QObject {
    Q_OBJECT
public:
    ProjectFiles(ProjectDocument& document, QWidget* window);

    void startNew();
    void openWithDialog();
    /// False when it was cancelled or could not be read.
    bool open(const QString& path);
    /// Trains the model of a HuggingFace `config.json`: an edit of the open project, or in a new one. False when it was
    /// cancelled or could not be read.
    bool readModel(const QString& path, bool in_new_project);
    /// False when it was cancelled or could not be written.
    bool save();
    bool saveAs();
    bool saveTo(const QString& path);
    /// Asks what to do with unsaved changes; true when one may go on.
    bool mayDiscard();

    QStringList recentFiles() const;
    void clearRecentFiles();

    /// A project to begin with: no cluster yet, a small model.
    static Project freshProject();

signals:
    void recentFilesChanged();
    void opened(const QString& path);
    void message(const QString& text);
    void failed(const QString& title, const QString& sentence);

private:
    void remember(const QString& path);
    QString folder() const;

    ProjectDocument& document_;
    QWidget* window_;
};

}  // namespace nnpiper
