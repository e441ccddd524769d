// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace nnpiper {

enum class Family {
    gpt2,
    gpt_neo,
    gpt_neox,
    opt,
    llama,
    mistral,
    qwen2,
    qwen3,
    mixtral,
    qwen3_moe,
    bert,
    t5,
    vit,
    clip
};

std::string_view name_of(Family family);
Family family_from_name(std::string_view name, const std::string& place = "family");
/// All families, in the order of the enumeration.
std::vector<Family> all_families();

/// A stack of plain transformer blocks beside the main one: CLIP's image tower. Heads split the hidden size evenly.
struct Tower {
    int hidden = 0;
    int blocks = 0;
    int heads = 0;
    int feed_forward = 0;

    bool operator==(const Tower&) const = default;
};

/// A transformer as its HuggingFace config describes it; counts are numbers of units, never bytes.
struct Architecture {
    std::string name;                  ///< free text, e.g. "LLaMA-2 7B"
    Family family = Family::gpt2;
    int hidden = 0;                    ///< h
    int blocks = 0;                    ///< transformer blocks; T5: of the encoder, CLIP: of the text tower
    int heads = 0;                     ///< query heads
    int key_value_heads = 0;           ///< equals heads without grouped-query attention
    int head_dim = 0;                  ///< hidden / heads unless the config says otherwise
    int feed_forward = 0;              ///< intermediate size, of one expert where there are some
    int vocabulary = 0;                ///< tokens; ViT: classes
    int positions = 0;                 ///< largest sequence; rows of a learned position table where the family has one
    int token_types = 0;               ///< BERT segment embeddings
    bool tied_embeddings = false;
    bool attention_bias = false;       ///< biases on q, k, v (and o) where the family leaves it open
    int experts = 0;                   ///< feed-forward experts of a block; 0: dense
    int experts_per_token = 0;
    int decoder_blocks = 0;            ///< T5
    bool gated_feed_forward = false;   ///< T5 1.1; other families are gated or not by definition
    int image_size = 0;                ///< ViT, CLIP: pixels a side
    int patch_size = 0;                ///< pixels a side
    int image_channels = 0;
    Tower image_tower;                 ///< CLIP
    int projection = 0;                ///< CLIP: width of the space in which image and text meet

    bool operator==(const Architecture&) const = default;
};

/// Each token attends to earlier ones only; T5: its decoder, CLIP: its text tower.
bool is_causal(Family family);
/// A learned table of positions bounds the sequence.
bool has_position_table(Family family);
/// Queries may share key and value heads.
bool has_key_value_groups(Family family);
/// The feed-forward part of a block is several experts of which a token takes some.
bool has_experts(Family family);
bool has_images(Family family);

/// Patches of an image and the class token; 0 without images.
int image_tokens(const Architecture& architecture);
/// Layers of the chain that `layers_of` makes.
int layer_count(const Architecture& architecture);

/// Throws Error when a size is missing or contradictory; `place` is put before the field's name.
void check(const Architecture& architecture, const std::string& place);

}  // namespace nnpiper
