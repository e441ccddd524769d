// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/control.h"
#include "core/plan/plan.h"
#include "core/planners/bounds/lower_bound.h"
#include "core/problem/problem.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nnpiper {

/// What a planner is asked for beyond the problem itself.
/// How far nn-piper and its ablation go: the first order alone, split; the best of all orders drawn, split; all steps.
enum class NetworkSteps { greedy, best_of, full };

struct PlanRequest {
    std::optional<ScheduleKind> schedule;  ///< empty: the problem's, else 1F1B (uniform: GPipe)
    bool any_schedule = false;             ///< without a schedule given: whichever that trains and keeps its weights is best, not 1F1B or GPipe alone
    std::optional<int> stages;             ///< empty: the problem's, else the planner chooses
    std::optional<int> micro_batches;      ///< empty: the problem's, else the planner chooses
    std::optional<Recompute> recompute;    ///< empty: the problem's
    std::optional<Objective> objective;    ///< empty: the problem's
    bool true_costs = false;               ///< planners of the literature see every device and link as it is, not the averages that their papers assume
    double budget_ms = 1000;               ///< per planner; a search stops there, a closed procedure may ignore it
    std::string device = "auto";           ///< "auto", "cpu", "cuda" for a planner with a network
    NetworkSteps network_steps = NetworkSteps::full;
    std::uint64_t seed = 1;
};

/// A planner is a function from problem to plan. It fills stages, schedule, micro_batches, bound and detail; the caller
/// fills figures with `predict`. It returns status "skipped" with a reason for a task it cannot do, and its best plan so
/// far when stopped. It throws nothing but Error.
using PlannerFunction = std::function<Plan(const Problem&, const PlanRequest&, const Control&)>;

struct PlannerEntry {
    std::string name;             ///< "uniform"
    std::string title;            ///< "Uniform (GPipe)"
    std::string description;      ///< one sentence
    std::string source;           ///< paper or ours
    std::string assumes;          ///< what its original takes for granted and `true_costs` lifts, e.g. "equal devices, one bandwidth"; empty: nothing
    std::string leaves_out;       ///< of the space of plans, e.g. "replicas, tensor parallelism"; empty: nothing
    PlannerFunction plan;
    bool chooses_degree = false;  ///< picks tensor-parallel degrees itself; else it plans with groups in place of devices (see units.h), one degree after the other
    bool searches = false;        ///< under a schedule that it does not search itself it takes a plain answer (uniform, by speed) that is better there
};

/// What plans of one problem are compared by, lower is better: seconds per sample, dollars per sample or seconds per
/// iteration by the problem's objective; infinite for a plan that is not feasible. Figures must be predicted.
double objective_value(const Problem& problem, const Plan& plan);

/// The problem with the request's wishes written into it (stages, schedule, micro-batches, recompute, objective), as
/// planners see it. Throws Error when the problem cannot satisfy one.
Problem with_request(const Problem& problem, const PlanRequest& request);

/// All planners in the order of display: nn-piper first, then searches, then baselines.
const std::vector<PlannerEntry>& planner_registry();
/// Throws Error naming the known planners.
const PlannerEntry& find_planner(std::string_view name);

/// Runs one planner on `with_request(problem, request)` with its time limit, measures planning_time_ms, predicts the
/// result and says how far it can be from the best possible plan (proved_gap). Nothing escapes but Error. `bound`, where
/// given, is that of `with_request(problem, request)`, so that several planners share it; else it is computed.
Plan run_planner(const PlannerEntry& entry, const Problem& problem, const PlanRequest& request, const Control& control,
                 const ObjectiveBound* bound = nullptr);

}  // namespace nnpiper
