// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDateTime>
#include <QList>
#include <QObject>
#include <QString>
#include <QTimer>

#include <memory>

class QLockFile;

namespace nnpiper {

class ProjectDocument;

/// Unsaved work that a session left behind which did not end properly.
struct Leftover {
    QString file;    ///< the recovery file
    QString origin;  ///< the project's own file; empty when it had none
    QDateTime time;
};

/// Keeps a copy of unsaved work beside the project's own file, never in its place: written a moment after an edit, gone
/// once the project is saved or closed. A lock tells whether the session that wrote it still lives.
class Recovery : public QObject {
    Q_OBJECT
public:
    Recovery(ProjectDocument& document, const QString& folder, QObject* parent = nullptr);
    ~Recovery() override;

    /// Copies of sessions that are dead, newest first.
    QList<Leftover> leftovers() const;
    /// Opens a copy as unsaved work on its own file. Throws Error when the copy cannot be read.
    void restore(const Leftover& leftover);
    static void discard(const Leftover& leftover);

    /// Writes at once what is due.
    void flush();
    static QString defaultFolder();

private:
    QString stem() const;
    void write();
    void remove();

    ProjectDocument& document_;
    QString folder_;
    QString session_;
    std::unique_ptr<QLockFile> lock_;
    QTimer soon_;
};

}  // namespace nnpiper
