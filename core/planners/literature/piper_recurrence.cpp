// SPDX-License-Identifier: GPL-3.0-or-later
// piper (Tarnawski, Narayanan, Phanishayee, Piper, NeurIPS 2021) on chains:
//   dp(j, k, s) = min over i < j, t, d with d t <= k of max[ dp(i, k - d t, s - d), load(i..j; t, d, s) ]
// The paper tabulates every sum s of replica numbers; here a limit on the load is bisected and the least feasible sum
// takes the place of the table's third dimension, which gives the same minimum.
#include "core/planners/literature/piper_recurrence.h"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace nnpiper {

namespace {

std::size_t at(int i)
{
    return static_cast<std::size_t>(i);
}

class Solver {
public:
    Solver(const PiperCosts& costs, std::optional<int> stages, const Control& control)
        : costs_(costs)
        , control_(control)
        , layers_(costs.layers())
        , devices_(costs.devices())
        , fixed_(stages)
        , planes_(stages.value_or(0) + 1)
    {
        for (const auto& [t, d] : costs.shapes()) {
            const std::vector<int> alike = costs.alike(t, d);
            for (int p = 0; p + t * d <= devices_; ++p) {
                if (alike[at(p)] == p)
                    places_.push_back({t, d, {}});
                if (alike[at(p)] >= 0)
                    std::find_if(places_.begin(), places_.end(), [&](const Place& place) {
                        return place.tensor_parallel == t && place.replicas == d
                               && (place.positions.empty() ? p : place.positions.front()) == alike[at(p)];
                    })->positions.push_back(p);
            }
        }
        std::stable_sort(places_.begin(), places_.end(), [](const Place& a, const Place& b) {
            return a.tensor_parallel * a.replicas < b.tensor_parallel * b.replicas;
        });
    }

    PiperAnswer answer(double tolerance)
    {
        PiperAnswer best;
        // From a limit that no plan can keep upwards: tight limits are quick to refute.
        double low = 0;
        double high = std::numeric_limits<double>::infinity();
        for (const Place& place : places_) {
            const int p = place.positions.front();
            const double work = costs_.work_s({0, layers_, p, p + place.devices(), place.tensor_parallel});
            high = std::min(high, work * place.devices() / devices_);
        }
        for (int step = 0; step < 12 && high > 0 && best.stages.empty() && !control_.should_stop(); ++step) {
            if (feasible(high))
                best = collect();
            else
                low = high;
            high *= 2;
        }
        if (best.stages.empty() && feasible(std::numeric_limits<double>::infinity()))
            best = collect();
        while (best.bottleneck_s - low > tolerance * best.bottleneck_s && !control_.should_stop()) {
            const double middle = low + (best.bottleneck_s - low) / 2;
            if (!(middle > low && middle < best.bottleneck_s))
                break;  // no number lies between
            if (feasible(middle)) {
                const PiperAnswer found = collect();
                if (found.bottleneck_s >= best.bottleneck_s)
                    break;  // rounding
                best = found;
            } else if (!stopped_) {
                low = middle;
            }
        }
        return best;
    }

private:
    struct Choice {
        int end = 0;
        int tensor_parallel = 1;
        int replicas = 1;
    };
    /// A shape at positions where it costs the same.
    struct Place {
        int tensor_parallel = 1;
        int replicas = 1;
        std::vector<int> positions;

        int devices() const { return tensor_parallel * replicas; }
    };
    static constexpr int none = std::numeric_limits<int>::max() / 2;

    /// Stages left, first layer, first device.
    std::size_t index(int plane, int layer, int device) const
    {
        return (at(plane) * at(layers_ + 1) + at(layer)) * at(devices_ + 1) + at(device);
    }

    bool feasible(double limit_s)
    {
        stopped_ = false;
        sum_.assign(index(planes_ - 1, layers_, devices_) + 1, none);
        choice_.resize(sum_.size());
        for (int p = 0; p <= devices_; ++p)
            sum_[index(0, layers_, p)] = 0;
        for (int i = layers_ - 1; i >= 0; --i) {
            for (const Place& place : places_)
                extend(i, place, limit_s);
            if (control_.should_stop()) {
                stopped_ = true;
                return false;
            }
        }
        return sum_[index(planes_ - 1, 0, 0)] <= costs_.largest_sum();
    }

    /// Stages that begin with layer i at a place.
    void extend(int i, const Place& place, double limit_s)
    {
        const int d = place.replicas;
        const int n = place.devices();
        // The first layer stands on the first device, no other one does.
        const std::size_t skip = i > 0 && place.positions.front() == 0 ? 1 : 0;
        const std::size_t count = i == 0 ? (place.positions.front() == 0 ? 1 : 0) : place.positions.size();
        if (skip >= count)
            return;
        StageRun run{i, i, place.positions[skip], place.positions[skip] + n, place.tensor_parallel};
        for (run.end = i + 1; run.end <= layers_; ++run.end) {
            if (costs_.work_s(run) > limit_s)
                break;
            const int most = std::min(costs_.most_sum(run, limit_s), costs_.largest_sum());
            if (most < d)
                continue;
            for (int plane = fixed_ ? 1 : 0; plane < planes_; ++plane) {
                const int behind = fixed_ ? plane - 1 : 0;
                // As many stages as have layers behind this one and before it.
                if (fixed_ && (behind > layers_ - run.end || planes_ - 1 - plane > i))
                    continue;
                const int* rest = &sum_[index(behind, run.end, 0)];
                int* sum = &sum_[index(plane, i, 0)];
                Choice* choice = &choice_[index(plane, i, 0)];
                for (std::size_t k = skip; k < count; ++k) {
                    const int p = place.positions[k];
                    const int trial = d + rest[p + n];
                    if (trial <= most && trial < sum[p]) {
                        sum[p] = trial;
                        choice[p] = {run.end, place.tensor_parallel, d};
                    }
                }
            }
        }
    }

    PiperAnswer collect() const
    {
        PiperAnswer answer;
        int plane = planes_ - 1;
        int p = 0;
        for (int i = 0; i < layers_;) {
            const Choice& choice = choice_[index(plane, i, p)];
            const int to = p + choice.tensor_parallel * choice.replicas;
            const PiperStage stage{{i, choice.end, p, to, choice.tensor_parallel}, sum_[index(plane, i, p)]};
            answer.bottleneck_s = std::max(answer.bottleneck_s, costs_.load_s(stage.run, stage.sum));
            answer.stages.push_back(stage);
            i = choice.end;
            p = to;
            plane -= fixed_ ? 1 : 0;
        }
        return answer;
    }

    const PiperCosts& costs_;
    const Control& control_;
    int layers_;
    int devices_;
    std::optional<int> fixed_;
    int planes_;
    std::vector<Place> places_;
    std::vector<int> sum_;
    std::vector<Choice> choice_;
    bool stopped_ = false;
};

}  // namespace

PiperAnswer solve_piper(const PiperCosts& costs, std::optional<int> stages, double tolerance, const Control& control)
{
    return Solver(costs, stages, control).answer(tolerance);
}

}  // namespace nnpiper
