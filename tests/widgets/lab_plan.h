// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/simulator/simulate.h"
#include "widgets/results/solved_plan.h"

#include <cmath>
#include <memory>
#include <string>
#include <vector>

namespace nnpiper {

/// Three machines (2 A100, 3 RTX 3090, 2 V100) and a chain of equal layers between an embedding and a head.
inline std::shared_ptr<Problem> labProblem(int layers = 34, int microBatches = 9)
{
    auto problem = std::make_shared<Problem>();
    problem->name = "lab";
    struct Card {
        const char* id;
        const char* type;
        const char* node;
        double memory;
        double forwardS;
    };
    const Card cards[] = {{"node-a/gpu0", "A100 SXM 80 GB", "node-a", 80e9, 1.7e-3},
                          {"node-a/gpu1", "A100 SXM 80 GB", "node-a", 80e9, 1.7e-3},
                          {"node-b/gpu0", "GeForce RTX 3090", "node-b", 24e9, 2.4e-3},
                          {"node-b/gpu1", "GeForce RTX 3090", "node-b", 24e9, 2.4e-3},
                          {"node-b/gpu2", "GeForce RTX 3090", "node-b", 24e9, 2.4e-3},
                          {"node-c/gpu0", "Tesla V100 32 GB", "node-c", 32e9, 4.8e-3},
                          {"node-c/gpu1", "Tesla V100 32 GB", "node-c", 32e9, 4.5e-3}};
    for (int l = 0; l < layers; ++l)
        problem->layer_names.push_back(l == 0            ? "embedding"
                                       : l == layers - 1 ? "head"
                                                         : "block " + std::to_string(l - 1));
    Variant variant;
    variant.micro_batch_samples = 4;
    variant.micro_batches = microBatches;
    const int count = static_cast<int>(std::size(cards));
    variant.forward_s = Matrix(layers, count);
    variant.backward_input_s = Matrix(layers, count);
    variant.backward_weight_s = Matrix(layers, count);
    problem->bandwidth_bytes_per_s = Matrix(count, count);
    problem->latency_s = Matrix(count, count);
    for (int d = 0; d < count; ++d) {
        const Card& card = cards[d];
        problem->device_ids.emplace_back(card.id);
        problem->device_types.emplace_back(card.type);
        problem->device_nodes.emplace_back(card.node);
        problem->device_memory_bytes.push_back(card.memory);
        problem->device_price_per_h.push_back(std::nan(""));
        for (int l = 0; l < layers; ++l) {
            variant.forward_s(l, d) = card.forwardS;
            variant.backward_input_s(l, d) = card.forwardS;
            variant.backward_weight_s(l, d) = card.forwardS;
        }
        for (int e = 0; e < count; ++e) {
            const bool same = std::string(card.node) == cards[e].node;
            problem->bandwidth_bytes_per_s(d, e) = d == e ? 0 : same ? 24e9 : 1.1e9;
            problem->latency_s(d, e) = d == e ? 0 : same ? 6e-6 : 4e-5;
        }
    }
    const auto n = static_cast<std::size_t>(layers);
    variant.stored_bytes.assign(n, 0.21e9);
    variant.transient_bytes.assign(n, 0.4e9);
    variant.output_bytes.assign(n, 16.8e6);
    variant.buffer_bytes.assign(n, 67e6);
    problem->state_bytes.assign(n, 1.6e9);
    problem->gradient_bytes.assign(n, 0.2e9);
    problem->variants.push_back(std::move(variant));
    return problem;
}

/// Stages on the first devices of `devices` with ends at `ends`.
inline Plan labPlan(const Problem& problem, const std::vector<int>& ends, const std::vector<int>& devices)
{
    Plan plan;
    plan.planner = "nn-piper";
    plan.micro_batches = problem.variants.front().micro_batches;
    int first = 0;
    for (std::size_t s = 0; s < ends.size(); ++s) {
        Stage stage;
        stage.devices = {problem.device_ids[static_cast<std::size_t>(devices[s])]};
        stage.first_layer = first;
        stage.end_layer = first = ends[s];
        plan.stages.push_back(stage);
    }
    plan.planning_time_ms = 14;
    predict(problem, plan);
    return plan;
}

inline std::shared_ptr<const SolvedPlan> solved(std::shared_ptr<const Problem> problem, const Plan& plan)
{
    auto result = std::make_shared<SolvedPlan>();
    result->problem = std::move(problem);
    result->plan = plan;
    result->timeline = simulate(*result->problem, plan);
    return result;
}

/// Six stages that leave one 3090 out.
inline std::shared_ptr<const SolvedPlan> labSolved(int microBatches = 9)
{
    const auto problem = labProblem(34, microBatches);
    return solved(problem, labPlan(*problem, {8, 16, 22, 28, 31, 34}, {0, 1, 2, 3, 5, 6}));
}

}  // namespace nnpiper
