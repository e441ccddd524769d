// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/project/project.h"
#include "widgets/document/element.h"

#include <QObject>
#include <QUndoStack>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace nnpiper {

class DocumentCommand;
class Selection;

/// The open project. It changes through undoable commands only (see edits.h) and tells every change by a typed signal;
/// canvas, tables and inspector listen to those and never to each other.
class ProjectDocument : public QObject {
    Q_OBJECT
public:
    explicit ProjectDocument(QObject* parent = nullptr);
    ~ProjectDocument() override;

    const Project& project() const { return project_; }
    QUndoStack& undoStack() { return undo_stack_; }
    Selection& selection() { return *selection_; }

    /// Empty until it has been opened or saved.
    const QString& path() const { return path_; }
    /// Name for a person: the project's name, else the file's, else "Untitled".
    QString title() const;
    bool isModified() const { return !undo_stack_.isClean(); }

    /// Replaces everything; the undo history starts anew. With a path the project counts as saved there.
    /// Elements without a place on the canvas get one.
    void replace(Project project, const QString& path = {});
    /// Throws Error and leaves the open project untouched when the file cannot be used. Returns what a reader should
    /// know ("/job/colour is not known"), one sentence each.
    std::vector<std::string> open(const QString& path);
    /// Atomic; throws Error and stays modified when the file cannot be written.
    void save(const QString& path);

    /// Runs a command unless it changes nothing.
    void push(std::unique_ptr<DocumentCommand> command);
    /// A key under which the edits of one drag or of one stay in a field merge.
    QString newMergeKey() { return QString::number(++merge_serial_); }

    /// For commands only: one primitive change with its signals.
    void putElement(const std::string& id, const std::optional<ElementRecord>& record);
    void setJob(Job job);
    void setModel(Model model);
    void setName(std::string name);
    void setDescription(std::string description);
    void setAssumptions(std::vector<std::string> assumptions);
    void setKeptPlans(std::vector<Plan> plans);
    void setDeviceTypes(std::vector<DeviceSpec> types);
    void finishCommand();

signals:
    void reset();
    void elementAdded(const QString& id);
    void elementRemoved(const QString& id);
    void elementChanged(const QString& id);
    void elementMoved(const QString& id);
    void jobChanged();
    void modelChanged();
    void detailsChanged();  ///< name, description or assumptions
    void keptPlansChanged();
    void deviceTypesChanged();
    void edited();          ///< after every command and its undo
    void problemChanged();  ///< after a command that alters what is planned: not for names and places
    void pathChanged();
    void modifiedChanged(bool modified);

private:
    template <class T>
    void putInto(std::vector<T>& list, const std::string& id, const std::optional<ElementRecord>& record);

    bool putPlacement(const std::string& id, const std::optional<Placement>& placement);

    Project project_;
    QString path_;
    QUndoStack undo_stack_;
    Selection* selection_;
    int merge_serial_ = 0;
    bool problem_touched_ = false;
};

}  // namespace nnpiper
