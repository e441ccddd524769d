// SPDX-License-Identifier: GPL-3.0-or-later
// For every micro-batch size that is open and every number of stages a PipelineDual bounds the
// makespan; the least of them holds for the problem. The one that is least is improved until it is not or time is spent:
// the others cannot raise the minimum. Replicas and tensor-parallel groups are covered since p(l,d) is the least
// device-seconds of a layer over all shares, degrees and policies: a replica's time is linear between the sizes that are priced and
// proportional below, so that the time of one sample is least at one of them.
// Cost: a plan pays for all its devices the whole iteration, so at least the S cheapest ones, and at least for every
// device's own work.
#include "core/planners/bounds/lower_bound.h"

#include "core/planners/bounds/least_costs.h"
#include "core/planners/bounds/pipeline_dual.h"
#include "core/planners/literature/ordered_links.h"
#include "core/planners/planner.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <list>

namespace nnpiper {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double most_work = 3e6;       // multiply-adds
constexpr int steps_at_once = 10;

std::size_t at(int index)
{
    return static_cast<std::size_t>(index);
}

bool is_covered(ScheduleKind schedule)
{
    return schedule != ScheduleKind::pipedream_2bw && schedule != ScheduleKind::prefill
           && schedule != ScheduleKind::decode;
}

/// Least time of the slowest device's optimizer.
double least_update_s(const Problem& problem, const std::vector<int>& devices)
{
    if (problem.optimizer_s.empty() || !problem.sharded_bytes.empty())
        return 0;
    double sum = 0, largest = 0;
    for (int l = 0; l < problem.layers(); ++l) {
        double held = 1;
        for (const Variant& variant : problem.variants)
            held = std::min(held, problem.held_share(l, variant.tensor_parallel));
        double least = infinite;
        for (const int d : devices)
            least = std::min(least, held * problem.optimizer_s(l, d));
        sum += least;
        largest = std::max(largest, least);
    }
    return std::max(largest, sum / static_cast<double>(devices.size()));
}

/// One number of stages and size of plan.
struct Part {
    PipelineDual dual;
    double samples = 1;
    double dollars_per_s = 0;    ///< of as many cheapest devices
    double least_dollars = 0;    ///< of all layers where their work is cheapest
};

class Bounding {
public:
    explicit Bounding(const Problem& problem)
        : problem_(problem), devices_(given_order(problem)), forward_(forward_part(problem))
    {
        step_s_ = least_update_s(problem, devices_) + problem.fixed_step_s;
    }

    void add(ScheduleKind schedule)
    {
        const int most = std::min(static_cast<int>(devices_.size()), problem_.layers());
        for (const PlanSize& size : open_sizes(problem_)) {
            const LeastCosts& costs = costs_.emplace_back(least_costs(problem_, size, schedule));
            const int last = std::min(most, problem_.stages.value_or(most));
            for (int stages = problem_.stages.value_or(1); stages <= last; ++stages)
                parts_.push_back({PipelineDual(costs, stages,
                                               schedule_rules(forward_, schedule, stages, size.micro_batches)),
                                  static_cast<double>(size.samples) * size.micro_batches, dollars_per_s(stages),
                                  least_dollars(costs)});
        }
    }

    double value(const Part& part) const
    {
        const double iteration = part.dual.bound() + step_s_;
        if (problem_.objective == Objective::latency)
            return iteration;
        if (problem_.objective == Objective::throughput)
            return iteration / part.samples;
        return std::max(part.dollars_per_s * iteration, part.least_dollars) / part.samples;
    }

    /// Raises the least part while that may help.
    ObjectiveBound best()
    {
        ObjectiveBound bound;
        const auto by_value = [&](const Part& a, const Part& b) { return value(a) < value(b); };
        for (double work = 0; !parts_.empty() && work < most_work;) {
            Part& part = *std::min_element(parts_.begin(), parts_.end(), by_value);
            if (!part.dual.open())
                break;
            const double before = part.dual.work();
            part.dual.improve(steps_at_once);
            work += part.dual.work() - before + 1e3;
        }
        bound.objective = infinite;
        bound.makespan_s = infinite;
        for (const Part& part : parts_) {
            bound.objective = std::min(bound.objective, value(part));
            bound.makespan_s = std::min(bound.makespan_s, part.dual.bound());
        }
        return bound;
    }

private:
    double price(int device) const { return problem_.device_price_per_h[at(device)] / 3600; }

    double dollars_per_s(int stages) const
    {
        if (problem_.objective != Objective::cost)
            return 0;
        std::vector<double> prices;
        for (const int d : devices_)
            prices.push_back(price(d));
        std::sort(prices.begin(), prices.end());
        double sum = 0;
        for (int s = 0; s < stages && at(s) < prices.size(); ++s)
            sum += prices[at(s)];
        return sum;
    }

    double least_dollars(const LeastCosts& costs) const
    {
        if (problem_.objective != Objective::cost)
            return 0;
        double sum = 0;
        for (int r = 0; r < costs.rows(); ++r) {
            double least = infinite;
            for (std::size_t i = 0; i < devices_.size(); ++i)
                least = std::min(least, price(devices_[i]) * costs.row(r)[i]);
            sum += costs.count[at(r)] * least;
        }
        return sum * costs.micro_batches * (1 - 1e-9);
    }

    const Problem& problem_;
    std::vector<int> devices_;
    ForwardPart forward_;
    double step_s_ = 0;
    std::list<LeastCosts> costs_;
    std::vector<Part> parts_;
};

bool prices_known(const Problem& problem)
{
    return problem.device_price_per_h.size() == problem.device_ids.size()
           && std::all_of(problem.device_price_per_h.begin(), problem.device_price_per_h.end(),
                          [](double price) { return price >= 0; });
}

}  // namespace

std::optional<ObjectiveBound> objective_bound(const Problem& problem)
{
    std::vector<ScheduleKind> schedules{ScheduleKind::one_f_one_b, ScheduleKind::gpipe};
    if (problem.schedule)
        schedules = {*problem.schedule};
    if (!is_covered(schedules.front()) || (problem.objective == Objective::cost && !prices_known(problem)))
        return std::nullopt;
    Bounding bounding(problem);
    for (const ScheduleKind schedule : schedules)
        bounding.add(schedule);
    ObjectiveBound bound = bounding.best();
    bound.schedules = schedules;
    return bound;
}

std::optional<double> proved_gap(const Problem& problem, const Plan& plan, const ObjectiveBound& bound)
{
    const bool covered =
        std::find(bound.schedules.begin(), bound.schedules.end(), plan.schedule) != bound.schedules.end()
        && plan.launch_counts.empty();
    const double value = objective_value(problem, plan);
    if (!covered || !std::isfinite(value) || !(bound.objective > 0))
        return std::nullopt;
    return std::max(0.0, value / bound.objective - 1);
}

}  // namespace nnpiper
