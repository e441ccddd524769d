// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/results/solved_plan.h"

#include <QObject>

#include <memory>
#include <vector>

namespace nnpiper {

class ProjectDocument;

/// The plans found for the open project, the one that is shown, and whether the project has changed since. Kept plans
/// of the project (edited by hand or pinned) are predicted here and listed beside those of the planners.
class PlanBoard : public QObject {
    Q_OBJECT
public:
    using Shared = std::shared_ptr<const SolvedPlan>;

    explicit PlanBoard(ProjectDocument& document, QObject* parent = nullptr);

    /// Planners' plans in the order found, then the kept ones.
    const std::vector<Shared>& plans() const { return plans_; }
    std::vector<Plan> planList() const;
    /// Null when nothing is shown.
    const Shared& shown() const { return shown_; }
    /// The best plan that a planner found for the same problem as the shown one; null when there is none or the shown
    /// plan is a planner's itself.
    Shared solverPlan() const;
    /// Its place in plans(), -1 for none.
    int shownIndex() const;
    /// The project has changed since the shown plan was made.
    bool isOutdated() const { return outdated_; }

    /// A run on the present project begins. Its first answer removes those of the run before, or, `in_place`, each
    /// answer takes the place of the same planner's, so that the list does not flicker while it follows the pointer.
    void beginRun(bool in_place);
    /// A planner's answer; the first usable one of a run is shown. Not `current`: the project has changed meanwhile, and
    /// the plan counts as outdated.
    void add(Shared plan, bool current = true);
    /// The run is over: answers of older runs go.
    void endRun();
    void show(int index);
    void show(const QString& planner);
    void clear();

    /// The problem of the present project: that of the last run while it is up to date, else compiled anew (throws
    /// Error).
    std::shared_ptr<const Problem> presentProblem();

    /// Edits of the shown plan by hand; each is an undoable edit of the project's kept plans. A boundary lies behind
    /// stage `boundary`; its stage then ends before `end_layer`.
    /// Throws Error when the project or the plan does not allow it.
    void moveBoundary(int boundary, int end_layer, const QString& merge_key);
    /// Puts a device on a stage; a device that another stage holds changes places with the stage's own.
    void putDevice(int stage, const QString& device_id);

    static QString handPlanner();

signals:
    void plansChanged();
    void shownChanged();
    void outdatedChanged(bool outdated);

private:
    void show(Shared plan);
    void setOutdated(bool outdated);
    void readKeptPlans(bool show_hand_edited);
    void keep(Plan plan, const QString& text, const QString& merge_key);

    ProjectDocument& document_;
    std::vector<Shared> plans_;
    std::size_t found_ = 0;     ///< plans_[0 .. found_) are the planners', the rest kept ones
    bool replace_all_ = false;  ///< the next answer removes the old ones
    bool show_next_ = false;    ///< the next usable answer is shown
    Shared shown_;
    std::shared_ptr<const Problem> problem_;
    bool problem_current_ = false;
    bool outdated_ = false;
};

}  // namespace nnpiper
