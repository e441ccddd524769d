// SPDX-License-Identifier: GPL-3.0-or-later
// piper (Tarnawski, Narayanan, Phanishayee, Piper, NeurIPS 2021): the least largest load of a stage over splits,
// replicas, tensor-parallel degrees and recompute, within memory; recurrence and complexity in piper_recurrence.h. The
// load is
//   time + 2 (bytes in + bytes out) / (d beta) + 4 (d - 1) w / (d beta M)
// and the memory of a device ceil(s / d) A + B, with d replicas, s the sum of replica numbers from the stage on, w the
// gradient bytes, A the activations of a micro-batch's share and B the rest. The original assumes equal devices and one
// bandwidth, takes replicas that divide the batch, and chooses recompute layer by layer where a plan of ours has one
// policy a stage. With true costs: devices ordered by node and speed, the links at a stage's ends, its ring for
// gradients, shares by speed. Micro-batch size, which the paper does not choose, is settled by the simulator.
#include "core/planners/baselines.h"

#include "core/planners/literature/ordered_planner.h"
#include "core/planners/literature/piper_recurrence.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>

namespace nnpiper {

namespace {

class ProblemCosts : public PiperCosts {
public:
    /// One entry a recompute policy.
    explicit ProblemCosts(const std::vector<OrderedCosts>& policies)
        : policies_(policies)
        , published_(policies.front().links().view() == CostView::as_published)
    {
    }

    int layers() const override { return policies_.front().layers(); }
    int devices() const override { return policies_.front().devices(); }
    int largest_sum() const override { return std::numeric_limits<int>::max() / 4; }
    std::vector<std::pair<int, int>> shapes() const override
    {
        const OrderedCosts& any = policies_.front();
        std::vector<std::pair<int, int>> all;
        for (const int t : any.setting().degrees) {
            for (int d = 1; d <= any.most_replicas() && d * t <= devices(); ++d) {
                if (!published_ || any.samples() % d == 0)
                    all.emplace_back(t, d);
            }
        }
        return all;
    }

    std::vector<int> alike(int t, int d) const override
    {
        const OrderedCosts& any = policies_.front();
        std::vector<int> first(at(devices()), -1);
        for (int p = 0; p + t * d <= devices(); ++p) {
            if (!any.possible(p, p + t * d, t))
                continue;
            int& found = first[at(p)];
            for (int other = 0; other < p && found < 0; ++other) {
                if (first[at(other)] == other && same_costs(p, other, t, t * d))
                    found = other;
            }
            found = found < 0 ? p : found;
        }
        return first;
    }

    double work_s(const StageRun& run) const override { return priced(run).work_s; }

    double load_s(const StageRun& run, int sum) const override
    {
        double least = std::numeric_limits<double>::infinity();
        const Priced& price = priced(run);
        for (std::size_t c = 0; c < policies_.size(); ++c) {
            if (sum <= price.most_sum[c])
                least = std::min(least, price.load_s[c]);
        }
        return least;
    }

    int most_sum(const StageRun& run, double limit_s) const override
    {
        int most = 0;
        const Priced& price = priced(run);
        for (std::size_t c = 0; c < policies_.size(); ++c) {
            if (price.load_s[c] <= limit_s)
                most = std::max(most, price.most_sum[c]);
        }
        return most;
    }

    /// With the fastest policy that fits.
    Stage stage(const PiperStage& chosen) const
    {
        const double load = load_s(chosen.run, chosen.sum);
        const Priced& price = priced(chosen.run);
        std::size_t c = 0;
        while (c + 1 < policies_.size() && (chosen.sum > price.most_sum[c] || price.load_s[c] > load))
            ++c;
        return policies_[c].stage(chosen.run);
    }

private:
    /// A run by policy.
    struct Priced {
        double work_s = std::numeric_limits<double>::infinity();
        std::array<double, 3> load_s{};
        std::array<int, 3> most_sum{};
    };

    /// Asked for again under every limit, so it is kept.
    const Priced& priced(const StageRun& run) const
    {
        const auto& degrees = policies_.front().setting().degrees;
        const auto degree = std::find(degrees.begin(), degrees.end(), run.tensor_parallel) - degrees.begin();
        const std::size_t place =
            (static_cast<std::size_t>(degree) * at(policies_.front().most_replicas()) + at(run.replicas() - 1))
                * at(devices())
            + at(run.from);
        if (kept_.size() <= place * at(layers()))
            kept_.resize((place + 1) * at(layers()));
        std::vector<Priced>& row = kept_[place * at(layers()) + at(run.first)];
        while (row.size() < at(run.end - run.first)) {
            StageRun next = run;
            next.end = run.first + static_cast<int>(row.size()) + 1;
            Priced price;
            for (std::size_t c = 0; c < policies_.size(); ++c) {
                const double stage = policies_[c].stage_s(next);
                price.work_s = std::min(price.work_s, stage);
                price.load_s[c] = stage + around_s(policies_[c], next);
                price.most_sum[c] = next.replicas() * policies_[c].most_in_flight(next);
            }
            row.push_back(price);
        }
        return row[at(run.end - run.first - 1)];
    }

    /// Of runs of n devices at two positions, with the messages at their ends.
    bool same_costs(int a, int b, int t, int n) const
    {
        if (published_)
            return true;
        const auto same = [&](const OrderedCosts& costs) { return costs.same_run(a, b, a + n, t); };
        return (a == 0) == (b == 0) && (a + n == devices()) == (b + n == devices())
               && std::all_of(policies_.begin(), policies_.end(), same);
    }

    /// Messages and gradients, seconds a micro-batch.
    double around_s(const OrderedCosts& costs, const StageRun& run) const
    {
        const int d = run.replicas();
        if (published_) {
            const double bandwidth = costs.links().mean().bytes_per_s;
            const double bytes = (run.first > 0 ? costs.output_bytes(run.first) : 0)
                                 + (run.end < layers() ? costs.output_bytes(run.end) : 0);
            const double weights = costs.gradient_bytes(run.first, run.end, run.tensor_parallel);
            return 2 * bytes / (d * bandwidth) + 4 * (d - 1) * weights / (d * bandwidth * costs.micro_batches());
        }
        const auto message = [&](const BoundaryTime& time) {
            return (time.forward_occupancy_s + time.backward_occupancy_s) / run.devices() + time.forward_latency_s
                   + time.backward_latency_s;
        };
        double load = costs.sync_s(run) / costs.micro_batches();
        if (run.first > 0 && run.from > 0)
            load += message(costs.transfer_s(run.first, run.from - 1, run.from, run.to));
        if (run.end < layers() && run.to < devices())
            load += message(costs.transfer_s(run.end, run.from, run.to, run.to + 1));
        return load;
    }

    static std::size_t at(int i) { return static_cast<std::size_t>(i); }

    const std::vector<OrderedCosts>& policies_;
    bool published_;
    mutable std::vector<std::vector<Priced>> kept_;  ///< [degree][replicas - 1][from][first layer], by end
};

}  // namespace

Plan plan_piper(const Problem& problem, const PlanRequest& request, const Control& control)
{
    return plan_over_settings(problem, request, control, {.chooses_degree = true, .chooses_recompute = true},
                              [&](const std::vector<OrderedCosts>& policies, const Control& limited) {
                                  const ProblemCosts costs(policies);
                                  std::vector<Stage> stages;
                                  for (const PiperStage& stage :
                                       solve_piper(costs, problem.stages, 1e-4, limited).stages)
                                      stages.push_back(costs.stage(stage));
                                  return stages;
                              });
}

}  // namespace nnpiper
