// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/cluster/catalog.h"
#include "core/project/project.h"

#include <string>

namespace nnpiper {

/// Two nodes of two cards each behind one switch, and a small model: quick to plan, and every kind of element is there.
inline Project sampleProject()
{
    Project project;
    project.name = "Sample";
    for (const ModelEntry& entry : model_catalog())
        if (entry.name == "GPT-2 small")
            project.model.architecture = entry.architecture;
    project.model.sequence_length = 512;
    project.job.global_batch = 32;
    project.job.micro_batch = 4;
    project.job.precision = "fp16";
    double x = 0;
    for (const char* name : {"node-a", "node-b"}) {
        Node node;
        node.id = name;
        node.name = name;
        project.cluster.nodes.push_back(node);
        project.layout[node.id] = {x, 0, 0, 0};
        x += 340;
        for (int i = 0; i < 2; ++i) {
            Device device;
            device.name = "gpu" + std::to_string(i);
            device.id = node.id + "/" + device.name;
            device.node = node.id;
            device.spec = find_device_entry("RTX 3090")->spec;
            project.cluster.devices.push_back(device);
        }
    }
    project.cluster.switches.push_back({"switch", "Switch", 1e-6});
    project.layout["switch"] = {220, 260, 0, 0};
    for (const char* name : {"node-a", "node-b"}) {
        Link link;
        link.id = std::string(name) + "--switch";
        link.type = "10 GbE TCP socket";
        link.from = name;
        link.to = "switch";
        link.bandwidth_bytes_per_s = 1.25e9;
        link.latency_s = 4e-5;
        project.cluster.links.push_back(link);
    }
    return project;
}

}  // namespace nnpiper
