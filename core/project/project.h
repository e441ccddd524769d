// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/cluster/cluster.h"
#include "core/cluster/container.h"
#include "core/model/model.h"
#include "core/plan/plan.h"
#include "core/project/profile.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace nnpiper {

/// How the model is trained.
struct Job {
    int global_batch = 64;                      ///< samples an optimizer step
    std::optional<int> micro_batch;             ///< samples; empty lets the planner choose
    std::string precision = "bf16";             ///< of matrix work; "fp32" "tf32" "fp16" "bf16" "fp8"
    std::string optimizer = "adam";             ///< "adam" 16 bytes a parameter, "adam-fp32-grads" 18, "sgd" 8
    bool flash_attention = true;
    std::optional<Recompute> recompute = Recompute::none;  ///< empty: the planner may choose
    std::optional<int> tensor_parallel = 1;     ///< devices that share every layer of a stage; empty: the planner may choose
    bool blocking_transfers = false;            ///< a device waits until its message has been sent; else transfers run beside the work
    bool sequence_parallel = false;             ///< tensor-parallel groups split norms and dropout along the sequence too
    bool expert_parallel = false;               ///< tensor-parallel groups spread whole experts instead of slicing each
    int zero_stage = 0;                         ///< 1: replicas share out master weights and moments (distributed optimizer)
    std::optional<ScheduleKind> schedule = ScheduleKind::one_f_one_b;
    std::optional<int> stages;                  ///< empty lets the planner choose
    Objective objective = Objective::throughput;
    double fixed_step_s = 0;                    ///< per optimizer step, e.g. data loading
    std::vector<Lock> locks;

    bool operator==(const Job&) const = default;
};

/// Where an element stands on the canvas, in scene units (1 = a pixel at 100 %); nodes have a size. A container's place
/// counts while nothing is inside it; else it stands around what it holds.
struct Placement {
    double x = 0;
    double y = 0;
    double width = 0;
    double height = 0;
    bool collapsed = false;   ///< a node or container drawn as one card

    bool operator==(const Placement&) const = default;
};

/// The document.
struct Project {
    std::string name;
    std::string description;
    std::vector<std::string> assumptions;       ///< what the author assumed, one sentence each
    Model model;
    Cluster cluster;
    Job job;
    Profile profile;                            ///< measured layer times; they win over the cost model
    std::map<std::string, Placement> layout;    ///< by element id
    std::vector<Plan> plans;                    ///< kept plans
    std::vector<DeviceSpec> device_types;       ///< of this project's own, beside the catalogue
    std::vector<Container> containers;          ///< racks and sites of the drawing

    bool operator==(const Project& other) const;  ///< everything but the kept plans' figures
};

}  // namespace nnpiper
