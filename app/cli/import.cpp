// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/console.h"
#include "app/cli/verbs.h"
#include "core/base/error.h"
#include "core/cluster/catalog.h"
#include "core/formats/files.h"
#include "core/formats/hf_config.h"
#include "core/formats/json_text.h"
#include "core/model/model.h"

#include <CLI/CLI.hpp>

#include <algorithm>

namespace nnpiper::cli {

namespace {

struct Arguments {
    std::string format;
    std::vector<std::string> files;
    int sequence_length = 0;
    std::string out;
};

/// Which importer a file is for; throws Error naming those that there are.
std::string detected(const std::string& text, const std::string& path)
{
    const nlohmann::json document = parse_json(text, path);
    if (document.is_object() && document.contains("format") && document.at("format").is_string()
        && document.at("format").get<std::string>().starts_with("nnpiper-"))
        throw Error(path + ": /format", "is " + shown(document.at("format")),
                    "a file of another program is expected; this one can be used as it is");
    if (document.is_object() && (document.contains("model_type") || document.contains("architectures")))
        return "hf-config";
    throw Error(path, "is of no kind that can be imported", "hf-config (a HuggingFace config.json) is allowed");
}

/// Something to start drawing from: one node with four cards of the catalogue.
Cluster starting_cluster(std::map<std::string, Placement>& layout)
{
    constexpr int count = 4;
    const DeviceEntry* entry = find_device_entry("A100 SXM4 80GB");
    if (!entry)
        throw Error("catalog/devices.json", "has no A100 SXM4 80GB");
    const LinkEntry* nvlink = find_link_entry("NVLink3 A100 NVSwitch p2p (measured, vidur)");
    Cluster cluster;
    Node node;
    node.id = "node-a";
    node.name = "Node A";
    if (nvlink && nvlink->effective_bytes_per_s) {
        node.interconnect = nvlink->name;
        node.interconnect_bytes_per_s = *nvlink->effective_bytes_per_s;
        node.interconnect_latency_s = nvlink->latency_s.value_or(node.interconnect_latency_s);
    }
    cluster.nodes.push_back(node);
    layout[node.id] = {};
    for (int i = 0; i < count; ++i) {
        Device device;
        device.id = node.id + "/gpu" + std::to_string(i);
        device.name = "GPU " + std::to_string(i);
        device.node = node.id;
        device.spec = entry->spec;
        cluster.devices.push_back(std::move(device));
    }
    return cluster;
}

int run_verb(const Arguments& arguments)
{
    if (arguments.files.size() != 1)
        throw Error("FILE", std::to_string(arguments.files.size()) + " files are given", "one config.json is expected");
    const std::string& path = arguments.files.front();
    const std::string text = read_text(path);
    if (arguments.format == "auto")
        detected(text, path);

    Project project;
    project.model.architecture = read_hf_config(text, path);
    const Architecture& architecture = project.model.architecture;
    project.model.sequence_length = arguments.sequence_length > 0 ? arguments.sequence_length
                                    : architecture.positions > 0  ? std::min(architecture.positions, 2048)
                                                                  : 2048;
    try {
        check_lengths(project.model, path);
    } catch (const Error& error) {
        throw Error("--sequence-length", error.found(), error.allowed());
    }
    project.name = architecture.name.empty() ? std::filesystem::path(path).stem().string() : architecture.name;
    project.cluster = starting_cluster(project.layout);
    project.assumptions = {"The cluster is a starting point, one node with four A100 SXM4 80GB: draw your own.",
                           "Sequence length " + std::to_string(project.model.sequence_length) + ", global batch "
                               + std::to_string(project.job.global_batch) + ", " + project.job.precision + " with "
                               + project.job.optimizer + ": change them to what you train with."};
    deliver(write_project(project), arguments.out);
    return done;
}

}  // namespace

void add_import(CLI::App& program, int& status)
{
    const auto arguments = std::make_shared<Arguments>();
    CLI::App* verb = program.add_subcommand("import", "Make a project from another program's file");
    verb->add_option("FORMAT", arguments->format, "hf-config (a HuggingFace config.json) or auto")
        ->required()
        ->check(CLI::IsMember({"hf-config", "auto"}));
    verb->add_option("FILE", arguments->files, "File to import")->required();
    verb->add_option("--sequence-length", arguments->sequence_length, "Tokens a sample (the model's own, at most 2048)")
        ->check(CLI::Range(1, 100000000));
    verb->add_option("-o,--output", arguments->out, "Project file to write; standard output unless given");
    verb->callback([arguments, &status] { status = run_verb(*arguments); });
}

}  // namespace nnpiper::cli
