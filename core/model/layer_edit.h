// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace nnpiper {

struct Layer;

/// Figures of one layer of the chain that stand in place of the architecture's; an empty one leaves it. What grows with
/// the batch is per sample, and stays as given whatever the precision and the sequence.
struct LayerEdit {
    int layer = 0;                        ///< index in the chain
    std::optional<double> parameters;     ///< trained here, copies of another layer's not counted
    std::optional<double> forward_flops;  ///< all score pairs of an attention counted
    std::optional<double> stored_bytes;   ///< kept for backward without recompute, by whatever attention kernel
    std::optional<double> output_bytes;   ///< handed to the next layer

    bool empty() const { return !parameters && !forward_flops && !stored_bytes && !output_bytes; }
    bool operator==(const LayerEdit&) const = default;
};

/// Throws Error at `place` + "/index/field": each layer once, by an index below `layers`, with finite figures of at
/// least 0.
void check(const std::vector<LayerEdit>& edits, int layers, const std::string& place);

/// Puts an edit's figures into its layer. Both halves of the backward pass and the parts of a figure (attention, experts,
/// what a tensor-parallel group does not split) follow in proportion; where the layer had no FLOPs, each half of the
/// backward pass takes those of the forward pass. Selective recompute saves nothing of stored bytes that are given, full
/// recompute keeps the block's input as before, but never more than them.
void apply(const LayerEdit& edit, Layer& layer);

}  // namespace nnpiper
