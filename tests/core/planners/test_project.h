// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/project/project.h"

#include <string>

/// Nodes of `devices_per_node` equal devices each, slower from node to node, all nodes behind one switch; a GPT of
/// eight heads. Micro-batch, recompute and tensor-parallel degree are free.
inline nnpiper::Project small_project(int nodes, int devices_per_node, int blocks)
{
    using namespace nnpiper;
    Project project;
    Architecture& a = project.model.architecture;
    a.family = Family::gpt2;
    a.hidden = 512;
    a.blocks = blocks;
    a.heads = a.key_value_heads = 8;
    a.head_dim = 64;
    a.feed_forward = 2048;
    a.vocabulary = 4000;
    a.positions = 128;
    project.model.sequence_length = 128;
    project.cluster.switches.push_back({});
    project.cluster.switches.back().id = "switch";
    for (int n = 0; n < nodes; ++n) {
        Node node;
        node.id = "node" + std::to_string(n);
        node.interconnect_bytes_per_s = 50e9;
        node.interconnect_latency_s = 2e-6;
        node.host_bytes_per_s = 20e9;
        project.cluster.nodes.push_back(node);
        for (int i = 0; i < devices_per_node; ++i) {
            Device device;
            device.id = node.id + "/" + std::to_string(i);
            device.node = node.id;
            device.spec.type = "type" + std::to_string(n % 2);
            device.spec.memory_bytes = n % 2 == 0 ? 2e9 : 1e9;
            device.spec.memory_bandwidth_bytes_per_s = 5e11;
            device.spec.peak_flop_per_s = {{"bf16", n % 2 == 0 ? 20e12 : 12e12}};
            device.spec.price_dollars_per_h = n % 2 == 0 ? 1.5 : 0.7;
            project.cluster.devices.push_back(device);
        }
        Link link;
        link.id = "link" + std::to_string(n);
        link.from = node.id;
        link.to = "switch";
        link.bandwidth_bytes_per_s = 5e9;
        link.achieved_fraction = 1;
        link.latency_s = 5e-6;
        project.cluster.links.push_back(link);
    }
    project.job.global_batch = 64;
    project.job.micro_batch.reset();
    project.job.recompute.reset();
    project.job.tensor_parallel.reset();
    return project;
}
