// SPDX-License-Identifier: GPL-3.0-or-later
// Every plan of a tiny problem, priced by the simulator: the truth that planners and bounds are held to.
#pragma once

#include "core/planners/planner.h"
#include "core/plan/stage_map.h"
#include "core/problem/pipeline.h"
#include "core/schedule/schedule.h"
#include "core/simulator/evaluator.h"
#include "core/simulator/simulate.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <vector>

/// Calls `use` with the ends of every cut of `layers` layers into `stages` stages.
inline void each_cut(int layers, int stages, const std::function<void(const std::vector<int>&)>& use)
{
    std::vector<int> ends;
    const std::function<void(int)> choose = [&](int from) {
        if (static_cast<int>(ends.size()) == stages - 1) {
            ends.push_back(layers);
            use(ends);
            ends.pop_back();
            return;
        }
        for (int end = from; end < layers; ++end) {
            ends.push_back(end);
            choose(end + 1);
            ends.pop_back();
        }
    };
    choose(1);
}

/// Calls `use` with every sequence of `count` different devices of `devices`.
inline void each_order(int devices, int count, const std::function<void(const std::vector<int>&)>& use)
{
    std::vector<int> order(static_cast<std::size_t>(devices));
    std::iota(order.begin(), order.end(), 0);
    do {
        use({order.begin(), order.begin() + count});
        std::reverse(order.begin() + count, order.end());  // skip permutations of the idle rest
    } while (std::next_permutation(order.begin(), order.end()));
}

inline nnpiper::Stage one_device(const nnpiper::Problem& problem, int device, int first, int end)
{
    nnpiper::Stage stage;
    stage.devices = {problem.device_ids[static_cast<std::size_t>(device)]};
    stage.first_layer = first;
    stage.end_layer = end;
    return stage;
}

/// The best plan of S single-device stages under 1F1B or GPipe on a raw problem without transient bytes and buffers;
/// empty stages when none fits. Costs are laid out here, so that nothing of the planners is used.
inline nnpiper::Plan best_chain(const nnpiper::Problem& problem, int stages,
                                nnpiper::ScheduleKind kind = nnpiper::ScheduleKind::one_f_one_b)
{
    using namespace nnpiper;
    const auto at = [](int i) { return static_cast<std::size_t>(i); };
    const Variant& v = problem.variants[0];
    const auto n = at(stages);
    std::vector<double> f(n), b(n), forth(n), forth_latency(n), back(n), back_latency(n);
    const StageCosts views{stages,      f.data(),    b.data(), forth.data(), forth_latency.data(), back.data(),
                           back_latency.data()};
    Evaluator evaluator(stages);
    double least = std::numeric_limits<double>::infinity();
    std::vector<int> best_order, best_ends;
    each_order(problem.devices(), stages, [&](const std::vector<int>& order) {
        each_cut(problem.layers(), stages, [&](const std::vector<int>& ends) {
            int first = 0;
            for (int s = 0; s < stages; ++s) {
                const int d = order[at(s)], end = ends[at(s)];
                const int held = kind == ScheduleKind::gpipe ? v.micro_batches : std::min(v.micro_batches, stages - s);
                double bytes = 0;
                f[at(s)] = b[at(s)] = 0;
                for (int l = first; l < end; ++l) {
                    f[at(s)] += v.forward_s(l, d);
                    b[at(s)] += v.backward_input_s(l, d) + v.backward_weight_s(l, d);
                    bytes += problem.state_bytes[at(l)] + held * v.stored_bytes[at(l)];
                }
                if (bytes > problem.device_memory_bytes[at(d)])
                    return;
                if (s + 1 < stages) {
                    const int next = order[at(s + 1)];
                    const double out = v.output_bytes[at(end - 1)];
                    if (problem.bandwidth_bytes_per_s(d, next) <= 0 || problem.bandwidth_bytes_per_s(next, d) <= 0)
                        return;
                    forth[at(s)] = out / problem.bandwidth_bytes_per_s(d, next);
                    back[at(s)] = out / problem.bandwidth_bytes_per_s(next, d);
                    forth_latency[at(s)] = problem.latency_s(d, next);
                    back_latency[at(s)] = problem.latency_s(next, d);
                }
                first = end;
            }
            const double makespan = evaluator.makespan(kind, views, v.micro_batches);
            if (makespan < least) {
                least = makespan;
                best_order = order;
                best_ends = ends;
            }
        });
    });
    Plan plan;
    plan.schedule = kind;
    plan.micro_batches = v.micro_batches;
    for (std::size_t s = 0; s < best_order.size(); ++s)
        plan.stages.push_back(one_device(problem, best_order[s], s == 0 ? 0 : best_ends[s - 1], best_ends[s]));
    if (!plan.stages.empty())
        predict(problem, plan);
    return plan;
}

