// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/mainwindow/recovery.h"

#include "core/base/error.h"
#include "core/formats/files.h"
#include "widgets/document/project_document.h"

#include <QDir>
#include <QFile>
#include <QLockFile>
#include <QStandardPaths>
#include <QUuid>

namespace nnpiper {

namespace {

const QString copySuffix = QStringLiteral(".recovery.json");
const QString originSuffix = QStringLiteral(".origin");
const QString lockSuffix = QStringLiteral(".lock");
constexpr int delayMs = 1500;

QString stemOf(const QString& file)
{
    return file.chopped(copySuffix.size());
}

std::unique_ptr<QLockFile> lockFor(const QString& stem)
{
    auto lock = std::make_unique<QLockFile>(stem + lockSuffix);
    lock->setStaleLockTime(0);  // stale only when its process is gone, however long it lives
    return lock;
}

}  // namespace

Recovery::Recovery(ProjectDocument& document, const QString& folder, QObject* parent)
    : QObject(parent)
    , document_(document)
    , folder_(folder)
    , session_(QUuid::createUuid().toString(QUuid::WithoutBraces))
{
    QDir().mkpath(folder_);
    lock_ = lockFor(stem());
    lock_->tryLock(0);
    soon_.setSingleShot(true);
    soon_.setInterval(delayMs);
    connect(&soon_, &QTimer::timeout, this, &Recovery::write);
    connect(&document, &ProjectDocument::edited, this, [this] { soon_.start(); });
    connect(&document, &ProjectDocument::modifiedChanged, this, [this](bool modified) {
        if (!modified)
            remove();
    });
}

Recovery::~Recovery()
{
    remove();
}

QString Recovery::defaultFolder()
{
    return QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) + QStringLiteral("/recovery");
}

QString Recovery::stem() const
{
    return folder_ + QLatin1Char('/') + session_;
}

void Recovery::flush()
{
    if (soon_.isActive()) {
        soon_.stop();
        write();
    }
}

void Recovery::write()
{
    if (!document_.isModified())
        return;
    try {
        write_text((stem() + originSuffix).toStdString(), document_.path().toStdString());
        write_text((stem() + copySuffix).toStdString(), write_project(document_.project()));
    } catch (const Error&) {
        return;  // a full disk must not get in the way of the work itself
    }
}

void Recovery::remove()
{
    soon_.stop();
    QFile::remove(stem() + copySuffix);
    QFile::remove(stem() + originSuffix);
}

QList<Leftover> Recovery::leftovers() const
{
    QList<Leftover> found;
    const QDir folder(folder_);
    for (const QFileInfo& file : folder.entryInfoList({QLatin1Char('*') + copySuffix}, QDir::Files, QDir::Time)) {
        const QString stem_of_file = stemOf(file.absoluteFilePath());
        if (stem_of_file == QFileInfo(stem()).absoluteFilePath())
            continue;
        const auto lock = lockFor(stem_of_file);
        if (!lock->tryLock(0))
            continue;  // its session is alive
        QFile origin(stem_of_file + originSuffix);
        found.append({file.absoluteFilePath(),
                      origin.open(QIODevice::ReadOnly) ? QString::fromUtf8(origin.readAll()) : QString(),
                      file.lastModified()});
    }
    return found;
}

void Recovery::restore(const Leftover& leftover)
{
    const std::string name = leftover.file.toStdString();
    document_.replace(read_project(read_text(name), name), leftover.origin);
    document_.undoStack().resetClean();
    write();
    discard(leftover);
}

void Recovery::discard(const Leftover& leftover)
{
    const QString stem_of_file = stemOf(leftover.file);
    for (const QString& suffix : {copySuffix, originSuffix, lockSuffix})
        QFile::remove(stem_of_file + suffix);
}

}  // namespace nnpiper
