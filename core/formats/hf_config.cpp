// SPDX-License-Identifier: GPL-3.0-or-later
// Key names and defaults follow the configuration classes of the transformers library: an absent key means the class's
// default, which differs between classes (tie_word_embeddings, num_key_value_heads, head_dim, attention_bias, experts).
#include "core/formats/hf_config.h"

#include "core/base/error.h"
#include "core/formats/config_document.h"
#include "core/formats/json_text.h"
#include "core/model/model.h"

#include <array>
#include <cmath>
#include <vector>

namespace nnpiper {

namespace {

using nlohmann::json;
using Keys = ConfigDocument::Keys;

/// Python writes Infinity and NaN, which are no JSON: outside strings they become null of the same length.
std::string without_python_numbers(std::string_view text)
{
    std::string result(text);
    bool in_string = false;
    for (std::size_t i = 0; i < result.size(); ++i) {
        if (in_string && result[i] == '\\') {
            ++i;
            continue;
        }
        if (result[i] == '"')
            in_string = !in_string;
        if (in_string)
            continue;
        for (const std::string_view word : {"-Infinity", "Infinity", "NaN"}) {
            if (std::string_view(result).substr(i, word.size()) == word) {
                std::string blank = "null";
                blank.resize(word.size() < 4 ? 4 : word.size(), ' ');
                result.replace(i, word.size(), blank);
                break;
            }
        }
    }
    return result;
}

/// model_type, or what the class in "architectures" says where it is absent.
Family family_of(const ConfigDocument& config)
{
    const std::string type = config.text("model_type");
    if (!type.empty())
        return family_from_name(type, config.at("model_type"));
    if (config.has("architectures") && config["architectures"].is_array() && !config["architectures"].empty()
        && config["architectures"][0].is_string()) {
        const std::string name = config["architectures"][0].get<std::string>();
        constexpr std::array<std::pair<std::string_view, Family>, 14> classes = {{{"GPT2", Family::gpt2},
                                                                                  {"GPTNeo", Family::gpt_neo},
                                                                                  {"GPTNeoX", Family::gpt_neox},
                                                                                  {"OPT", Family::opt},
                                                                                  {"Llama", Family::llama},
                                                                                  {"Mistral", Family::mistral},
                                                                                  {"Mixtral", Family::mixtral},
                                                                                  {"Qwen2", Family::qwen2},
                                                                                  {"Qwen3", Family::qwen3},
                                                                                  {"Qwen3Moe", Family::qwen3_moe},
                                                                                  {"Bert", Family::bert},
                                                                                  {"T5", Family::t5},
                                                                                  {"ViT", Family::vit},
                                                                                  {"CLIP", Family::clip}}};
        for (const auto& [prefix, family] : classes) {
            for (const std::string_view suffix : {"LMHeadModel", "ForCausalLM", "ForMaskedLM", "ForPreTraining",
                                                  "ForConditionalGeneration", "ForImageClassification", "Model"}) {
                if (name == std::string(prefix) + std::string(suffix))
                    return family;
            }
        }
        return family_from_name(name, config.at("architectures/0"));
    }
    std::string known;
    for (const Family family : all_families())
        known += (known.empty() ? "" : ", ") + std::string(name_of(family));
    const bool nested = config.has("text_config") || config.has("vision_config");
    throw Error(config.at("model_type"),
                nested ? "missing, and the sizes are nested in a text or vision part" : "missing",
                "known are " + known);
}

/// Options that would make our counts wrong.
void refuse_unknown_parts(const ConfigDocument& config, Family family)
{
    for (const char* key : {"num_local_experts", "num_experts", "n_routed_experts"}) {
        const auto experts = config.has(key) && config[key].is_number() ? config[key].get<double>() : 0;
        if (experts > 1 && !has_experts(family))
            throw Error(config.at(key),
                        "a mixture of " + shown(config[key]) + " experts is not known in the family "
                            + std::string(name_of(family)),
                        "of this family only dense models are");
    }
    const auto expect_flag = [&](const char* key, bool expected, const char* what) {
        if (config.flag(key, expected) != expected)
            throw Error(config.at(key), std::string(what) + " not known",
                        std::string(expected ? "true" : "false") + " is expected");
    };
    expect_flag("mlp_bias", false, "biases in the feed-forward part are");
    expect_flag("add_cross_attention", false, "cross attention is");
    const std::string positions = config.text("position_embedding_type");
    if (!positions.empty() && positions != "absolute")
        throw Error(config.at("position_embedding_type"), "\"" + positions + "\" is not known",
                    "\"absolute\" is expected");
    if (family == Family::opt) {
        expect_flag("do_layer_norm_before", true, "norms behind the attention are");
        expect_flag("_remove_final_layer_norm", false, "a stack without a last norm is");
        expect_flag("enable_bias", true, "products without biases are");
        const int hidden = config.size({"hidden_size"});
        if (config.find_size({"word_embed_proj_dim"}).value_or(hidden) != hidden)
            throw Error(config.at("word_embed_proj_dim"), "an embedding of another width is not known",
                        "hidden_size " + std::to_string(hidden) + " is expected");
    }
    if (family == Family::qwen3_moe) {
        if (config.find_size({"decoder_sparse_step"}).value_or(1) != 1)
            throw Error(config.at("decoder_sparse_step"), shown(config["decoder_sparse_step"]),
                        "1 is expected: experts in every block");
        if (config.has("mlp_only_layers") && !config["mlp_only_layers"].empty())
            throw Error(config.at("mlp_only_layers"), shown(config["mlp_only_layers"]),
                        "an empty list is expected: experts in every block");
    }
    if (family == Family::t5 && config.find_size({"relative_attention_num_buckets"}).value_or(32) != 32)
        throw Error(config.at("relative_attention_num_buckets"), shown(config["relative_attention_num_buckets"]),
                    "32 is expected");
}

/// null means as many as query heads; an absent key the default of the class.
int key_value_heads(const ConfigDocument& config, Family family, int heads)
{
    if (!has_key_value_groups(family))
        return heads;
    int groups = heads;
    if (const auto value = config.find_size({"num_key_value_heads", "num_kv_heads"}))
        groups = *value;
    else if (!config.contains("num_key_value_heads") && family != Family::llama)
        groups = family == Family::mistral || family == Family::mixtral ? 8 : family == Family::qwen3_moe ? 4 : 32;
    if (heads % groups != 0)
        throw Error(config.at("num_key_value_heads"),
                    std::to_string(groups) + " does not divide the " + std::to_string(heads) + " attention heads",
                    "a divisor is expected");
    return groups;
}

int head_dim(const ConfigDocument& config, Family family, int hidden, int heads)
{
    if (family == Family::t5)
        return config.find_size({"d_kv"}).value_or(64);
    if (has_key_value_groups(family) && family != Family::qwen2) {
        if (const auto value = config.find_size({"head_dim"}))
            return *value;
        if (family == Family::qwen3)
            return 128;
    }
    if (hidden % heads != 0)
        throw Error(config.at("head_dim"),
                    "missing, and the hidden size " + std::to_string(hidden) + " is no multiple of "
                        + std::to_string(heads) + " heads",
                    "a whole number of at least 1 is needed");
    return hidden / heads;
}

/// The catalogue's name of the same sizes, else where the config says it came from, else family and size.
std::string name_for(const Architecture& a, const ConfigDocument& config)
{
    for (const ModelEntry& entry : model_catalog()) {
        Architecture same = a;
        same.name = entry.architecture.name;
        if (same == entry.architecture)
            return entry.name;
    }
    std::string path = config.text("_name_or_path");
    while (!path.empty() && (path.back() == '/' || path.back() == '\\'))
        path.pop_back();
    const std::string last = path.substr(path.find_last_of("/\\") + 1);
    if (!last.empty() && last.find_first_not_of('.') != std::string::npos)
        return last;
    const double billions = std::round(parameter_count(a) / 1e8) / 10;
    const bool small = billions < 1;
    const auto number =
        static_cast<long long>(small ? std::llround(parameter_count(a) / 1e6) : std::llround(billions * 10));
    return std::string(name_of(a.family)) + " "
           + (small ? std::to_string(number) + "M"
                    : std::to_string(number / 10) + "." + std::to_string(number % 10) + "B");
}

int feed_forward(const ConfigDocument& config, const Architecture& a)
{
    if (a.family == Family::qwen3_moe)
        return config.find_size({"moe_intermediate_size"}).value_or(768);
    const Keys keys = {"intermediate_size", "n_inner", "d_ff", "ffn_dim"};
    const bool four_times = a.family == Family::gpt2 || a.family == Family::gpt_neo;
    return four_times ? config.find_size(keys).value_or(4 * a.hidden) : config.size(keys);
}

/// ViTConfig counts its classes by their labels, two where there are none.
int classes(const ConfigDocument& config)
{
    if (const auto count = config.find_size({"num_labels"}))
        return *count;
    return config.has("id2label") && config["id2label"].is_object() && !config["id2label"].empty()
               ? static_cast<int>(config["id2label"].size())
               : 2;
}

void read_image(const ConfigDocument& config, int patch_size, Architecture& a)
{
    a.image_size = config.find_size({"image_size"}).value_or(224);
    a.patch_size = config.find_size({"patch_size"}).value_or(patch_size);
    a.image_channels = config.find_size({"num_channels"}).value_or(3);
}

/// The sizes stand in two parts, each with the defaults of ViT-B/32.
Architecture clip_of(const ConfigDocument& config)
{
    const auto size = [](const ConfigDocument& part, const char* key, int absent) {
        return part.find_size({key}).value_or(absent);
    };
    const ConfigDocument text = config.part("text_config");
    const ConfigDocument vision = config.part("vision_config");
    Architecture a;
    a.family = Family::clip;
    a.hidden = size(text, "hidden_size", 512);
    a.blocks = size(text, "num_hidden_layers", 12);
    a.heads = a.key_value_heads = size(text, "num_attention_heads", 8);
    a.head_dim = a.hidden / a.heads;
    a.feed_forward = size(text, "intermediate_size", 2048);
    a.vocabulary = size(text, "vocab_size", 49408);
    a.positions = size(text, "max_position_embeddings", 77);
    a.image_tower = {size(vision, "hidden_size", 768), size(vision, "num_hidden_layers", 12),
                     size(vision, "num_attention_heads", 12), size(vision, "intermediate_size", 3072)};
    read_image(vision, 32, a);
    a.projection = size(config, "projection_dim", 512);
    return a;
}

/// "relu" or "gated-gelu".
void read_t5(const ConfigDocument& config, Architecture& a)
{
    a.decoder_blocks = config.find_size({"num_decoder_layers"}).value_or(a.blocks);
    const std::string kind = config.text("feed_forward_proj");
    a.gated_feed_forward = kind.rfind("gated-", 0) == 0;
}

Architecture architecture_of(const ConfigDocument& config)
{
    Architecture a;
    a.family = family_of(config);
    refuse_unknown_parts(config, a.family);
    if (a.family == Family::clip)
        return clip_of(config);
    a.hidden = config.size({"hidden_size", "n_embd", "d_model"});
    a.blocks = config.size({"num_hidden_layers", "n_layer", "num_layers"});
    a.heads = config.size({"num_attention_heads", "n_head", "num_heads"});
    a.key_value_heads = key_value_heads(config, a.family, a.heads);
    a.head_dim = head_dim(config, a.family, a.hidden, a.heads);
    a.feed_forward = feed_forward(config, a);
    if (a.family == Family::vit) {
        read_image(config, 16, a);
        a.vocabulary = classes(config);
        a.positions = image_tokens(a);
        return a;
    }
    a.vocabulary = config.size({"vocab_size"});
    // n_ctx is the older name and may lag behind, so it counts only where the newer ones are absent.
    const auto positions = config.find_size({"max_position_embeddings", "n_positions"});
    a.positions = positions ? *positions
                  : a.family == Family::t5
                      ? 512
                      : config.size({"max_position_embeddings", "n_positions", "n_ctx", "seq_length"});
    if (a.family == Family::bert)
        a.token_types = config.find_size({"type_vocab_size"}).value_or(2);
    const bool usually_untied = has_key_value_groups(a.family) || a.family == Family::gpt_neox;
    a.tied_embeddings = config.flag("tie_word_embeddings", !usually_untied);
    if (a.family == Family::gpt_neox)
        a.attention_bias = config.flag("attention_bias", true);
    else if (a.family == Family::llama || a.family == Family::qwen3 || a.family == Family::qwen3_moe)
        a.attention_bias = config.flag("attention_bias", false);
    if (has_experts(a.family)) {
        const bool mixtral = a.family == Family::mixtral;
        a.experts = config.find_size({"num_local_experts", "num_experts"}).value_or(mixtral ? 8 : 128);
        a.experts_per_token = config.find_size({"num_experts_per_tok"}).value_or(mixtral ? 2 : 8);
    }
    if (a.family == Family::t5)
        read_t5(config, a);
    return a;
}

}  // namespace

Architecture read_hf_config(std::string_view text, const std::string& place)
{
    const json document = parse_json(without_python_numbers(text), place);
    if (!document.is_object())
        throw Error(place, shown(document), "an object with model_type and sizes is expected");
    const ConfigDocument config(document, place);
    Architecture a = architecture_of(config);
    check(a, place + ": ");
    a.name = name_for(a, config);
    return a;
}

}  // namespace nnpiper
