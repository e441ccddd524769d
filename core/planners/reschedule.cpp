// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planners/reschedule.h"

#include "core/base/error.h"
#include "core/planners/planner.h"
#include "core/schedule/launch_counts.h"
#include "core/schedule/schedule.h"
#include "core/simulator/simulate.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace nnpiper {

namespace {

constexpr int most_tries = 1200;

/// Stages of the chunks, each device's layers divided as evenly as whole layers allow.
std::vector<Stage> cut_into_chunks(const std::vector<Stage>& stages, const StageMap& map)
{
    const int layers = stages.back().end_layer;
    if (layers < map.stages)
        throw Error("chunks", std::to_string(layers) + " layers do not fill " + std::to_string(map.stages) + " chunks",
                    "at least one layer a chunk");
    std::vector<Stage> cut;
    double share = 0;
    for (int k = 0; k < map.stages; ++k) {
        Stage stage = stages[static_cast<std::size_t>(map.device(k))];
        share += static_cast<double>(stage.end_layer - stage.first_layer) / map.chunks();
        stage.first_layer = cut.empty() ? 0 : cut.back().end_layer;
        stage.end_layer = std::clamp(static_cast<int>(std::lround(share)), stage.first_layer + 1, layers - (map.stages - 1 - k));
        cut.push_back(stage);
    }
    cut.back().end_layer = layers;
    return cut;
}

/// The first stage of a device group.
int stage_on(const StageMap& map, int device)
{
    int stage = 0;
    while (map.device(stage) != device)
        ++stage;
    return stage;
}

/// Sum over the devices of what they need beyond their capacity, in parts of it.
double excess_of(const Problem& problem, const Plan& plan)
{
    double excess = 0;
    for (const DeviceMemory& memory : memory_of(problem, plan, order_of(problem, plan, lay_out(problem, plan))))
        excess += std::max(0.0, memory.needed_bytes() / memory.capacity_bytes - 1);
    return excess;
}

/// Keeps the best plan by the problem's objective; while nothing fits, the one that lacks least.
class Climb {
public:
    Climb(const Problem& problem, Plan start) : problem_(problem), best_(std::move(start))
    {
        predict_fast(problem_, best_);
    }

    bool offer(Plan plan)
    {
        ++tries_;
        predict_fast(problem_, plan);
        if (!better(plan, best_))
            return false;
        best_ = std::move(plan);
        return true;
    }

    const Plan& best() const { return best_; }
    int tries() const { return tries_; }

private:
    bool better(const Plan& a, const Plan& b) const
    {
        if (a.feasible != b.feasible)
            return a.feasible;
        return a.feasible ? objective_value(problem_, a) < objective_value(problem_, b) * (1 - 1e-9)
                          : excess_of(problem_, a) < excess_of(problem_, b) - 1e-9;
    }

