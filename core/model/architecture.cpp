// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/architecture.h"

#include "core/base/error.h"

#include <array>
#include <utility>

namespace nnpiper {

namespace {

constexpr std::array<std::pair<Family, std::string_view>, 14> families = {{
    {Family::gpt2, "gpt2"},
    {Family::gpt_neo, "gpt_neo"},
    {Family::gpt_neox, "gpt_neox"},
    {Family::opt, "opt"},
    {Family::llama, "llama"},
    {Family::mistral, "mistral"},
    {Family::qwen2, "qwen2"},
    {Family::qwen3, "qwen3"},
    {Family::mixtral, "mixtral"},
    {Family::qwen3_moe, "qwen3_moe"},
    {Family::bert, "bert"},
    {Family::t5, "t5"},
    {Family::vit, "vit"},
    {Family::clip, "clip"},
}};

class Checker {
public:
    Checker(const Architecture& a, const std::string& place)
        : a_(a)
        , place_(place)
        , family_(name_of(a.family))
    {
    }

    void run() const
    {
        positive("hidden", a_.hidden);
        positive("blocks", a_.blocks);
        positive("heads", a_.heads);
        positive("key_value_heads", a_.key_value_heads);
        positive("head_dim", a_.head_dim);
        positive("feed_forward", a_.feed_forward);
        positive("vocabulary", a_.vocabulary);
        positive("positions", a_.positions);
        if (a_.token_types < 0)
            throw Error(place_ + "/token_types", std::to_string(a_.token_types) + " is not possible",
                        "0 or more is expected");
        heads();
        experts();
        only("decoder_blocks", a_.decoder_blocks, a_.family == Family::t5);
        if (a_.gated_feed_forward && a_.family != Family::t5)
            throw Error(place_ + "/gated_feed_forward", "true is not possible",
                        "the family " + family_ + " is gated or not by definition");
        images();
    }

private:
    void positive(const std::string& field, int value) const
    {
        if (value <= 0)
            throw Error(place_ + "/" + field, std::to_string(value) + " is not possible",
                        "a positive whole number is expected");
    }

    /// A field that some families need and the others lack.
    void only(const std::string& field, int value, bool needed) const
    {
        if (needed)
            positive(field, value);
        else if (value != 0)
            throw Error(place_ + "/" + field, std::to_string(value) + " is not possible",
                        "the family " + family_ + " has no such part");
    }

    void heads() const
    {
        if (a_.heads % a_.key_value_heads != 0)
            throw Error(place_ + "/key_value_heads", std::to_string(a_.key_value_heads) + " does not divide the "
                                                         + std::to_string(a_.heads) + " query heads");
        if (has_key_value_groups(a_.family))
            return;
        if (a_.key_value_heads != a_.heads)
            throw Error(place_ + "/key_value_heads",
                        std::to_string(a_.key_value_heads) + " differs from the " + std::to_string(a_.heads)
                            + " query heads",
                        "the family " + family_ + " has no grouped-query attention");
        if (a_.family != Family::t5 && static_cast<long long>(a_.head_dim) * a_.heads != a_.hidden)
            throw Error(place_ + "/head_dim",
                        std::to_string(a_.head_dim) + " times " + std::to_string(a_.heads)
                            + " heads is not the hidden size " + std::to_string(a_.hidden),
                        "the family " + family_ + " splits the hidden size evenly among the heads");
    }

    void experts() const
    {
        only("experts", a_.experts, has_experts(a_.family));
        only("experts_per_token", a_.experts_per_token, has_experts(a_.family));
        if (a_.experts_per_token > a_.experts)
            throw Error(place_ + "/experts_per_token", std::to_string(a_.experts_per_token) + " is not possible",
                        "at most all " + std::to_string(a_.experts) + " experts");
    }

    void images() const
    {
        const bool images = has_images(a_.family);
        only("image_size", a_.image_size, images);
        only("patch_size", a_.patch_size, images);
        only("image_channels", a_.image_channels, images);
        if (images && a_.image_size / a_.patch_size > 4096)
            throw Error(place_ + "/patch_size", std::to_string(a_.patch_size) + " makes too many patches",
                        "at most 4096 patches a side");
        if (images && a_.image_size % a_.patch_size != 0)
            throw Error(place_ + "/patch_size", std::to_string(a_.patch_size) + " does not divide the image's "
                                                    + std::to_string(a_.image_size) + " pixels a side");
        if (a_.family == Family::vit && a_.positions != image_tokens(a_))
            throw Error(place_ + "/positions", std::to_string(a_.positions) + " is not possible",
                        "the patches of an image and the class token are " + std::to_string(image_tokens(a_)));
        const bool clip = a_.family == Family::clip;
        only("projection", a_.projection, clip);
        only("image_tower/hidden", a_.image_tower.hidden, clip);
        only("image_tower/blocks", a_.image_tower.blocks, clip);
        only("image_tower/heads", a_.image_tower.heads, clip);
        only("image_tower/feed_forward", a_.image_tower.feed_forward, clip);
        if (clip && a_.image_tower.hidden % a_.image_tower.heads != 0)
            throw Error(place_ + "/image_tower/heads", std::to_string(a_.image_tower.heads)
                                                           + " does not divide the tower's hidden size "
                                                           + std::to_string(a_.image_tower.hidden));
    }

    const Architecture& a_;
    const std::string& place_;
    std::string family_;
};

}  // namespace

std::string_view name_of(Family family)
{
    for (const auto& [value, name] : families) {
        if (value == family)
            return name;
    }
    return "unknown";
}

Family family_from_name(std::string_view name, const std::string& place)
{
    std::string known;
    for (const auto& [value, text] : families) {
        if (text == name)
            return value;
        known += (known.empty() ? "" : ", ") + std::string(text);
    }
    throw Error(place, "model type \"" + std::string(name) + "\" is not known", "known are " + known);
}

std::vector<Family> all_families()
{
    std::vector<Family> all;
    for (const auto& [value, name] : families)
        all.push_back(value);
    return all;
}

bool is_causal(Family family)
{
    return family != Family::bert && family != Family::vit;
}

bool has_position_table(Family family)
{
    return family == Family::gpt2 || family == Family::gpt_neo || family == Family::opt || family == Family::bert
           || has_images(family);
}

bool has_key_value_groups(Family family)
{
    return family == Family::llama || family == Family::mistral || family == Family::qwen2 || family == Family::qwen3
           || has_experts(family);
}

bool has_experts(Family family)
{
    return family == Family::mixtral || family == Family::qwen3_moe;
}

bool has_images(Family family)
{
    return family == Family::vit || family == Family::clip;
}

int image_tokens(const Architecture& a)
{
    if (a.patch_size <= 0)
        return 0;
    const int side = a.image_size / a.patch_size;
    return side * side + 1;
}

int layer_count(const Architecture& a)
{
    if (a.family == Family::t5)
        return a.blocks + a.decoder_blocks + 3;
    if (a.family == Family::clip)
        return a.image_tower.blocks + a.blocks + 4;
    return a.blocks + 2;
}

void check(const Architecture& architecture, const std::string& place)
{
    Checker(architecture, place).run();
}

}  // namespace nnpiper
