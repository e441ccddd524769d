// SPDX-License-Identifier: GPL-3.0-or-later
// The ends of the chain (embeddings and heads) and its assembly, per sample; e is the size of an element in bytes. A
// look-up costs no FLOPs (Kaplan et al. 2020); Megatron's memory of the ends is in Korthikanti et al. 2022,
// section 4.3. Tensor parallelism splits the vocabulary of both ends (Shoeybi et al. 2019): an all-reduce behind the
// embedding's forward pass and the head's backward pass; the three small ones of the loss (4 bytes a token) are left
// out.
#include "core/model/block_layer.h"
#include "core/model/model.h"

#include <string>

namespace nnpiper {

namespace {

double vocabulary_weights(const Architecture& a)
{
    return static_cast<double>(a.vocabulary) * a.hidden;
}

bool drops_embedding(Family family)
{
    return family == Family::gpt2 || family == Family::bert || family == Family::opt || family == Family::t5;
}

/// Token table and, where the family has them, learned positions (OPT keeps two rows more), segments and a norm.
Layer token_embedding(const Architecture& a, double s, double e)
{
    const double h = a.hidden;
    const bool bert = a.family == Family::bert;
    const bool positions = has_position_table(a.family);
    Layer layer;
    layer.name = "embedding";
    layer.kind = LayerKind::embedding;
    layer.whole_parameters = positions ? (a.positions + (a.family == Family::opt ? 2.0 : 0.0)) * h : 0;
    if (bert)
        layer.whole_parameters += static_cast<double>(a.token_types) * h + 2 * h;
    // T5: one table of 32 relative distances, a number for each head; it lives in the first block and is counted here.
    if (a.family == Family::t5)
        layer.whole_parameters += 32.0 * a.heads;
    layer.parameters = vocabulary_weights(a) + layer.whole_parameters;
    const double tables = bert ? 3 : positions ? 2 : 1;
    const double norm = bert ? 2 : 0;
    const bool dropout = drops_embedding(a.family);
    layer.forward_bytes_moved = s * e * h * (tables + 1 + norm + (dropout ? 2 : 0));
    layer.whole_bytes_moved = layer.forward_bytes_moved;
    const double ids = 8 * s;
    // One byte of dropout mask an element; BERT keeps the input of its norm.
    layer.whole_stored_bytes = ids + (dropout ? s * h : 0) + (bert ? s * e * h : 0);
    layer.stored_bytes = layer.stored_bytes_selective = layer.stored_bytes_full = layer.whole_stored_bytes;
    layer.transient_bytes = layer.whole_transient_bytes = layer.output_bytes = layer.ring_bytes = s * e * h;
    layer.forward_ring_passes = 2;
    return layer;
}

/// Final norm and the projection to logits with its loss; BERT: pooler and masked-language-model projection. Published
/// BERT checkpoints count the pooler (h^2 + h) and not the masked-language-model transform; so do we.
Layer token_head(const Architecture& a, double s, double e)
{
    const double h = a.hidden;
    const double v = a.vocabulary;
    const bool rms = has_key_value_groups(a.family) || a.family == Family::t5;
    Layer layer;
    layer.name = "output head";
    layer.kind = LayerKind::head;
    layer.whole_parameters = a.family == Family::bert ? h * h + h : rms ? h : 2 * h;
    layer.parameters = layer.whole_parameters + (a.tied_embeddings ? 0 : vocabulary_weights(a));
    layer.tied_parameters = a.tied_embeddings ? vocabulary_weights(a) : 0;
    layer.forward_flops = 2 * vocabulary_weights(a) * s;
    layer.backward_input_flops = layer.forward_flops;
    layer.backward_weight_flops = layer.forward_flops;
    layer.forward_bytes_moved = s * e * (3 * h + v);
    layer.whole_bytes_moved = s * e * 3 * h;
    // Each logit is read and widened to fp32, read for the maximum, read and written for the exponential, read for the
    // sum, read and written for the quotient. Measured on A100: 28 to 36 bytes a logit (Yeung et al. 2024).
    layer.loss_bytes_moved = s * v * (e + 28);
    // Inputs of the norm and of the projection and fp32 logits: 4 s h (1 + V/h) in half precision (Korthikanti et al.).
    layer.stored_bytes = s * (2 * e * h + 4 * v);
    layer.whole_stored_bytes = s * 2 * e * h;
    layer.stored_bytes_selective = layer.stored_bytes;
    layer.stored_bytes_full = layer.stored_bytes;
    layer.transient_bytes = s * e * v;
    layer.ring_bytes = s * e * h;
    layer.backward_ring_passes = 2;
    return layer;
}

/// Patches of p x p pixels projected to w (Dosovitskiy et al. 2021), class token and positions; CLIP's projection has
/// no bias and a norm follows. Pixels need no gradient. A tensor-parallel group does not split it.
Layer image_embedding(const Architecture& a, double w, double e)
{
    const bool clip = a.family == Family::clip;
    const double pixels = static_cast<double>(a.image_channels) * a.patch_size * a.patch_size;
    const double s = image_tokens(a);
    const double patches = s - 1;
    Layer layer;
    layer.name = clip ? "image embedding" : "embedding";
    layer.kind = LayerKind::embedding;
    layer.parameters = pixels * w + (clip ? 2 * w : w) + w + s * w;
    layer.whole_parameters = layer.parameters;
    layer.forward_flops = layer.backward_weight_flops = 2 * pixels * w * patches;
    // Pixels, the projection's output, positions and the sum; a norm reads and writes.
    layer.forward_bytes_moved = e * (patches * pixels + s * w * (clip ? 5 : 3));
    layer.whole_bytes_moved = layer.forward_bytes_moved;
    layer.stored_bytes = e * (patches * pixels + (clip ? s * w : 0));
    layer.stored_bytes_selective = layer.stored_bytes_full = layer.whole_stored_bytes = layer.stored_bytes;
    layer.transient_bytes = layer.whole_transient_bytes = layer.output_bytes = s * e * w;
    return layer;
}

/// Norm over all tokens and one projection of the class token (text: of the last token) to `width`.
Layer pooled_head(const std::string& name, double s, double h, double width, double biases, double e)
{
    Layer layer;
    layer.name = name;
    layer.kind = LayerKind::head;
    layer.parameters = 2 * h + h * width + biases;
    layer.whole_parameters = layer.parameters;
    layer.forward_flops = layer.backward_input_flops = layer.backward_weight_flops = 2 * h * width;
    layer.forward_bytes_moved = e * (2 * s * h + h + width);
    layer.whole_bytes_moved = layer.forward_bytes_moved;
    layer.loss_bytes_moved = width * (e + 28);
    layer.stored_bytes = e * (s * h + h) + 4 * width;
    layer.stored_bytes_selective = layer.stored_bytes_full = layer.whole_stored_bytes = layer.stored_bytes;
    layer.transient_bytes = layer.whole_transient_bytes = e * s * h;
    return layer;
}

/// The chain under construction.
struct Chain {
    std::vector<Layer> layers;

