// SPDX-License-Identifier: GPL-3.0-or-later
// Costs of the layers of a transformer, per sample of s tokens; e is the size of an element in bytes.
// FLOPs: 2 per weight and token, 4 s q for the attention scores and their product with V (Narayanan et al. 2021); each
// half of the backward pass repeats the matrix products once. Scores hold no weights, so their whole backward (twice
// the forward) belongs to the input gradient. Kept activations: Korthikanti et al. 2022 for GPT-like blocks, their
// count carried over to RMS norm, rotary positions and SwiGLU for LLaMA-like ones.
#include "core/model/model.h"

#include "core/base/error.h"
#include "core/model/weights.h"

#include <algorithm>

namespace nnpiper {

namespace {

/// Shapes that all formulas use.
struct Shape {
    double s, e, h, q, kv, f, a, v;
};

Shape shape_of(const Model& model, std::string_view precision)
{
    const Architecture& m = model.architecture;
    return {static_cast<double>(model.sequence_length),
            element_bytes(precision),
            static_cast<double>(m.hidden),
            query_size(m),
            key_value_size(m),
            static_cast<double>(m.feed_forward),
            static_cast<double>(m.heads),
            static_cast<double>(m.vocabulary)};
}

bool has_dropout(Family family)
{
    return family == Family::gpt2 || family == Family::bert;
}

bool has_gate(Family family)
{
    return family == Family::llama || family == Family::mistral || family == Family::qwen3;
}

/// Elements per token that a block keeps for backward apart from the attention scores.
/// GPT-like: the inputs of two norms and of the QKV and up projections (4h), Q and the input of the output projection
/// (2q), K and V (2kv), the input of GELU and of the down projection (2f); with q = kv = h and f = 4h that is 16h, the
/// 32 s b h bytes in half precision to which dropout adds 2. GPT-NeoX feeds both norms from one tensor.
/// LLaMA-like: 4h + 2q + 2kv and three tensors of f; Qwen3 keeps Q and K before their norms as well.
double kept_elements(const Shape& x, Family family)
{
    if (has_gate(family))
        return 4 * x.h + 2 * x.q + 2 * x.kv + 3 * x.f + (family == Family::qwen3 ? x.q + x.kv : 0);
    const double norm_inputs = family == Family::gpt_neox ? x.h : 2 * x.h;
    return norm_inputs + 2 * x.h + 2 * x.q + 2 * x.kv + 2 * x.f;
}

/// Activation elements that the forward pass of a block reads and writes per token, apart from the scores:
/// each matrix product its input and output, each norm, residual sum and activation function its operands.
double moved_elements(const Shape& x, Family family)
{
    const double attention = 4 * x.q + 4 * x.kv;  // write and read Q, K, V; write and read the result
    // Norm, input of QKV, output of the projection, residual sum, norm, residual sum.
    const double around = (2 + 1 + 1 + 3 + 2 + 3) * x.h;
    if (!has_gate(family))
        return attention + around + 2 * x.h + 4 * x.f;
    const double rotary = 2 * (x.q + x.kv);
    const double head_norms = family == Family::qwen3 ? 2 * (x.q + x.kv) : 0;
    return attention + around + rotary + head_norms + 3 * x.h + 8 * x.f;
}

Layer block_layer(const Shape& x, const Architecture& m, int index)
{
    Layer layer;
    layer.name = "block " + std::to_string(index);
    layer.kind = LayerKind::block;
    layer.parameters = block_parameters(m);
    const double linear = 2 * block_matrix_weights(m) * x.s;
    layer.attention_flops = 4 * x.s * x.s * x.q;
    layer.forward_flops = linear + layer.attention_flops;
    layer.backward_input_flops = linear + 2 * layer.attention_flops;
    layer.backward_weight_flops = linear;
    layer.forward_bytes_moved = x.s * x.e * moved_elements(x, m.family);
    // Scores are written, read and written by softmax, read and written by dropout, and read for the product with V.
    layer.attention_bytes_moved = x.s * x.e * x.a * x.s * (has_dropout(m.family) ? 6 : 4);

    const double masks = has_dropout(m.family) ? 2 * x.s * x.h : 0;
    const double base = x.s * x.e * kept_elements(x, m.family) + masks;
    // Softmax output, and with dropout its mask (one byte) and result: 5 a s^2 in half precision.
    const double scores = x.a * x.s * x.s * (has_dropout(m.family) ? 2 * x.e + 1 : x.e);
    // Flash attention keeps one fp32 log-sum per head and token instead (Dao et al. 2022).
    const double log_sums = has_gate(m.family) ? 4 * x.s * x.a : 0;
    layer.stored_bytes = base + scores;
    layer.stored_bytes_selective = base + log_sums;
    layer.stored_bytes_full = x.s * x.e * x.h;
    // Backward through the feed-forward part holds the gradients at both sides of the activation function.
    layer.transient_bytes = x.s * x.e * ((has_gate(m.family) ? 3 : 2) * x.f + x.h);
    layer.output_bytes = x.s * x.e * x.h;
    return layer;
}

Layer embedding_layer(const Shape& x, const Architecture& m)
{
    Layer layer;
    layer.name = "embedding";
    layer.kind = LayerKind::embedding;
    layer.parameters = embedding_parameters(m);
    const double tables = m.family == Family::bert ? 3 : m.family == Family::gpt2 ? 2 : 1;
    const double norm = m.family == Family::bert ? 2 : 0;
    const double dropout = has_dropout(m.family) ? 2 : 0;
    layer.forward_bytes_moved = x.s * x.e * x.h * (tables + 1 + norm + dropout);
    const double ids = 8 * x.s;
    // One byte of dropout mask an element (Korthikanti et al. 2022, section 4.3); BERT keeps the input of its norm.
    layer.stored_bytes =
        ids + (has_dropout(m.family) ? x.s * x.h : 0) + (m.family == Family::bert ? x.s * x.e * x.h : 0);
    layer.stored_bytes_selective = layer.stored_bytes;
    layer.stored_bytes_full = layer.stored_bytes;
    layer.transient_bytes = x.s * x.e * x.h;
    layer.output_bytes = x.s * x.e * x.h;
    return layer;
}

Layer head_layer(const Shape& x, const Architecture& m)
{
    Layer layer;
    layer.name = "output head";
    layer.kind = LayerKind::head;
    layer.parameters = head_parameters(m);
    layer.tied_parameters = m.tied_embeddings ? vocabulary_weights(m) : 0;
    layer.forward_flops = 2 * vocabulary_weights(m) * x.s;
    layer.backward_input_flops = layer.forward_flops;
    layer.backward_weight_flops = layer.forward_flops;
    layer.forward_bytes_moved = x.s * x.e * (3 * x.h + x.v);
    // Each logit is read and widened to fp32, read for the maximum, read and written for the exponential, read for the
    // sum, read and written for the quotient. Measured on A100: 28 to 36 bytes a logit (Yeung et al. 2024).
    layer.loss_bytes_moved = x.s * x.v * (x.e + 28);
    // Inputs of the norm and of the projection and fp32 logits: 4 s h (1 + V/h) in half precision (Korthikanti et al.).
    layer.stored_bytes = x.s * (2 * x.e * x.h + 4 * x.v);
    layer.stored_bytes_selective = layer.stored_bytes;
    layer.stored_bytes_full = layer.stored_bytes;
    layer.transient_bytes = x.s * x.e * x.v;
    layer.output_bytes = 0;
    return layer;
}

}  // namespace

std::vector<Layer> layers_of(const Model& model, std::string_view precision)
{
    const Architecture& m = model.architecture;
    check(m, "/model");
    if (model.sequence_length <= 0)
        throw Error("/model/sequence_length", std::to_string(model.sequence_length) + " is not possible",
                    "a positive number of tokens is expected");
    if ((m.family == Family::gpt2 || m.family == Family::bert) && model.sequence_length > m.positions)
        throw Error("/model/sequence_length",
                    std::to_string(model.sequence_length) + " tokens are more than the position table holds",
                    "at most " + std::to_string(m.positions) + " for "
                        + (m.name.empty() ? std::string(name_of(m.family)) : m.name));
    const Shape x = shape_of(model, precision);
    std::vector<Layer> layers;
    layers.reserve(static_cast<std::size_t>(m.blocks) + 2);
    layers.push_back(embedding_layer(x, m));
    for (int i = 0; i < m.blocks; ++i)
        layers.push_back(block_layer(x, m, i));
    layers.push_back(head_layer(x, m));
    return layers;
}

}  // namespace nnpiper
