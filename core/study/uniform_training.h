// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/cluster/cluster.h"
#include "core/plan/plan.h"

#include <optional>
#include <vector>

namespace nnpiper {

/// Equal nodes of equal devices behind one switch. Bytes a second are effective and per direction.
struct UniformCluster {
    DeviceSpec device;
    int devices_per_node = 8;
    int nodes = 1;
    double interconnect_bytes_per_s = 24e9;  ///< between two devices of a node
    double interconnect_latency_s = 6e-6;
    double network_bytes_per_s = 12.5e9;  ///< between a device and another node
    double node_network_bytes_per_s =
        0;  ///< of all devices of a node together; 0: each has network_bytes_per_s to itself
    double network_latency_s = 10e-6;
};

Cluster cluster_of(const UniformCluster& uniform);

/// Tensor, pipeline and data parallel degrees, as Megatron-LM ranks them: device s d t + r t + i is rank i of the
/// tensor-parallel group of replica r of stage s (Narayanan et al. 2021).
struct UniformLayout {
    ScheduleKind schedule = ScheduleKind::one_f_one_b;
    int tensor_parallel = 1;
    int pipeline_parallel = 1;
    int data_parallel = 1;
    int chunks = 1;           ///< per device
    std::vector<int> layers;  ///< of each stage and chunk in model order; empty: blocks as equal as possible
    Recompute recompute = Recompute::none;
};

/// The plan on the cluster's devices for a model of `layers` layers, of which the first is the embedding and the last
/// the output head. Throws Error when devices or layers do not suffice.
Plan plan_of(const UniformLayout& layout, const Cluster& cluster, int layers, int micro_batches);

}  // namespace nnpiper