    void add_blocks(const std::string& name, int count, const Layer& block)
    {
        for (int i = 0; i < count; ++i) {
            layers.push_back(block);
            layers.back().name = name + " " + std::to_string(i);
        }
    }
};

/// What a layer hands on besides its own output.
void carry(Layer& layer, double bytes)
{
    layer.output_bytes += bytes;
    layer.carried_bytes += bytes;
}

std::vector<Layer> encoder_decoder(const Model& model, double e)
{
    const Architecture& a = model.architecture;
    const double source = model.sequence_length;
    const double target = model.target_length > 0 ? model.target_length : model.sequence_length;
    const double encoded = source * e * a.hidden;
    Chain chain;
    chain.layers.push_back(token_embedding(a, source, e));
    chain.add_blocks("encoder block", a.blocks, block_layer(block_shape(a), source, 0, e));

    // The decoder looks its tokens up in a copy of the same table; the encoder's norm stands before it.
    Layer middle = token_embedding(a, target, e);
    middle.name = "target embedding";
    middle.tied_parameters = vocabulary_weights(a);
    middle.parameters -= vocabulary_weights(a);
    middle.parameters += a.hidden;
    middle.whole_parameters += a.hidden;
    middle.forward_bytes_moved += 2 * encoded;
    middle.whole_bytes_moved += 2 * encoded;
    for (double* stored :
         {&middle.stored_bytes, &middle.stored_bytes_selective, &middle.stored_bytes_full, &middle.whole_stored_bytes})
        *stored += 2 * encoded;  // the norm's input and its output, which every decoder block reads
    carry(middle, encoded);
    chain.layers.push_back(std::move(middle));

    Layer block = block_layer(decoder_block_shape(a), target, source, e);
    carry(block, encoded);
    chain.add_blocks("decoder block", a.decoder_blocks, block);
    carry(chain.layers.back(), -encoded);
    chain.layers.push_back(token_head(a, target, e));
    return std::move(chain.layers);
}

std::vector<Layer> two_towers(const Model& model, double e)
{
    const Architecture& a = model.architecture;
    const double s = model.sequence_length;
    const double image = e * a.projection;
    Chain chain;
    chain.layers.push_back(image_embedding(a, a.image_tower.hidden, e));
    chain.add_blocks("image block", a.image_tower.blocks, block_layer(image_block_shape(a), image_tokens(a), 0, e));
    chain.layers.push_back(pooled_head("image head", image_tokens(a), a.image_tower.hidden, a.projection, 0, e));
    chain.layers.back().loss_bytes_moved = 0;
    carry(chain.layers.back(), image);

    Layer embedding = token_embedding(a, s, e);
    embedding.name = "text embedding";
    carry(embedding, image);
    chain.layers.push_back(std::move(embedding));
    Layer block = block_layer(block_shape(a), s, 0, e);
    carry(block, image);
    chain.add_blocks("text block", a.blocks, block);
    // One learned temperature. The similarities of a batch are too few to price.
    chain.layers.push_back(pooled_head("contrastive head", s, a.hidden, a.projection, 1, e));
    return std::move(chain.layers);
}

std::vector<Layer> chain_of(const Model& model, double e)
{
    const Architecture& a = model.architecture;
    if (a.family == Family::t5)
        return encoder_decoder(model, e);
    if (a.family == Family::clip)
        return two_towers(model, e);
    const double s = model.sequence_length;
    const bool images = a.family == Family::vit;
    Chain chain;
    chain.layers.reserve(static_cast<std::size_t>(layer_count(a)));
    chain.layers.push_back(images ? image_embedding(a, a.hidden, e) : token_embedding(a, s, e));
    chain.add_blocks("block", a.blocks, block_layer(block_shape(a), s, 0, e));
    chain.layers.push_back(images ? pooled_head("output head", s, a.hidden, a.vocabulary, a.vocabulary, e)
                                  : token_head(a, s, e));
    return std::move(chain.layers);
}

}  // namespace

std::vector<Layer> layers_of(const Model& model, std::string_view precision)
{
    check(model.architecture, "/model");
    check_lengths(model, "/model");
    check(model.layer_edits, layer_count(model.architecture), "/model/layer_edits");
    std::vector<Layer> layers = chain_of(model, element_bytes(precision));
    for (const LayerEdit& edit : model.layer_edits)
        apply(edit, layers[static_cast<std::size_t>(edit.layer)]);
    return layers;
}

}  // namespace nnpiper
