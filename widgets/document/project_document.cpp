// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/document/project_document.h"

#include "core/base/error.h"
#include "core/formats/files.h"
#include "widgets/canvas/arrange.h"
#include "widgets/document/commands.h"
#include "widgets/document/selection.h"

#include <QFileInfo>

#include <algorithm>

namespace nnpiper {

namespace {

/// What planning does not see of an element.
Element withoutName(Element element)
{
    std::visit([](auto& item) { item.name.clear(); }, element);
    return element;
}

}  // namespace

ProjectDocument::ProjectDocument(QObject* parent)
    : QObject(parent)
    , selection_(new Selection(this))
{
    connect(&undo_stack_, &QUndoStack::cleanChanged, this, [this](bool clean) { emit modifiedChanged(!clean); });
    connect(this, &ProjectDocument::elementRemoved, selection_, &Selection::remove);
}

ProjectDocument::~ProjectDocument()
{
    // The stack's last signals must not reach a document that is half gone.
    undo_stack_.disconnect(this);
}

QString ProjectDocument::title() const
{
    if (!path_.isEmpty())
        return QFileInfo(path_).fileName();
    return project_.name.empty() ? tr("Untitled") : QString::fromStdString(project_.name);
}

void ProjectDocument::replace(Project project, const QString& path)
{
    placeMissing(project);
    project_ = std::move(project);
    path_ = path;
    problem_touched_ = false;
    selection_->clear();
    undo_stack_.clear();
    emit reset();
    emit pathChanged();
    emit modifiedChanged(false);
}

std::vector<std::string> ProjectDocument::open(const QString& path)
{
    std::vector<std::string> warnings;
    const std::filesystem::path file = path.toStdString();
    Project project = read_project(read_text(file), path.toStdString(), &warnings);
    replace(std::move(project), QFileInfo(path).absoluteFilePath());
    return warnings;
}

void ProjectDocument::save(const QString& path)
{
    write_text(path.toStdString(), write_project(project_));
    path_ = QFileInfo(path).absoluteFilePath();
    undo_stack_.setClean();
    emit pathChanged();
}

void ProjectDocument::push(std::unique_ptr<DocumentCommand> command)
{
    if (command && !command->changesNothing())
        undo_stack_.push(command.release());
}

/// Returns whether that differs from the place before.
bool ProjectDocument::putPlacement(const std::string& id, const std::optional<Placement>& placement)
{
    const auto placed = project_.layout.find(id);
    const bool was_placed = placed != project_.layout.end();
    if (!placement) {
        if (was_placed)
            project_.layout.erase(placed);
        return was_placed;
    }
    if (was_placed && placed->second == *placement)
        return false;
    project_.layout.insert_or_assign(id, *placement);
    return true;
}

template <class T>
void ProjectDocument::putInto(std::vector<T>& list, const std::string& id, const std::optional<ElementRecord>& record)
{
    const bool planned = !std::is_same_v<T, Container>;
    const QString name = QString::fromStdString(id);
    const auto at = std::find_if(list.begin(), list.end(), [&](const T& item) { return item.id == id; });
    if (!record) {
        if (at == list.end())
            return;
        list.erase(at);
        project_.layout.erase(id);
        problem_touched_ = problem_touched_ || planned;
        emit elementRemoved(name);
        return;
    }
    const T& value = std::get<T>(record->value);
    const bool moved = putPlacement(id, record->placement);
    if (at == list.end()) {
        const auto size = static_cast<int>(list.size());
        const int index = record->index < 0 ? size : std::min(record->index, size);
        list.insert(list.begin() + index, value);
        problem_touched_ = problem_touched_ || planned;
        emit elementAdded(name);
        return;
    }
    if (!(*at == value)) {
        problem_touched_ = problem_touched_ || (planned && withoutName(*at) != withoutName(value));
        *at = value;
        emit elementChanged(name);
    }
    if (moved)
        emit elementMoved(name);
}

void ProjectDocument::putElement(const std::string& id, const std::optional<ElementRecord>& record)
{
    const auto existing = findElement(project_, id);
    if (!existing && !record)
        return;
    switch (kindOf(record ? record->value : *existing)) {
    case ElementKind::node:
        putInto(project_.cluster.nodes, id, record);
        break;
    case ElementKind::device:
        putInto(project_.cluster.devices, id, record);
        break;
    case ElementKind::network_switch:
        putInto(project_.cluster.switches, id, record);
        break;
    case ElementKind::link:
        putInto(project_.cluster.links, id, record);
        break;
    case ElementKind::container:
        putInto(project_.containers, id, record);
        break;
    }
}

void ProjectDocument::setJob(Job job)
{
    project_.job = std::move(job);
    problem_touched_ = true;
    emit jobChanged();
}

void ProjectDocument::setModel(Model model)
{
    project_.model = std::move(model);
    problem_touched_ = true;
    emit modelChanged();
}

void ProjectDocument::setName(std::string name)
{
    project_.name = std::move(name);
    emit detailsChanged();
}

void ProjectDocument::setDescription(std::string description)
{
    project_.description = std::move(description);
    emit detailsChanged();
}

void ProjectDocument::setAssumptions(std::vector<std::string> assumptions)
{
    project_.assumptions = std::move(assumptions);
    emit detailsChanged();
}

void ProjectDocument::setKeptPlans(std::vector<Plan> plans)
{
    project_.plans = std::move(plans);
    emit keptPlansChanged();
}

void ProjectDocument::setDeviceTypes(std::vector<DeviceSpec> types)
{
    project_.device_types = std::move(types);
    emit deviceTypesChanged();
}

void ProjectDocument::finishCommand()
{
    const bool touched = problem_touched_;
    problem_touched_ = false;
    emit edited();
    if (touched)
        emit problemChanged();
}

}  // namespace nnpiper
