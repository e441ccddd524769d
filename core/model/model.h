// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/architecture.h"
#include "core/plan/plan.h"

#include <string>
#include <vector>

namespace nnpiper {

enum class LayerKind { embedding, block, head };

std::string_view name_of(LayerKind kind);

/// One layer of the chain that is cut into stages. Everything that grows with the batch is per sample (one sequence).
struct Layer {
    std::string name;
    LayerKind kind = LayerKind::block;
    double parameters = 0;
    double tied_parameters = 0;             ///< copies of another layer's parameters held here (tied output head)
    double forward_flops = 0;               ///< per sample
    double backward_input_flops = 0;        ///< per sample
    double backward_weight_flops = 0;       ///< per sample
    double forward_bytes_moved = 0;         ///< activations read and written per sample, for the roofline
    double attention_bytes_moved = 0;       ///< scores read and written on top when attention is not fused
    double loss_bytes_moved = 0;            ///< by softmax and loss behind the projection, in the forward pass
    double stored_bytes = 0;                ///< kept for backward per sample, without recompute
    double stored_bytes_selective = 0;      ///< kept with attention recomputed (or flash attention)
    double stored_bytes_full = 0;           ///< kept with the whole block recomputed: its input only
    double attention_flops = 0;             ///< part of forward_flops that selective recompute repeats; all score pairs
    double transient_bytes = 0;             ///< largest temporary of forward or backward per sample
    double output_bytes = 0;                ///< handed to the next layer per sample
};

/// What is trained.
struct Model {
    Architecture architecture;
    int sequence_length = 0;                ///< tokens a sample
    bool operator==(const Model&) const = default;
};

/// Bytes of one activation or weight element under mixed-precision names "fp32", "tf32", "fp16", "bf16", "fp8".
double element_bytes(std::string_view precision);

/// The chain: embedding, blocks, output head. `precision` as in Job. Formulas and their sources are in the .cpp.
std::vector<Layer> layers_of(const Model& model, std::string_view precision);

/// Exact number of trained parameters, tied ones counted once.
double parameter_count(const Architecture& architecture);

/// Forward FLOPs a token without and with attention scores (`causal` halves those).
double forward_linear_flops_per_token(const Architecture& architecture);
double forward_flops_per_token(const Architecture& architecture, int sequence_length, bool causal);

/// Models of the catalogue, with their source; names are unique.
struct ModelEntry {
    std::string name;
    std::string source;
    Architecture architecture;
};
const std::vector<ModelEntry>& model_catalog();

}  // namespace nnpiper