/// Least objective over every plan of single-device stages (of V chunks, where the schedule has them) under any schedule.
inline double best_single_device_objective(const nnpiper::Problem& problem, nnpiper::ScheduleKind kind)
{
    using namespace nnpiper;
    double least = std::numeric_limits<double>::infinity();
    const int chunks = default_chunks(kind);
    for (int groups = problem.stages.value_or(1); groups <= problem.stages.value_or(problem.devices()); ++groups) {
        if (groups * chunks > problem.layers())
            continue;
        StageMap map;
        try {
            map = stage_map(kind, groups, chunks);
        } catch (const std::exception&) {
            continue;
        }
        each_order(problem.devices(), groups, [&](const std::vector<int>& order) {
            each_cut(problem.layers(), map.stages, [&](const std::vector<int>& ends) {
                Plan plan;
                plan.schedule = kind;
                plan.chunks_per_device = chunks;
                plan.micro_batches = problem.variants[0].micro_batches;
                for (int s = 0; s < map.stages; ++s) {
                    plan.stages.push_back(one_device(problem, order[static_cast<std::size_t>(map.device(s))],
                                                     s == 0 ? 0 : ends[static_cast<std::size_t>(s - 1)],
                                                     ends[static_cast<std::size_t>(s)]));
                }
                predict(problem, plan);
                least = std::min(least, objective_value(problem, plan));
            });
        });
    }
    return least;
}

/// Least objective over every plan of the problem under `kind`: groups of devices with any degree, integer shares, sizes
/// and policies that the problem prices.
inline double best_objective(const nnpiper::Problem& problem, nnpiper::ScheduleKind kind)
{
    using namespace nnpiper;
    double least = std::numeric_limits<double>::infinity();
    const int devices = problem.devices();
    Plan plan;
    plan.schedule = kind;
    int samples = 1;
    const auto price = [&] {
        predict(problem, plan);
        least = std::min(least, objective_value(problem, plan));
    };
    const std::function<void(std::size_t)> choose_inside = [&](std::size_t s) {
        if (s == plan.stages.size()) {
            price();
            return;
        }
        Stage& stage = plan.stages[s];
        for (const Variant& variant : problem.variants) {
            const auto t = static_cast<std::size_t>(variant.tensor_parallel);
            if (variant.micro_batch_samples != samples || stage.devices.size() % t != 0)
                continue;
            stage.tensor_parallel = variant.tensor_parallel;
            stage.recompute = variant.recompute;
            const int replicas = static_cast<int>(stage.devices.size() / t);
            if (replicas > samples)
                continue;
            if (replicas == 1) {
                stage.shares.clear();
                choose_inside(s + 1);
                continue;
            }
            each_cut(samples, replicas, [&](const std::vector<int>& ends) {
                stage.shares.clear();
                for (std::size_t r = 0; r < ends.size(); ++r)
                    stage.shares.push_back(ends[r] - (r == 0 ? 0 : ends[r - 1]));
                choose_inside(s + 1);
            });
        }
    };
    std::vector<int> sizes;
    for (const Variant& variant : problem.variants) {
        if (std::find(sizes.begin(), sizes.end(), variant.micro_batch_samples) != sizes.end())
            continue;
        sizes.push_back(variant.micro_batch_samples);
        samples = variant.micro_batch_samples;
        plan.micro_batches = variant.micro_batches;
        const int most = std::min(devices, problem.layers());
        for (int stages = problem.stages.value_or(1); stages <= problem.stages.value_or(most); ++stages) {
            const int ways = static_cast<int>(std::lround(std::pow(stages + 1, devices)));
            each_cut(problem.layers(), stages, [&](const std::vector<int>& ends) {
                for (int way = 0; way < ways; ++way) {
                    plan.stages.assign(static_cast<std::size_t>(stages), {});
                    for (int d = 0, rest = way; d < devices; ++d, rest /= stages + 1) {
                        if (const int s = rest % (stages + 1); s < stages)
                            plan.stages[static_cast<std::size_t>(s)].devices.push_back(
                                problem.device_ids[static_cast<std::size_t>(d)]);
                    }
                    for (int s = 0; s < stages; ++s) {
                        plan.stages[static_cast<std::size_t>(s)].first_layer = s == 0 ? 0 : ends[static_cast<std::size_t>(s - 1)];
                        plan.stages[static_cast<std::size_t>(s)].end_layer = ends[static_cast<std::size_t>(s)];
                    }
                    if (std::none_of(plan.stages.begin(), plan.stages.end(),
                                     [](const Stage& stage) { return stage.devices.empty(); }))
                        choose_inside(0);
                }
            });
        }
    }
    return least;
}
