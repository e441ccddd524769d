// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/error.h"
#include "core/base/resource.h"
#include "core/model/model.h"

#include <nlohmann/json.hpp>

namespace nnpiper {

namespace {

using nlohmann::json;
constexpr const char* file = "catalog/models.json";

ModelEntry model_from(const json& item)
{
    ModelEntry entry;
    entry.name = item.at("name").get<std::string>();
    entry.source = item.at("source").get<std::string>();
    Architecture& a = entry.architecture;
    a.name = entry.name;
    a.family = family_from_name(item.at("family").get<std::string>(), file);
    a.hidden = item.at("hidden").get<int>();
    a.blocks = item.at("blocks").get<int>();
    a.heads = item.at("heads").get<int>();
    a.key_value_heads = item.at("key_value_heads").get<int>();
    a.head_dim = item.at("head_dim").get<int>();
    a.feed_forward = item.at("feed_forward").get<int>();
    a.vocabulary = item.at("vocabulary").get<int>();
    a.positions = item.at("positions").get<int>();
    a.token_types = item.at("token_types").get<int>();
    a.tied_embeddings = item.at("tied_embeddings").get<bool>();
    a.attention_bias = item.at("attention_bias").get<bool>();
    a.experts = item.value("experts", 0);
    a.experts_per_token = item.value("experts_per_token", 0);
    a.decoder_blocks = item.value("decoder_blocks", 0);
    a.gated_feed_forward = item.value("gated_feed_forward", false);
    a.image_size = item.value("image_size", 0);
    a.patch_size = item.value("patch_size", 0);
    a.image_channels = item.value("image_channels", 0);
    a.projection = item.value("projection", 0);
    if (const auto tower = item.find("image_tower"); tower != item.end())
        a.image_tower = {tower->at("hidden").get<int>(), tower->at("blocks").get<int>(), tower->at("heads").get<int>(),
                         tower->at("feed_forward").get<int>()};
    check(a, std::string(file) + ": " + entry.name);
    return entry;
}

std::vector<ModelEntry> read_catalog()
{
    try {
        std::vector<ModelEntry> result;
        const json document = json::parse(embedded_resource(file));
        for (const json& item : document.at("models"))
            result.push_back(model_from(item));
        return result;
    } catch (const json::exception& fault) {
        throw Error(file, fault.what());
    }
}

}  // namespace

const std::vector<ModelEntry>& model_catalog()
{
    static const auto all = read_catalog();
    return all;
}

}  // namespace nnpiper
