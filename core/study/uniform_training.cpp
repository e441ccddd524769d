// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/uniform_training.h"

#include "core/base/error.h"
#include "core/plan/stage_map.h"

#include <numeric>

namespace nnpiper {

namespace {

/// Blocks as equal as possible, the larger parts first; the embedding and the head come on top.
std::vector<int> equal_layers(int layers, int parts)
{
    const int blocks = layers - 2;
    if (blocks < parts)
        throw Error("layout", std::to_string(parts) + " parts of " + std::to_string(blocks) + " blocks are asked for",
                    "at most a part for each block is possible");
    std::vector<int> counts;
    for (int part = 0; part < parts; ++part)
        counts.push_back(blocks / parts + (part < blocks % parts ? 1 : 0));
    ++counts.front();
    ++counts.back();
    return counts;
}

}  // namespace

Cluster cluster_of(const UniformCluster& uniform)
{
    Cluster cluster;
    if (uniform.nodes > 1)
        cluster.switches.push_back({"switch", "Switch", 0});
    for (int n = 0; n < uniform.nodes; ++n) {
        Node node;
        node.id = "node" + std::to_string(n);
        node.interconnect_bytes_per_s = uniform.interconnect_bytes_per_s;
        node.interconnect_latency_s = uniform.interconnect_latency_s;
        node.host_bytes_per_s = uniform.network_bytes_per_s;
        cluster.nodes.push_back(node);
        for (int d = 0; d < uniform.devices_per_node; ++d) {
            Device device;
            device.id = node.id + "/gpu" + std::to_string(d);
            device.node = node.id;
            device.spec = uniform.device;
            cluster.devices.push_back(device);
        }
        if (uniform.nodes > 1) {
            Link link;
            link.id = "link" + std::to_string(n);
            link.from = node.id;
            link.to = "switch";
            link.bandwidth_bytes_per_s = uniform.node_network_bytes_per_s > 0
                                             ? uniform.node_network_bytes_per_s
                                             : uniform.network_bytes_per_s * uniform.devices_per_node;
            link.achieved_fraction = 1;
            link.latency_s = uniform.network_latency_s / 2;
            cluster.links.push_back(link);
        }
    }
    return cluster;
}

Plan plan_of(const UniformLayout& layout, const Cluster& cluster, int layers, int micro_batches)
{
    const int group = layout.data_parallel * layout.tensor_parallel;
    const auto devices = static_cast<std::size_t>(group) * static_cast<std::size_t>(layout.pipeline_parallel);
    if (cluster.devices.size() != devices)
        throw Error("layout",
                    "tensor x pipeline x data parallel is " + std::to_string(devices) + ", the cluster has "
                        + std::to_string(cluster.devices.size()) + " devices",
                    "both must be equal");
    const int parts = layout.pipeline_parallel * layout.chunks;
    const std::vector<int> counts = layout.layers.empty() ? equal_layers(layers, parts) : layout.layers;
    if (static_cast<int>(counts.size()) != parts || std::accumulate(counts.begin(), counts.end(), 0) != layers)
        throw Error("layout/layers",
                    std::to_string(counts.size()) + " parts with "
                        + std::to_string(std::accumulate(counts.begin(), counts.end(), 0)) + " layers are given",
                    std::to_string(parts) + " parts with " + std::to_string(layers) + " layers are expected");

    Plan plan;
    plan.planner = "given";
    plan.schedule = layout.schedule;
    plan.micro_batches = micro_batches;
    plan.chunks_per_device = layout.chunks;
    const StageMap map = stage_map(layout.schedule, layout.pipeline_parallel, layout.chunks);
    int layer = 0;
    for (int part = 0; part < parts; ++part) {
        Stage stage;
        stage.first_layer = layer;
        stage.end_layer = layer += counts[static_cast<std::size_t>(part)];
        stage.tensor_parallel = layout.tensor_parallel;
        stage.recompute = layout.recompute;
        const int first = map.device(part) * group;
        for (int d = first; d < first + group; ++d)
            stage.devices.push_back(cluster.devices[static_cast<std::size_t>(d)].id);
        plan.stages.push_back(std::move(stage));
    }
    return plan;
}

}  // namespace nnpiper
