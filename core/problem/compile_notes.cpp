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
    note_model(project, notes);
    note_routes(project, notes);
    return notes;
}

}  // namespace nnpiper
