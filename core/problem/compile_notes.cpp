// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/quantity.h"
#include "core/cluster/routes.h"
#include "core/problem/compile.h"
#include "core/problem/cost_model.h"

#include <algorithm>
#include <set>

namespace nnpiper {

namespace {

std::string label_of(const Device& device)
{
    return device.spec.type.empty() ? device.id : device.spec.type;
}

void note_devices(const Project& project, std::vector<std::string>& notes)
{
    std::set<std::string> told;
    const auto tell = [&](std::string sentence) {
        if (told.insert(sentence).second)
            notes.push_back(std::move(sentence));
    };
    for (const Device& device : project.cluster.devices) {
        const std::string& wanted = project.job.precision;
        const auto rate = matrix_rate(device.spec, wanted);
        if (rate && rate->precision != wanted)
            tell("No " + wanted + " rate for " + label_of(device) + ": its " + rate->precision + " rate is taken.");
        if (device.spec.memory_bandwidth_bytes_per_s <= 0)
            tell("The memory bandwidth of " + label_of(device)
                 + " is not known: its layers are taken as compute-bound.");
    }
    for (const Device& device : project.cluster.devices) {
        if (device.speed_factor != 1)
            tell("Device " + device.id + " runs at " + format_quantity(device.speed_factor, Unit::fraction)
                 + " of its speed.");
    }
}

void note_model(const Project& project, std::vector<std::string>& notes)
{
    const Architecture& a = project.model.architecture;
    const Job& job = project.job;
    const bool causal = is_causal(a.family);
    if (job.flash_attention && causal)
        notes.push_back(
            "Flash attention skips the masked half of the scores and computes them anew in the backward pass.");
    if (job.flash_attention && job.recompute == Recompute::selective)
        notes.push_back("Flash attention keeps no scores, so selective recompute saves nothing beside it.");
    if (a.tied_embeddings)
        notes.push_back("The output head is tied to the embedding: its stage holds a copy of the "
                        + format_quantity(static_cast<double>(a.vocabulary) * a.hidden, Unit::count)
                        + " shared parameters; keeping the copies equal is not priced.");
    if (const std::size_t edited = project.model.layer_edits.size(); edited > 0)
        notes.push_back(std::to_string(edited) + (edited == 1 ? " layer has figures of its own" : " layers have figures of their own")
                        + " in place of the architecture's.");
    if (a.family == Family::bert)
        notes.push_back("The head of BERT is the pooler and the tied vocabulary projection on every token.");
    if (a.family == Family::t5)
        notes.push_back("Encoder and decoder are planned as one chain: behind the encoder every boundary hands on the "
                        "encoder's output as well, and the decoder's first stage looks its tokens up in a copy of the "
                        "embedding table.");
    if (a.family == Family::clip)
        notes.push_back("The image and the text tower are planned as one chain: every boundary in the text tower hands "
                        "on the image's projection as well. The gathering of a whole batch for the contrastive loss is "
                        "not priced.");
    if (has_experts(a.family))
        notes.push_back("Tokens are taken to spread evenly over the experts; a real router's most asked expert sets a "
                        "longer pace.");
    if (project.model.sequence_length > a.positions)
        notes.push_back("The sequence of " + std::to_string(project.model.sequence_length)
                        + " tokens is longer than the " + std::to_string(a.positions)
                        + " positions the model was made for.");
    if (job.precision == "fp8")
        notes.push_back("In fp8 the weights and everything between layers stay in bf16.");
}

void note_parallelism(const Project& project, std::vector<std::string>& notes)
{
    const Job& job = project.job;
    const bool groups = job.tensor_parallel != 1;
    if (groups)
        notes.push_back("A tensor-parallel group waits for its collectives: they are not hidden behind the products.");
    if (!groups && (job.sequence_parallel || job.expert_parallel))
        notes.push_back(std::string(job.sequence_parallel ? "Sequence" : "Expert")
                        + " parallelism works inside tensor-parallel groups: without them it changes nothing.");
    if (job.expert_parallel && !has_experts(project.model.architecture.family))
        notes.push_back("The model has no experts to spread over a group.");
    if (job.zero_stage > 0)
        notes.push_back("Replicas of a stage share out the optimizer's state: each updates its part and gathers the "
                        "others' weights once a step.");
}

/// What the times rest on.
void note_basis(const Project& project, std::vector<std::string>& notes)
{
    std::set<std::string> calibrated, measured, present;
    for (const Device& device : project.cluster.devices) {
        present.insert(device.spec.type);
        if (device.spec.calibrated)
            calibrated.insert(label_of(device));
    }
    for (const std::string& label : calibrated)
        notes.push_back("The achieved fractions of " + label + " were fitted to measured steps.");
    std::set<std::string> absent;
    for (const ProfileRow& row : project.profile)
        (present.count(row.device_type) ? measured : absent).insert(row.device_type);
    for (const std::string& type : measured)
        notes.push_back("Measured layer times of " + type + " win over the formula where they are given.");
    for (const std::string& type : absent)
        notes.push_back("The profile has times of " + type + ", which no device of the cluster is.");
}

/// Shares of the peak that somebody set for one kind of work.
void note_operations(const Project& project, std::vector<std::string>& notes)
{
    std::set<std::string> told;
    for (const Device& device : project.cluster.devices) {
        for (const auto& [operation, fraction] : device.spec.achieved_by_operation) {
            std::string sentence = "In " + std::string(name_of(operation)) + " work " + label_of(device) + " reaches "
                                   + format_quantity(fraction, Unit::fraction) + " of its peak.";
            if (told.insert(sentence).second)
                notes.push_back(std::move(sentence));
        }
    }
}

void note_curves(const Cluster& cluster, std::vector<std::string>& notes)
{
    const auto measured = std::count_if(cluster.links.begin(), cluster.links.end(),
                                        [](const Link& link) { return !link.speed.empty(); })
                          + std::count_if(cluster.nodes.begin(), cluster.nodes.end(),
                                          [](const Node& node) { return !node.interconnect_speed.empty(); });
    if (measured > 0)
        notes.push_back("The bandwidth of " + std::to_string(measured) + (measured == 1 ? " link" : " links")
                        + " depends on the size of the message, as measured.");
}

void note_routes(const Project& project, std::vector<std::string>& notes)
{
    const auto& devices = project.cluster.devices;
    const auto table = routes(project.cluster);
    std::size_t missing = 0;
    std::string first;
    for (std::size_t i = 0; i < devices.size(); ++i) {
        for (std::size_t k = i + 1; k < devices.size(); ++k) {
            if (table[i][k].bandwidth_bytes_per_s > 0)
                continue;
            if (missing++ == 0)
                first = devices[i].id + " and " + devices[k].id;
        }
    }
    if (missing == 1)
        notes.push_back("There is no route between " + first + ": they cannot hold neighbouring stages.");
    else if (missing > 1)
        notes.push_back(std::to_string(missing) + " pairs of devices have no route, for example " + first
                        + ": they cannot hold neighbouring stages.");
}

}  // namespace

std::vector<std::string> compile_notes(const Project& project)
{
    std::vector<std::string> notes;
    note_devices(project, notes);
    note_operations(project, notes);
    note_model(project, notes);
    note_parallelism(project, notes);
    note_basis(project, notes);
    note_curves(project.cluster, notes);
    note_routes(project, notes);
    return notes;
}

}  // namespace nnpiper
