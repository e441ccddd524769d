// SPDX-License-Identifier: GPL-3.0-or-later
// Blocks of the published model definitions: GPT-2 (Radford et al. 2019), GPT-Neo (Black et al. 2021), GPT-NeoX (Black
// et al. 2022), OPT (Zhang et al. 2022), LLaMA (Touvron et al. 2023), Mistral (Jiang et al. 2023), Mixtral (Jiang et
// al. 2024), Qwen2 and Qwen3 (Yang et al. 2024, 2025), BERT (Devlin et al. 2018), T5 (Raffel et al. 2020), ViT
// (Dosovitskiy et al. 2021), CLIP (Radford et al. 2021).
#include "core/model/block_shape.h"

namespace nnpiper {

namespace {

/// Layer norms with a weight and a bias, biases on every product: 12 h^2 + 13 h parameters when f = 4 h.
BlockShape plain_block(double hidden, double heads, double feed_forward)
{
    BlockShape shape;
    shape.hidden = shape.query = shape.key_value = hidden;
    shape.heads = heads;
    shape.feed_forward = feed_forward;
    shape.split_biases = 3 * hidden + feed_forward;
    shape.whole_biases = 2 * hidden;
    shape.norms = 4 * hidden;
    return shape;
}

/// RMS norms of h, no biases, a gate: 2 h q + 2 h kv + 3 h f + 2 h parameters.
BlockShape llama_like(const Architecture& a)
{
    BlockShape shape;
    shape.hidden = a.hidden;
    shape.query = static_cast<double>(a.heads) * a.head_dim;
    shape.key_value = static_cast<double>(a.key_value_heads) * a.head_dim;
    shape.heads = a.heads;
    shape.feed_forward = a.feed_forward;
    shape.gated = shape.rotary = shape.causal = true;
    shape.norms = 2.0 * a.hidden;
    if (has_experts(a.family)) {
        shape.routed = true;
        shape.experts = a.experts;
        shape.experts_per_token = a.experts_per_token;
    }
    if (a.family == Family::qwen2 || a.attention_bias)
        shape.split_biases = shape.query + 2 * shape.key_value;
    if (a.attention_bias && a.family != Family::qwen2)
        shape.whole_biases = a.hidden;
    if (a.family == Family::qwen3 || a.family == Family::qwen3_moe) {
        shape.head_norms = true;
        shape.norms += 2.0 * a.head_dim;
    }
    return shape;
}

/// RMS norms of h, no biases: 4 h q + 2 h f + 2 h parameters, in a decoder 8 h q + 2 h f + 3 h.
BlockShape t5_block(const Architecture& a, bool decoder)
{
    BlockShape shape;
    shape.hidden = a.hidden;
    shape.query = shape.key_value = static_cast<double>(a.heads) * a.head_dim;
    shape.heads = a.heads;
    shape.feed_forward = a.feed_forward;
    shape.gated = a.gated_feed_forward;
    shape.dropout = true;
    shape.causal = shape.cross_attention = decoder;
    shape.norms = (decoder ? 3.0 : 2.0) * a.hidden;
    return shape;
}

}  // namespace

BlockShape block_shape(const Architecture& a)
{
    if (has_key_value_groups(a.family))
        return llama_like(a);
    if (a.family == Family::t5)
        return t5_block(a, false);
    BlockShape shape = plain_block(a.hidden, a.heads, a.feed_forward);
    shape.causal = is_causal(a.family);
    shape.dropout = a.family == Family::gpt2 || a.family == Family::bert || a.family == Family::opt;
    if (a.family == Family::gpt_neox) {
        shape.one_norm_input = true;
        if (!a.attention_bias) {
            shape.split_biases = a.feed_forward;
            shape.whole_biases = a.hidden;
        }
    }
    if (a.family == Family::gpt_neo)
        shape.split_biases = a.feed_forward;
    return shape;
}

BlockShape decoder_block_shape(const Architecture& a)
{
    return t5_block(a, true);
}

BlockShape image_block_shape(const Architecture& a)
{
    return plain_block(a.image_tower.hidden, a.image_tower.heads, a.image_tower.feed_forward);
}

double attention_weights(const BlockShape& x)
{
    return (x.cross_attention ? 2 : 1) * (2 * x.hidden * x.query + 2 * x.hidden * x.key_value);
}

double router_weights(const BlockShape& x)
{
    return x.routed ? x.hidden * x.experts : 0;
}

double feed_forward_weights(const BlockShape& x)
{
    return (x.gated ? 3 : 2) * x.hidden * x.feed_forward * x.experts + router_weights(x);
}

double used_expert_weights(const BlockShape& x)
{
    return x.routed ? (x.gated ? 3 : 2) * x.hidden * x.feed_forward * x.experts_per_token : 0;
}

double used_weights(const BlockShape& x)
{
    return attention_weights(x) + (x.gated ? 3 : 2) * x.hidden * x.feed_forward * x.experts_per_token
           + router_weights(x);
}

double parameters(const BlockShape& x)
{
    return attention_weights(x) + feed_forward_weights(x) + x.split_biases + x.whole_biases + x.norms;
}

}  // namespace nnpiper
