// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planners/groups/group_starts.h"

#include "core/planners/groups/units.h"
#include "core/schedule/schedule.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>

namespace nnpiper {

namespace {

/// Of a range of periods; the widest that doubles hold needs half as many.
constexpr int most_halvings = 40;

std::size_t at(int i)
{
    return static_cast<std::size_t>(i);
}

/// One stage of a cut: how long layers take it and whether it can hold them.
class Holder {
public:
    Holder(GroupEvaluator& evaluator, const GroupChain& chain, int s)
        : times_(evaluator.times())
        , problem_(evaluator.problem())
        , stage_(chain.stages[at(s)])
        , kind_(times_.kind(stage_.tensor_parallel, stage_.recompute))
        , in_flight_(peak_in_flight(evaluator.setting().schedule, chain.size(), evaluator.setting().micro_batches, s))
    {
        // Per distinct (share, device) pair one look is enough, but groups are small.
        for (std::size_t i = 0; i < stage_.devices.size(); ++i) {
            const int share = stage_.shares[i / at(stage_.tensor_parallel)];
            const double part = static_cast<double>(share) / times_.samples();
            room_.push_back({stage_.devices[i], share, part, problem_.device_memory_bytes[at(stage_.devices[i])]});
        }
    }

    double seconds(int first, int end)
    {
        double slowest = 0;
        for (const Member& m : room_)
            slowest = std::max(slowest, times_.forward(kind_, m.share, m.device, first, end)
                                            + times_.backward(kind_, m.share, m.device, first, end));
        return slowest;
    }

    bool holds(int first, int end) const
    {
        const double state =
            times_.whole_state(kind_, first, end) + times_.sharded_state(kind_, first, end) / stage_.replicas();
        const double carried = in_flight_ * times_.stored(kind_, first, end) + times_.transient(kind_, first, end);
        return std::all_of(room_.begin(), room_.end(),
                           [&](const Member& m) { return state + m.part * carried <= m.capacity * (1 + 1e-12); });
    }

private:
    struct Member {
        int device;
        int share;
        double part;
        double capacity;
    };
    GroupTimes& times_;
    const Problem& problem_;
    const GroupStage& stage_;
    int kind_;
    int in_flight_;
    std::vector<Member> room_;
};

/// Ends for the period; false when the layers do not fit.
bool fill(std::vector<Holder>& holders, int layers, double period, bool by_memory, std::vector<int>& ends)
{
    const int stages = static_cast<int>(holders.size());
    int first = 0;
    for (int s = 0; s < stages; ++s) {
        const int most = layers - (stages - s - 1);
        int end = first + 1;
        const auto ok = [&](int e) {
            return holders[at(s)].seconds(first, e) <= period && (!by_memory || holders[at(s)].holds(first, e));
        };
        if (!ok(end))
            return false;
        // Times and, but for the boundary's buffers, memory grow with the end.
        int low = end, high = most;
        while (low < high) {
            const int middle = (low + high + 1) / 2;
            if (ok(middle))
                low = middle;
            else
                high = middle - 1;
        }
        end = low;
        ends[at(s)] = end;
        first = end;
    }
    return first == layers;
}

}  // namespace

bool cut_layers(GroupEvaluator& evaluator, GroupChain& chain)
{
    const int layers = evaluator.times().layers();
    for (GroupStage& stage : chain.stages) {
        stage.end = layers;
        evaluator.balance(stage, 0);
    }
    std::vector<Holder> holders;
    double rate = 0, longest = 0;
    for (int s = 0; s < chain.size(); ++s) {
        holders.emplace_back(evaluator, chain, s);
        const double whole = holders.back().seconds(0, layers);
        rate += 1 / std::max(1e-300, whole);
        longest = std::max(longest, whole);
    }
    std::vector<int> ends(chain.stages.size());
    std::vector<int> best;
    for (const bool by_memory : {true, false}) {
        if (!fill(holders, layers, longest, by_memory, ends))
            continue;
        best = ends;
        double low = 1 / rate, high = longest;
        for (int step = 0; step < most_halvings && high > low * 1.01; ++step) {
            const double middle = std::sqrt(low) * std::sqrt(high);
            if (fill(holders, layers, middle, by_memory, ends)) {
                best = ends;
                high = middle;
            } else {
                low = middle;
            }
        }
        for (int s = 0; s < chain.size(); ++s)
            chain.stages[at(s)].end = best[at(s)];
        return by_memory;
    }
    // More stages than the period can fill evenly: as even as whole layers allow.
    for (int s = 0; s < chain.size(); ++s)
        chain.stages[at(s)].end = layers * (s + 1) / chain.size();
    return false;
}

namespace {

using Unit = std::vector<int>;
using Shape = std::vector<std::vector<Unit>>;  ///< [stage][group]

/// Ways to put groups of one size on stages.
class Shapes {
public:
    Shapes(const Problem& problem, std::vector<Unit> units, const std::vector<double>& speed, int most_replicas)
        : problem_(problem)
        , most_replicas_(most_replicas)
    {
        std::stable_sort(units.begin(), units.end(),
                         [&](const Unit& a, const Unit& b) { return speed[at(a.front())] > speed[at(b.front())]; });
        add(units, {static_cast<int>(units.size())});
        std::vector<Unit> by_node;
        for (const auto& names : {&problem.device_nodes, &problem.device_types}) {
            const auto parts = parted(units, *names);
            Shape shape;
            for (const auto& [name, part] : parts)
                shape.push_back(part);
            std::stable_sort(shape.begin(), shape.end(), [&](const auto& a, const auto& b) {
                return speed[at(a.front().front())] > speed[at(b.front().front())];
            });
            offer(shape);
            if (by_node.empty()) {
                for (const auto& part : shape)
                    by_node.insert(by_node.end(), part.begin(), part.end());
            }
        }
        const int count = static_cast<int>(units.size());
        for (int stages = 2; stages <= std::min(count, problem.layers()); ++stages) {
            // Beyond eight stages only where the groups divide evenly or all are used alone.
            if (problem.stages.value_or(stages) != stages || (stages > 8 && count % stages != 0 && !problem.stages))
                continue;
            std::vector<int> sizes;
            for (int s = 0; s < stages; ++s)
                sizes.push_back(count / stages + (s < count % stages ? 1 : 0));
            add(units, sizes);
            add(by_node, sizes);
        }
    }

