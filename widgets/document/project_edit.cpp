// SPDX-License-Identifier: GPL-3.0-or-later
// Taking over another state of cluster and job as one edit.
#include "widgets/canvas/arrange.h"
#include "widgets/document/commands.h"
#include "widgets/document/edits.h"

namespace nnpiper::edits {

namespace {

/// What is no longer there, from the back, so that undo puts everything where it was.
template <class T>
void collectRemoved(const Project& before, const Project& after, const std::vector<T>& list,
                    std::vector<ElementChange>& changes)
{
    for (auto item = list.rbegin(); item != list.rend(); ++item)
        if (!contains(after, item->id))
            changes.push_back({item->id, recordOf(before, item->id), std::nullopt});
}

template <class T>
void collectOthers(const Project& before, const Project& after, const std::vector<T>& list,
                   std::vector<ElementChange>& changes)
{
    for (const T& item : list) {
        auto old = recordOf(before, item.id);
        auto now = recordOf(after, item.id);
        if (old)
            now->index = old->index;
        if (old != now)
            changes.push_back({item.id, std::move(old), std::move(now)});
    }
}

}  // namespace

void applyProject(ProjectDocument& document, Project after, const QString& text)
{
    placeMissing(after);
    const Project& before = document.project();
    // Links end at elements, devices stand in nodes: nothing may hang on the way.
    std::vector<ElementChange> changes;
    collectRemoved(before, after, before.cluster.links, changes);
    collectRemoved(before, after, before.cluster.devices, changes);
    collectRemoved(before, after, before.cluster.switches, changes);
    collectRemoved(before, after, before.cluster.nodes, changes);
    collectRemoved(before, after, before.containers, changes);
    collectOthers(before, after, after.cluster.nodes, changes);
    collectOthers(before, after, after.cluster.switches, changes);
    collectOthers(before, after, after.cluster.devices, changes);
    collectOthers(before, after, after.cluster.links, changes);
    collectOthers(before, after, after.containers, changes);
    if (after.job == before.job) {
        document.push(std::make_unique<ElementsCommand>(document, text, std::move(changes)));
        return;
    }
    if (changes.empty()) {
        setJob(document, after.job, text);
        return;
    }
    document.undoStack().beginMacro(text);
    setJob(document, after.job, text);
    document.push(std::make_unique<ElementsCommand>(document, text, std::move(changes)));
    document.undoStack().endMacro();
}

}  // namespace nnpiper::edits
