// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/architecture.h"
#include "core/model/layer_edit.h"
#include "core/plan/plan.h"

#include <string>
#include <vector>

namespace nnpiper {

enum class LayerKind { embedding, block, head };

std::string_view name_of(LayerKind kind);

/// One layer of the chain that is cut into stages. Everything that grows with the batch is per sample (one sequence).
/// A "whole" part is what every device of a tensor-parallel group has or does in full, unless the group splits the
/// sequence as well; whole parameters stay whole even then.
struct Layer {
    std::string name;
    LayerKind kind = LayerKind::block;
    double parameters = 0;
    double tied_parameters = 0;             ///< copies of another layer's parameters held here (tied output head)
    double whole_parameters = 0;            ///< part of parameters
    double forward_flops = 0;               ///< per sample
    double backward_input_flops = 0;        ///< per sample
    double backward_weight_flops = 0;       ///< per sample
    double attention_flops = 0;             ///< part of forward_flops that selective recompute repeats; all score pairs
    double masked_flops = 0;                ///< part of attention_flops that a causal mask makes needless
    double expert_flops = 0;                ///< part of forward_flops in routed experts
    double forward_bytes_moved = 0;         ///< activations read and written per sample, for the roofline
    double whole_bytes_moved = 0;           ///< part of forward_bytes_moved
    double attention_bytes_moved = 0;       ///< scores read and written on top when attention is not fused
    double loss_bytes_moved = 0;            ///< by softmax and loss behind the projection, in the forward pass
    double stored_bytes = 0;                ///< kept for backward per sample, without recompute
    double stored_bytes_selective = 0;      ///< kept with attention recomputed (or flash attention)
    double stored_bytes_full = 0;           ///< kept with the whole block recomputed: its input only
    double whole_stored_bytes = 0;          ///< part of stored_bytes and of stored_bytes_selective
    double transient_bytes = 0;             ///< largest temporary of forward or backward per sample
    double whole_transient_bytes = 0;       ///< part of transient_bytes
    double output_bytes = 0;                ///< handed to the next layer per sample
    double carried_bytes = 0;               ///< part of output_bytes that later layers need too: a stage that begins behind this layer keeps it once
    double ring_bytes = 0;                  ///< tensor parallel: buffer of one pass (reduce-scatter or all-gather) per sample
    int forward_ring_passes = 0;            ///< an all-reduce is two passes
    int backward_ring_passes = 0;
    int expert_ring_passes = 0;             ///< of each direction's passes, those that expert parallelism replaces
    double routed_bytes = 0;                ///< all copies of tokens that go to experts, per sample
};

/// What is trained.
struct Model {
    Architecture architecture;
    int sequence_length = 0;                ///< tokens a sample; T5: of the source, CLIP: of the text
    int target_length = 0;                  ///< T5: tokens of the decoder; 0: as many as the source has
    std::vector<LayerEdit> layer_edits = {};  ///< ascending by layer
    bool operator==(const Model&) const = default;
};

/// Bytes of one activation or weight element under mixed-precision names "fp32", "tf32", "fp16", "bf16", "fp8".
double element_bytes(std::string_view precision);

/// Throws Error at `place` + "/sequence_length" or "/target_length" where the model cannot take so many tokens.
void check_lengths(const Model& model, const std::string& place);

/// The chain: embedding, blocks, output head. T5: source embedding, encoder blocks, target embedding, decoder blocks,
/// head; behind the encoder every boundary hands on the encoder's output as well. CLIP: image embedding, blocks and
/// head, text embedding, blocks and the contrastive head, which needs the image's projection, so that every boundary in
/// the text tower hands it on. The model's layer edits are in. `precision` as in Job. Formulas and their sources are in
/// the .cpp.
std::vector<Layer> layers_of(const Model& model, std::string_view precision);

/// Exact number of trained parameters, tied ones counted once.
double parameter_count(const Architecture& architecture);

/// Models of the catalogue, with their source; names are unique.
struct ModelEntry {
    std::string name;
    std::string source;
    Architecture architecture;
};
const std::vector<ModelEntry>& model_catalog();

}  // namespace nnpiper