    const std::set<Shape>& all() const { return shapes_; }

private:
    static std::map<std::string, std::vector<Unit>> parted(const std::vector<Unit>& units,
                                                           const std::vector<std::string>& names)
    {
        std::map<std::string, std::vector<Unit>> parts;
        for (const Unit& unit : units)
            parts[names[at(unit.front())]].push_back(unit);
        return parts;
    }

    void add(const std::vector<Unit>& units, const std::vector<int>& sizes)
    {
        Shape shape;
        std::size_t next = 0;
        for (const int size : sizes) {
            shape.emplace_back(units.begin() + static_cast<std::ptrdiff_t>(next),
                               units.begin() + static_cast<std::ptrdiff_t>(next + at(size)));
            next += at(size);
        }
        offer(shape);
    }

    /// And the other way round; what exceeds the replicas that a stage may have stays idle.
    void offer(Shape shape)
    {
        const int stages = static_cast<int>(shape.size());
        if (stages == 0 || stages > problem_.layers() || problem_.stages.value_or(stages) != stages)
            return;
        for (auto& stage : shape) {
            if (stage.size() > at(most_replicas_))
                stage.resize(at(most_replicas_));
        }
        shapes_.insert(shape);
        std::reverse(shape.begin(), shape.end());
        shapes_.insert(std::move(shape));
    }

    const Problem& problem_;
    int most_replicas_;
    std::set<Shape> shapes_;
};

}  // namespace

std::vector<ScoredGroups> plain_groups(GroupEvaluator& evaluator, std::size_t keep, const Control& control)
{
    const Problem& problem = evaluator.problem();
    GroupTimes& times = evaluator.times();
    const int most_replicas = problem.replicas_allowed() ? times.samples() : 1;
    std::vector<double> speed;
    for (int d = 0; d < problem.devices(); ++d)
        speed.push_back(1 / std::max(1e-300, times.forward(0, times.samples(), d, 0, times.layers())));
    std::vector<ScoredGroups> found;
    for (const int degree : times.degrees()) {
        const auto units = tensor_units(problem, degree);
        if (units.empty())
            continue;
        const Shapes shapes(problem, units, speed, most_replicas);
        for (const Shape& shape : shapes.all()) {
            for (const Recompute policy : times.policies()) {
                if (!found.empty() && control.should_stop())
                    break;
                ScoredGroups candidate;
                for (const auto& groups : shape) {
                    GroupStage& stage = candidate.chain.stages.emplace_back();
                    for (const Unit& unit : groups)
                        stage.devices.insert(stage.devices.end(), unit.begin(), unit.end());
                    stage.tensor_parallel = degree;
                    stage.recompute = policy;
                }
                cut_layers(evaluator, candidate.chain);
                candidate.score = evaluator.price(candidate.chain).score();
                found.push_back(std::move(candidate));
            }
        }
    }
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.score < b.score; });
    if (found.size() > keep)
        found.resize(keep);
    return found;
}

}  // namespace nnpiper
