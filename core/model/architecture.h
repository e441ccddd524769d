// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace nnpiper {

enum class Family { gpt2, gpt_neox, llama, mistral, qwen3, bert };

std::string_view name_of(Family family);
Family family_from_name(std::string_view name, const std::string& place = "family");

/// A transformer as its HuggingFace config describes it; counts are numbers of units, never bytes.
struct Architecture {
    std::string name;                  ///< free text, e.g. "LLaMA-2 7B"
    Family family = Family::gpt2;
    int hidden = 0;                    ///< h
    int blocks = 0;                    ///< transformer blocks
    int heads = 0;                     ///< query heads
    int key_value_heads = 0;           ///< equals heads without grouped-query attention
    int head_dim = 0;                  ///< hidden / heads unless the config says otherwise
    int feed_forward = 0;              ///< intermediate size
    int vocabulary = 0;
    int positions = 0;                 ///< largest sequence; rows of a learned position table where the family has one
    int token_types = 0;               ///< BERT segment embeddings
    bool tied_embeddings = false;
    bool attention_bias = false;       ///< biases on q, k, v (and o) where the family leaves it open

    bool operator==(const Architecture&) const = default;
};

/// Throws Error when a size is missing or contradictory; `place` is put before the field's name.
void check(const Architecture& architecture, const std::string& place);

}  // namespace nnpiper
