// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/document/commands.h"

#include <algorithm>

namespace nnpiper {

bool ElementsCommand::changesNothing() const
{
    return std::all_of(changes_.begin(), changes_.end(),
                       [](const ElementChange& change) { return change.before == change.after; });
}

void ElementsCommand::apply(bool forward)
{
    if (forward)
        for (const ElementChange& change : changes_)
            document_.putElement(change.id, change.after);
    else
        for (auto change = changes_.rbegin(); change != changes_.rend(); ++change)
            document_.putElement(change->id, change->before);
}

bool ElementsCommand::take(const DocumentCommand& next)
{
    const auto* same = dynamic_cast<const ElementsCommand*>(&next);
    if (!same || same->changes_.size() != changes_.size())
        return false;
    for (std::size_t i = 0; i < changes_.size(); ++i) {
        const ElementChange& later = same->changes_[i];
        if (changes_[i].id != later.id || !changes_[i].after || !later.before || !later.after)
            return false;
    }
    for (std::size_t i = 0; i < changes_.size(); ++i)
        changes_[i].after = same->changes_[i].after;
    return true;
}

ConstantsCommand::ConstantsCommand(ProjectDocument& document, const QString& text, const Project& before,
                                   const Project& after)
    : DocumentCommand(document, text, {})
    , before_{before.job, before.assumptions}
    , after_{after.job, after.assumptions}
{
    for (const Device& device : after.cluster.devices) {
        const auto old = recordOf(before, device.id);
        const auto changed = recordOf(after, device.id);
        if (old != changed)
            devices_.push_back({device.id, old, changed});
    }
}

void ConstantsCommand::apply(bool forward)
{
    for (const ElementChange& change : devices_)
        document_.putElement(change.id, forward ? change.after : change.before);
    const Rest& rest = forward ? after_ : before_;
    if (before_.job != after_.job)
        document_.setJob(rest.job);
    if (before_.assumptions != after_.assumptions)
        document_.setAssumptions(rest.assumptions);
}

bool sameValue(const std::vector<Plan>& a, const std::vector<Plan>& b)
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Plan& x, const Plan& y) {
        return x.planner == y.planner && x.schedule == y.schedule && x.micro_batches == y.micro_batches
               && x.stages == y.stages;
    });
}

}  // namespace nnpiper
