// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/mainwindow/project_files.h"

#include "core/base/error.h"
#include "core/model/model.h"
#include "widgets/document/edits.h"
#include "widgets/document/project_document.h"
#include "widgets/model/model_config.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QMessageBox>
#include <QSettings>
#include <QStandardPaths>

namespace nnpiper {

namespace {

const QString recentKey = QStringLiteral("recentFiles");
constexpr int mostRecent = 10;

QString projectFilter()
{
    return ProjectFiles::tr("NN-Piper projects (*.nnpiper.json);;JSON files (*.json);;All files (*)");
}

}  // namespace

ProjectFiles::ProjectFiles(ProjectDocument& document, QWidget* window)
    : QObject(window)
    , document_(document)
    , window_(window)
{
}

Project ProjectFiles::freshProject()
{
    Project project;
    for (const ModelEntry& entry : model_catalog())
        if (entry.name == "GPT-2 XL")
            project.model.architecture = entry.architecture;
    if (project.model.architecture.blocks == 0 && !model_catalog().empty())
        project.model.architecture = model_catalog().front().architecture;
    project.model.sequence_length = std::min(1024, std::max(1, project.model.architecture.positions));
    project.job.global_batch = 64;
    return project;
}

void ProjectFiles::startNew()
{
    if (!mayDiscard())
        return;
    document_.replace(freshProject());
    emit opened({});
}

QString ProjectFiles::folder() const
{
    if (!document_.path().isEmpty())
        return QFileInfo(document_.path()).absolutePath();
    const QStringList recent = recentFiles();
    return recent.isEmpty() ? QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation)
                            : QFileInfo(recent.front()).absolutePath();
}

void ProjectFiles::openWithDialog()
{
    const QString path = QFileDialog::getOpenFileName(window_, tr("Open project"), folder(), projectFilter());
    if (!path.isEmpty())
        open(path);
}

bool ProjectFiles::open(const QString& path)
{
    if (!mayDiscard())
        return false;
    try {
        const auto warnings = document_.open(path);
        if (!warnings.empty())
            emit message(QString::fromStdString(warnings.front()));
    } catch (const Error& error) {
        emit failed(tr("The file cannot be opened"), QString::fromStdString(error.what()));
        return false;
    }
    remember(document_.path());
    emit opened(document_.path());
    return true;
}

bool ProjectFiles::readModel(const QString& path, bool in_new_project)
{
    Project fresh = freshProject();
    Model model = in_new_project ? fresh.model : document_.project().model;
    try {
        model = withArchitecture(std::move(model), architectureFromConfig(path));
    } catch (const Error& error) {
        emit failed(tr("The model configuration cannot be read"), QString::fromStdString(error.what()));
        return false;
    }
    if (!in_new_project) {
        edits::setModel(document_, model);
    } else {
        if (!mayDiscard())
            return false;
        fresh.model = model;
        document_.replace(std::move(fresh));
        emit opened({});
    }
    emit message(tr("The model is now %1.").arg(QString::fromStdString(model.architecture.name)));
    return true;
}

bool ProjectFiles::save()
{
    return document_.path().isEmpty() ? saveAs() : saveTo(document_.path());
}

bool ProjectFiles::saveAs()
{
    QString suggestion = document_.path();
    if (suggestion.isEmpty())
        suggestion = folder() + QLatin1Char('/') + tr("untitled") + QStringLiteral(".nnpiper.json");
    QString path = QFileDialog::getSaveFileName(window_, tr("Save project"), suggestion, projectFilter());
    if (path.isEmpty())
        return false;
    if (QFileInfo(path).suffix().isEmpty())
        path += QStringLiteral(".nnpiper.json");
    return saveTo(path);
}

bool ProjectFiles::saveTo(const QString& path)
{
    try {
        document_.save(path);
    } catch (const Error& error) {
        emit failed(tr("The file cannot be saved"), QString::fromStdString(error.what()));
        return false;
    }
    remember(document_.path());
    emit message(tr("Saved %1").arg(QFileInfo(path).fileName()));
    return true;
}

bool ProjectFiles::mayDiscard()
{
    if (!document_.isModified())
        return true;
    QMessageBox box(QMessageBox::Warning, tr("Unsaved changes"), tr("Save the changes to %1?").arg(document_.title()),
                    QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, window_);
    box.setInformativeText(tr("Without saving, they are lost."));
    box.setDefaultButton(QMessageBox::Save);
    box.setObjectName(QStringLiteral("unsavedChanges"));
    switch (box.exec()) {
    case QMessageBox::Save:
        return save();
    case QMessageBox::Discard:
        return true;
    default:
        return false;
    }
}

QStringList ProjectFiles::recentFiles() const
{
    QStringList files = QSettings().value(recentKey).toStringList();
    files.removeIf([](const QString& path) { return !QFileInfo::exists(path); });
    return files;
}

void ProjectFiles::clearRecentFiles()
{
    QSettings().remove(recentKey);
    emit recentFilesChanged();
}

void ProjectFiles::remember(const QString& path)
{
    QStringList files = recentFiles();
    files.removeAll(path);
    files.prepend(path);
    QSettings().setValue(recentKey, files.mid(0, mostRecent));
    emit recentFilesChanged();
}

}  // namespace nnpiper
