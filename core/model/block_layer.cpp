// SPDX-License-Identifier: GPL-3.0-or-later
// Costs of a block, per sample of s tokens; e is the size of an element in bytes.
// FLOPs: 2 per weight and token, 4 s q for the attention scores and their product with V (Narayanan et al. 2021); each
// half of the backward pass repeats the matrix products once. Scores hold no weights, so their whole backward (twice
// the forward) belongs to the input gradient. Kept activations: Korthikanti et al. 2022 for GPT-like blocks, their
// count carried over to RMS norm, rotary positions and SwiGLU for LLaMA-like ones, to the second attention of a decoder
// and to experts (k copies of each token pass through k experts).
// Tensor parallelism (Shoeybi et al. 2019) splits the products and what lies between two of them; norms, residual sums,
// dropout behind them and the inputs of the split products are whole on every device, 10 s b h bytes of a GPT block,
// unless the sequence is split as well (Korthikanti et al. 2022). Each attention and each feed-forward part ends the
// forward pass with one all-reduce of s b h and the backward pass with another.
#include "core/model/block_layer.h"

namespace nnpiper {

namespace {

/// Elements per token, apart from attention scores: all of them and the part that a group does not split.
struct Elements {
    double all = 0;
    double whole = 0;
};

/// Kept for backward. GPT-like: the inputs of two norms and of the QKV and up projections (4h), Q and the input of the
/// output projection (2q), K and V (2kv), the input of the activation and of the down projection (2f); with q = kv = h
/// and f = 4h that is 16h, the 32 s b h bytes in half precision to which dropout adds 2. GPT-NeoX feeds both norms from
/// one tensor. LLaMA-like: 4h + 2q + 2kv and three tensors of f; Qwen3 keeps Q and K before their norms as well.
/// Experts: the gathered input and the result of each copy, and the router's scores.
Elements kept(const BlockShape& x, double source_ratio)
{
    const double norms = x.one_norm_input ? x.hidden : 2 * x.hidden;
    Elements kept;
    kept.whole = norms + 2 * x.hidden;
    double split = 2 * x.query + 2 * x.key_value + (x.head_norms ? x.query + x.key_value : 0);
    if (x.cross_attention) {
        kept.whole += 2 * x.hidden;
        split += 2 * x.query + 2 * x.key_value * source_ratio;
    }
    split += x.experts_per_token * (x.gated ? 3 : 2) * x.feed_forward;
    if (x.routed) {
        split += x.experts_per_token * 2 * x.hidden;
        kept.whole += x.experts;
    }
    kept.all = kept.whole + split;
    return kept;
}

/// Read and written by the forward pass: each matrix product its input and output, each norm, residual sum and
/// activation function its operands.
Elements moved(const BlockShape& x, double source_ratio)
{
    Elements moved;
    // Norm, input of QKV, output of the projection, residual sum, norm, residual sum.
    moved.whole = (2 + 1 + 1 + 3 + 2 + 3) * x.hidden;
    double split = 4 * x.query + 4 * x.key_value;  // write and read Q, K, V; write and read the result
    if (x.rotary)
        split += 2 * (x.query + x.key_value);
    if (x.head_norms)
        split += 2 * (x.query + x.key_value);
    if (x.cross_attention) {
        moved.whole += (2 + 1 + 1 + 3) * x.hidden + x.hidden * source_ratio;
        split += 4 * x.query + 4 * x.key_value * source_ratio;
    }
    const double inside = (x.gated ? 8 : 4) * x.feed_forward;
    if (x.routed) {
        // Read for the router and its scores, then each copy is gathered, goes through its expert and is summed up.
        moved.whole += x.hidden + 2 * x.experts + x.hidden;
        split += x.experts_per_token * (inside + 6 * x.hidden);
    } else {
        // Inputs of the products and their output.
        moved.whole += (x.gated ? 3 : 2) * x.hidden;
        split += inside;
    }
    moved.all = moved.whole + split;
    return moved;
}

}  // namespace

Layer block_layer(const BlockShape& x, double s, double source, double e)
{
    const double source_ratio = source / s;
    Layer layer;
    layer.kind = LayerKind::block;
    layer.parameters = parameters(x);
    layer.whole_parameters = x.norms + x.whole_biases + router_weights(x);

    // The keys and values of a cross attention are products of the source's tokens.
    const double source_weights = x.cross_attention ? 2 * x.hidden * x.key_value : 0;
    const double linear = 2 * (used_weights(x) - source_weights) * s + 2 * source_weights * source;
    const double self = 4 * s * s * x.query;
    layer.attention_flops = self + (x.cross_attention ? 4 * s * source * x.query : 0);
    layer.masked_flops = x.causal ? self / 2 : 0;
    layer.expert_flops = 2 * used_expert_weights(x) * s;
    layer.forward_flops = linear + layer.attention_flops;
    layer.backward_input_flops = linear + 2 * layer.attention_flops;
    layer.backward_weight_flops = linear;

    const Elements moves = moved(x, source_ratio);
    layer.forward_bytes_moved = s * e * moves.all;
    layer.whole_bytes_moved = s * e * moves.whole;
    // Scores are written, read and written by softmax, read and written by dropout, and read for the product with V.
    const double score_count = x.heads * s * (s + (x.cross_attention ? source : 0));
    layer.attention_bytes_moved = e * score_count * (x.dropout ? 6 : 4);

    const Elements keeps = kept(x, source_ratio);
    const double masks = x.dropout ? (x.cross_attention ? 3 : 2) * s * x.hidden : 0;
    const double base = s * e * keeps.all + masks;
    // Softmax output, and with dropout its mask (one byte) and result: 5 a s^2 in half precision.
    const double scores = score_count * (x.dropout ? 2 * e + 1 : e);
    // Flash attention keeps one fp32 log-sum per head and token instead (Dao et al. 2022); the published count of
    // GPT-like blocks leaves it out.
    const double log_sums = x.rotary ? 4 * s * x.heads : 0;
    layer.stored_bytes = base + scores;
    layer.stored_bytes_selective = base + log_sums;
    layer.stored_bytes_full = s * e * x.hidden;
    layer.whole_stored_bytes = s * e * keeps.whole + masks;
    // Backward through the feed-forward part holds the gradients at both sides of the activation function.
    layer.whole_transient_bytes = s * e * x.hidden;
    layer.transient_bytes = s * e * (x.experts_per_token * (x.gated ? 3 : 2) * x.feed_forward) + s * e * x.hidden;
    layer.output_bytes = s * e * x.hidden;

    layer.ring_bytes = s * e * x.hidden;
    layer.forward_ring_passes = layer.backward_ring_passes = x.cross_attention ? 6 : 4;
    layer.expert_ring_passes = x.routed ? 2 : 0;
    layer.routed_bytes = x.routed ? x.experts_per_token * s * e * x.hidden : 0;
    return layer;
}

}  // namespace nnpiper
