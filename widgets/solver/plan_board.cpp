// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/solver/plan_board.h"

#include "core/base/error.h"
#include "core/planners/planner.h"
#include "core/problem/compile.h"
#include "core/simulator/simulate.h"
#include "widgets/document/edits.h"
#include "widgets/document/project_document.h"
#include "widgets/solver/solve_run.h"

#include <algorithm>

namespace nnpiper {

PlanBoard::PlanBoard(ProjectDocument& document, QObject* parent)
    : QObject(parent)
    , document_(document)
{
    connect(&document, &ProjectDocument::reset, this, [this] {
        clear();
        readKeptPlans(false);
    });
    connect(&document, &ProjectDocument::problemChanged, this, [this] {
        problem_current_ = false;
        setOutdated(shown_ != nullptr);
    });
    connect(&document, &ProjectDocument::keptPlansChanged, this, [this] { readKeptPlans(true); });
}

QString PlanBoard::handPlanner()
{
    return QStringLiteral("hand-edited");
}

std::vector<Plan> PlanBoard::planList() const
{
    std::vector<Plan> list;
    for (const Shared& plan : plans_)
        list.push_back(plan->plan);
    return list;
}

PlanBoard::Shared PlanBoard::solverPlan() const
{
    Shared best;
    if (!shown_ || shown_->plan.planner != handPlanner().toStdString())
        return best;
    for (std::size_t i = 0; i < found_; ++i) {
        const Shared& plan = plans_[i];
        if (plan->problem == shown_->problem && plan->plan.feasible
            && (!best || objective_value(*plan->problem, plan->plan) < objective_value(*best->problem, best->plan)))
            best = plan;
    }
    return best;
}

int PlanBoard::shownIndex() const
{
    const auto found = std::find(plans_.begin(), plans_.end(), shown_);
    return shown_ && found != plans_.end() ? static_cast<int>(found - plans_.begin()) : -1;
}

void PlanBoard::setOutdated(bool outdated)
{
    if (outdated == outdated_)
        return;
    outdated_ = outdated;
    emit outdatedChanged(outdated);
}

void PlanBoard::clear()
{
    plans_.clear();
    found_ = 0;
    problem_.reset();
    problem_current_ = false;
    show(Shared());
    emit plansChanged();
}

void PlanBoard::beginRun(bool in_place)
{
    replace_all_ = !in_place;
    show_next_ = true;
}

void PlanBoard::add(Shared plan, bool current)
{
    const bool first = plan->problem != problem_;
    if (replace_all_) {
        plans_.erase(plans_.begin(), plans_.begin() + static_cast<std::ptrdiff_t>(found_));
        found_ = 0;
        replace_all_ = false;
    }
    if (first) {
        problem_ = plan->problem;
        problem_current_ = current;
    }
    const auto end = plans_.begin() + static_cast<std::ptrdiff_t>(found_);
    const auto same =
        std::find_if(plans_.begin(), end, [&](const Shared& old) { return old->plan.planner == plan->plan.planner; });
    if (same != end) {
        *same = plan;
    } else {
        plans_.insert(end, plan);
        ++found_;
    }
    if (first)
        readKeptPlans(false);
    if (show_next_ && !plan->timeline.ops.empty()) {
        show_next_ = false;
        show(plan);
        setOutdated(!current);
    }
    emit plansChanged();
}

void PlanBoard::endRun()
{
    const auto end = plans_.begin() + static_cast<std::ptrdiff_t>(found_);
    const auto kept = std::remove_if(plans_.begin(), end, [&](const Shared& old) { return old->problem != problem_; });
    if (kept == end)
        return;
    found_ = static_cast<std::size_t>(kept - plans_.begin());
    plans_.erase(kept, end);
    emit plansChanged();
}

void PlanBoard::show(Shared plan)
{
    if (plan == shown_)
        return;
    shown_ = std::move(plan);
    if (!shown_)
        setOutdated(false);
    emit shownChanged();
}

void PlanBoard::show(int index)
{
    if (index < 0 || index >= static_cast<int>(plans_.size()))
        return;
    const Shared& plan = plans_[static_cast<std::size_t>(index)];
    if (plan->timeline.ops.empty())
        return;
    show(plan);
    setOutdated(!problem_current_);
}

void PlanBoard::show(const QString& planner)
{
    for (std::size_t i = 0; i < plans_.size(); ++i)
        if (plans_[i]->plan.planner == planner.toStdString())
            show(static_cast<int>(i));
}

std::shared_ptr<const Problem> PlanBoard::presentProblem()
{
    if (!problem_current_ || !problem_) {
        problem_ = std::make_shared<const Problem>(compile(document_.project()));
        problem_current_ = true;
    }
    return problem_;
}

void PlanBoard::readKeptPlans(bool show_hand_edited)
{
    plans_.resize(found_);
    bool shown_is_kept = false;
    for (const Plan& kept : document_.project().plans) {
        try {
            const auto problem = presentProblem();
            Plan plan = kept;
            predict(*problem, plan);
            plans_.push_back(solved(problem, std::move(plan)));
        } catch (const Error&) {
            continue;  // the project cannot be planned as it stands; Solve says why
        }
        if (show_hand_edited && kept.planner == handPlanner().toStdString() && !plans_.back()->timeline.ops.empty()) {
            show(plans_.back());
            setOutdated(false);
            shown_is_kept = true;
        }
    }
    // Undo of the first edit by hand goes back to the plan it came from.
    const bool was_hand = shown_ && shown_->plan.planner == handPlanner().toStdString();
    if (show_hand_edited && was_hand && !shown_is_kept)
        show(found_ > 0 ? plans_.front() : Shared());
    emit plansChanged();
}

void PlanBoard::keep(Plan plan, const QString& text, const QString& merge_key)
{
    plan.planner = handPlanner().toStdString();
    plan.detail.clear();
    plan.bound_s.reset();
    plan.planning_time_ms = 0;
    const auto problem = presentProblem();
    if (const auto faults = validate(*problem, plan); !faults.empty())
        throw Error("plan", faults.front());
    predict(*problem, plan);
    edits::keepPlan(document_, plan, text, merge_key);
}

void PlanBoard::moveBoundary(int boundary, int end_layer, const QString& merge_key)
{
    if (!shown_ || boundary < 0 || boundary + 1 >= static_cast<int>(shown_->plan.stages.size()))
        return;
    Plan plan = shown_->plan;
    Stage& before = plan.stages[static_cast<std::size_t>(boundary)];
    Stage& behind = plan.stages[static_cast<std::size_t>(boundary) + 1];
    end_layer = std::clamp(end_layer, before.first_layer + 1, behind.end_layer - 1);
    before.end_layer = end_layer;
    behind.first_layer = end_layer;
    keep(std::move(plan), tr("Move stage boundary"), merge_key);
}

void PlanBoard::putDevice(int stage, const QString& device_id)
{
    if (!shown_ || stage < 0 || stage >= static_cast<int>(shown_->plan.stages.size()))
        return;
    Plan plan = shown_->plan;
    const std::string id = device_id.toStdString();
    Stage& target = plan.stages[static_cast<std::size_t>(stage)];
    if (std::find(target.devices.begin(), target.devices.end(), id) != target.devices.end()
        || !find_device(document_.project().cluster, id))
        return;
    const std::string displaced = target.devices.front();
    for (Stage& other : plan.stages)
        std::replace(other.devices.begin(), other.devices.end(), id, displaced);
    target.devices.front() = id;
    keep(std::move(plan), tr("Put %1 on stage %2").arg(device_id).arg(stage), {});
}

}  // namespace nnpiper