    const Problem& problem_;
    Plan best_;
    int tries_ = 0;
};

void shift_boundaries(Climb& climb, const Control& control)
{
    for (bool moved = true; moved;) {
        moved = false;
        for (std::size_t b = 0; b + 1 < climb.best().stages.size(); ++b) {
            for (const int step : {-1, 1, -2, 2}) {
                if (climb.tries() >= most_tries || control.should_stop())
                    return;
                Plan plan = climb.best();
                const int end = plan.stages[b].end_layer + step;
                if (end <= plan.stages[b].first_layer || end >= plan.stages[b + 1].end_layer)
                    continue;
                plan.stages[b].end_layer = end;
                plan.stages[b + 1].first_layer = end;
                moved = climb.offer(std::move(plan)) || moved;
            }
        }
    }
}

/// Other policies for single stages, where the problem leaves them open: a schedule that keeps more activations than 1F1B
/// needs more recompute.
void change_recompute(Climb& climb, const Problem& problem, const Control& control)
{
    std::vector<Recompute> policies;
    for (const Variant& variant : problem.variants) {
        if (problem.recompute_free && std::find(policies.begin(), policies.end(), variant.recompute) == policies.end())
            policies.push_back(variant.recompute);
    }
    for (bool moved = true; moved && policies.size() > 1;) {
        moved = false;
        for (std::size_t s = 0; s < climb.best().stages.size(); ++s) {
            for (const Recompute policy : policies) {
                if (climb.tries() >= most_tries || control.should_stop())
                    return;
                Plan plan = climb.best();
                if (plan.stages[s].recompute == policy)
                    continue;
                plan.stages[s].recompute = policy;
                moved = climb.offer(std::move(plan)) || moved;
            }
        }
    }
}

/// Exchanges the devices of two groups, with all their chunks. A good order under 1F1B need not be one where the chain
/// comes back to every device.
void exchange_devices(Climb& climb, const StageMap& map, const Control& control)
{
    for (bool moved = true; moved;) {
        moved = false;
        for (int a = 0; a < map.devices; ++a) {
            for (int b = a + 1; b < map.devices; ++b) {
                if (climb.tries() >= most_tries || control.should_stop())
                    return;
                Plan plan = climb.best();
                const Stage first = plan.stages[static_cast<std::size_t>(stage_on(map, a))];
                const Stage second = plan.stages[static_cast<std::size_t>(stage_on(map, b))];
                for (int k = 0; k < map.stages; ++k) {
                    if (map.device(k) != a && map.device(k) != b)
                        continue;
                    Stage& stage = plan.stages[static_cast<std::size_t>(k)];
                    const Stage& other = map.device(k) == a ? second : first;
                    stage.devices = other.devices;
                    stage.shares = other.shares;
                    stage.tensor_parallel = other.tensor_parallel;
                }
                moved = climb.offer(std::move(plan)) || moved;
            }
        }
    }
}

std::vector<int> counts_that_hide_delay(const Problem& problem, const Plan& plan)
{
    const Pipeline pipeline = lay_out(problem, plan);
    std::vector<StageRound> rounds;
    for (int s = 0; s < pipeline.stages(); ++s) {
        const auto i = static_cast<std::size_t>(s);
        StageRound round{pipeline.forward_s[i] + pipeline.backward_s(s), 0};
        if (s + 1 < pipeline.stages())
            round.round_trip_s = pipeline.forward_occupancy_s[i] + pipeline.forward_latency_s[i]
                                 + pipeline.backward_occupancy_s[i] + pipeline.backward_latency_s[i];
        rounds.push_back(round);
    }
    std::vector<int> counts = least_launch_counts(rounds);
    for (int& count : counts)
        count = std::min(count, plan.micro_batches);
    return counts;
}

}  // namespace

bool is_searched(ScheduleKind kind)
{
    return kind == ScheduleKind::one_f_one_b || kind == ScheduleKind::gpipe;
}

Plan rescheduled(const Problem& problem, const Plan& plan, ScheduleKind kind, const Control& control)
{
    ScheduleShape shape;
    shape.kind = kind;
    shape.devices = static_cast<int>(plan.stages.size());
    shape.micro_batches = plan.micro_batches;
    shape.chunks = default_chunks(kind);
    check(shape);
    Plan start = plan;
    // The automatic order is itself a search; its stages are balanced under the static order that it starts from.
    start.schedule = kind == ScheduleKind::zb_auto ? ScheduleKind::zb_h1 : kind;
    start.chunks_per_device = shape.chunks;
    start.stages = cut_into_chunks(plan.stages, stage_map(kind, shape.devices, shape.chunks));
    start.bound_s.reset();
    start.proved_gap.reset();
    Climb climb(problem, std::move(start));
    const StageMap map = stage_map(kind, shape.devices, shape.chunks);
    change_recompute(climb, problem, control);
    shift_boundaries(climb, control);
    if (map.all_stages() > map.devices) {
        exchange_devices(climb, map, control);
        shift_boundaries(climb, control);
    }
    change_recompute(climb, problem, control);
    if (kind == ScheduleKind::eager) {
        Plan launched = climb.best();
        launched.launch_counts = counts_that_hide_delay(problem, launched);
        climb.offer(std::move(launched));
    }
    Plan result = climb.best();
    result.schedule = kind;
    return result;
}

Plan under_best_schedule(const Problem& problem, const Plan& plan, const Control& control)
{
    Plan best = plan;
    predict_fast(problem, best);
    for (const ScheduleEntry& entry : schedule_catalog()) {
        const ScheduleKind kind = entry.kind;
        // PipeDream-2BW computes with older weights: not the same training.
        if (is_searched(kind) || is_inference(kind) || kind == ScheduleKind::custom || kind == ScheduleKind::pipedream_2bw)
            continue;
        if (control.stop.stop_requested())
            break;
        try {
            Plan moved = rescheduled(problem, plan, kind, control);
            predict_fast(problem, moved);
            if (objective_value(problem, moved) < objective_value(problem, best) * (1 - 1e-9))
                best = std::move(moved);
        } catch (const Error&) {
            // the schedule cannot have that many stages or micro-batches
        }
    }
    return best;
}

}  // namespace nnpiper
