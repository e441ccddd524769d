// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/architecture.h"

#include "core/base/error.h"

#include <array>
#include <utility>

namespace nnpiper {

namespace {

constexpr std::array<std::pair<Family, std::string_view>, 6> families = {{
    {Family::gpt2, "gpt2"},
    {Family::gpt_neox, "gpt_neox"},
    {Family::llama, "llama"},
    {Family::mistral, "mistral"},
    {Family::qwen3, "qwen3"},
    {Family::bert, "bert"},
}};

bool multi_head_only(Family family)
{
    return family == Family::gpt2 || family == Family::gpt_neox || family == Family::bert;
}

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

void check(const Architecture& a, const std::string& place)
{
    const auto positive = [&](const char* field, int value) {
        if (value <= 0)
            throw Error(place + "/" + field, std::to_string(value) + " is not possible",
                        "a positive whole number is expected");
    };
    positive("hidden", a.hidden);
    positive("blocks", a.blocks);
    positive("heads", a.heads);
    positive("key_value_heads", a.key_value_heads);
    positive("head_dim", a.head_dim);
    positive("feed_forward", a.feed_forward);
    positive("vocabulary", a.vocabulary);
    positive("positions", a.positions);
    if (a.token_types < 0)
        throw Error(place + "/token_types", std::to_string(a.token_types) + " is not possible",
                    "0 or more is expected");
    if (a.heads % a.key_value_heads != 0)
        throw Error(place + "/key_value_heads", std::to_string(a.key_value_heads) + " does not divide the "
                                                    + std::to_string(a.heads) + " query heads");
    if (!multi_head_only(a.family))
        return;
    const std::string family(name_of(a.family));
    if (a.key_value_heads != a.heads)
        throw Error(place + "/key_value_heads",
                    std::to_string(a.key_value_heads) + " differs from the " + std::to_string(a.heads) + " query heads",
                    "the family " + family + " has no grouped-query attention");
    if (static_cast<long long>(a.head_dim) * a.heads != a.hidden)
        throw Error(place + "/head_dim",
                    std::to_string(a.head_dim) + " times " + std::to_string(a.heads) + " heads is not the hidden size "
                        + std::to_string(a.hidden),
                    "the family " + family + " splits the hidden size evenly among the heads");
}

}  // namespace nnpiper
