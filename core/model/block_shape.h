// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/architecture.h"

namespace nnpiper {

/// Sizes of one transformer block, all that its weights, work and memory follow from.
struct BlockShape {
    double hidden = 0;             ///< h
    double query = 0;              ///< q: all query heads together
    double key_value = 0;          ///< kv: all key (or value) heads together
    double heads = 0;
    double feed_forward = 0;       ///< f, of one expert
    double experts = 1;            ///< held
    double experts_per_token = 1;  ///< used
    bool routed = false;           ///< a router picks the experts
    bool gated = false;            ///< three matrices in the feed-forward part (SwiGLU), not two
    bool rotary = false;
    bool head_norms = false;       ///< norms on each query and key head
    bool one_norm_input = false;   ///< both norms read the block's input (GPT-NeoX)
    bool dropout = false;
    bool causal = false;
    bool cross_attention = false;  ///< a second attention, to the encoder's output
    double split_biases = 0;       ///< of products whose output a tensor-parallel group splits
    double whole_biases = 0;       ///< of products whose output every device of the group has
    double norms = 0;              ///< parameters of norms, whole on every device
};

/// The blocks of the main stack: T5's encoder, CLIP's text tower.
BlockShape block_shape(const Architecture& architecture);
/// T5 only.
BlockShape decoder_block_shape(const Architecture& architecture);
/// CLIP only.
BlockShape image_block_shape(const Architecture& architecture);

/// Weights in the matrix products of all attentions, and of all experts with their router.
double attention_weights(const BlockShape& shape);
double feed_forward_weights(const BlockShape& shape);
/// Weights that one token meets in matrix products, router included.
double used_weights(const BlockShape& shape);
/// Of those, the experts'; 0 without a router.
double used_expert_weights(const BlockShape& shape);
double router_weights(const BlockShape& shape);
/// All parameters.
double parameters(const BlockShape& shape);

}  // namespace nnpiper
