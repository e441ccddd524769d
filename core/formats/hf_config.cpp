// SPDX-License-Identifier: GPL-3.0-or-later
// Key names and defaults follow the configuration classes of the transformers library: an absent key means the class's
// default, which differs between classes (tie_word_embeddings, num_key_value_heads, head_dim, attention_bias).
#include "core/formats/hf_config.h"

#include "core/base/error.h"
#include "core/formats/json_text.h"
#include "core/model/model.h"

#include <array>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <optional>
#include <vector>

namespace nnpiper {

namespace {

using nlohmann::json;
using Keys = std::initializer_list<const char*>;

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

std::string joined(Keys keys)
{
    std::string text;
    for (const char* key : keys)
        text += (text.empty() ? "" : " or ") + std::string(key);
    return text;
}

/// The document with typed look-ups under all names that a key goes by.
class Config {
public:
    Config(json document, std::string place)
        : document_(std::move(document))
        , place_(std::move(place))
    {
    }

    std::string at(const std::string& key) const { return place_ + ": /" + key; }

    /// Also true of a null.
    bool contains(const char* key) const { return document_.contains(key); }

    bool has(const char* key) const
    {
        const auto found = document_.find(key);
        return found != document_.end() && !found->is_null();
    }

    const json& operator[](const char* key) const { return document_.at(key); }

    std::optional<int> find_size(Keys keys) const
    {
        std::optional<int> value;
        const char* first = nullptr;
        for (const char* key : keys) {
            if (!has(key))
                continue;
            const int here = size_at(key);
            if (value && *value != here)
                throw Error(at(key), std::to_string(here) + " contradicts " + first + " " + std::to_string(*value),
                            "both must be the same");
            if (!value)
                first = key;
            value = here;
        }
        return value;
    }

    int size(Keys keys) const
    {
        const auto value = find_size(keys);
        if (!value)
            throw Error(at(*keys.begin()), "missing", joined(keys) + " is needed");
        return *value;
    }

    bool flag(const char* key, bool absent) const
    {
        if (!has(key))
            return absent;
        const json& value = document_.at(key);
        if (!value.is_boolean())
            throw Error(at(key), shown(value), "true or false is expected");
        return value.get<bool>();
    }

    std::string text(const char* key) const
    {
        if (!has(key))
            return {};
        const json& value = document_.at(key);
        if (!value.is_string())
            throw Error(at(key), shown(value), "a text is expected");
        return value.get<std::string>();
    }

private:
    int size_at(const char* key) const
    {
        const json& value = document_.at(key);
        const auto wrong = [&] { return Error(at(key), shown(value), "a whole number of at least 1 is expected"); };
        if (!value.is_number_integer())
            throw wrong();
        const double number = value.get<double>();
        if (number < 1 || number > std::numeric_limits<int>::max())
            throw wrong();
        return value.get<int>();
    }

    json document_;
    std::string place_;
};

/// model_type, or what the class in "architectures" says where it is absent.
Family family_of(const Config& config)
{
    const std::string type = config.text("model_type");
    if (!type.empty())
        return family_from_name(type, config.at("model_type"));
    if (config.has("architectures") && config["architectures"].is_array() && !config["architectures"].empty()
        && config["architectures"][0].is_string()) {
        const std::string name = config["architectures"][0].get<std::string>();
        constexpr std::array<std::pair<std::string_view, Family>, 6> classes = {{{"GPT2", Family::gpt2},
                                                                                 {"GPTNeoX", Family::gpt_neox},
                                                                                 {"Llama", Family::llama},
                                                                                 {"Mistral", Family::mistral},
                                                                                 {"Qwen3", Family::qwen3},
                                                                                 {"Bert", Family::bert}}};
        for (const auto& [prefix, family] : classes) {
            for (const std::string_view suffix :
                 {"LMHeadModel", "ForCausalLM", "ForMaskedLM", "ForPreTraining", "Model"}) {
                if (name == std::string(prefix) + std::string(suffix))
                    return family;
            }
        }
        return family_from_name(name, config.at("architectures/0"));
    }
    if (config.has("text_config") || config.has("vision_config"))
        throw Error(config.at("model_type"), "missing, and the sizes are nested in a text or vision part",
                    "models of several parts are not known");
    throw Error(config.at("model_type"), "missing", "gpt2, gpt_neox, llama, mistral, qwen3 or bert is expected");
}

/// Options that would make our counts wrong.
void refuse_unknown_parts(const Config& config)
{
    for (const char* key : {"num_local_experts", "num_experts", "n_routed_experts"}) {
        const auto experts = config.has(key) && config[key].is_number() ? config[key].get<double>() : 0;
        if (experts > 1)
            throw Error(config.at(key), "a mixture of " + shown(config[key]) + " experts is not known",
                        "only dense models are");
    }
    if (config.flag("mlp_bias", false))
        throw Error(config.at("mlp_bias"), "biases in the feed-forward part are not known", "false is expected");
    if (config.flag("add_cross_attention", false))
        throw Error(config.at("add_cross_attention"), "cross attention is not known", "false is expected");
    const std::string positions = config.text("position_embedding_type");
    if (!positions.empty() && positions != "absolute")
        throw Error(config.at("position_embedding_type"), "\"" + positions + "\" is not known",
                    "\"absolute\" is expected");
}

bool has_key_value_groups(Family family)
{
    return family == Family::llama || family == Family::mistral || family == Family::qwen3;
}

/// null means as many as query heads; an absent key the default of the class.
int key_value_heads(const Config& config, Family family, int heads)
{
    if (!has_key_value_groups(family))
        return heads;
    int groups = heads;
    if (const auto value = config.find_size({"num_key_value_heads", "num_kv_heads"}))
        groups = *value;
    else if (!config.contains("num_key_value_heads") && family != Family::llama)
        groups = family == Family::mistral ? 8 : 32;
    if (heads % groups != 0)
        throw Error(config.at("num_key_value_heads"),
                    std::to_string(groups) + " does not divide the " + std::to_string(heads) + " attention heads",
                    "a divisor is expected");
    return groups;
}

int head_dim(const Config& config, Family family, int hidden, int heads)
{
    if (has_key_value_groups(family)) {
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
std::string name_for(const Architecture& a, const Config& config)
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

Architecture architecture_of(const Config& config)
{
    Architecture a;
    a.family = family_of(config);
    refuse_unknown_parts(config);
    a.hidden = config.size({"hidden_size", "n_embd", "d_model"});
    a.blocks = config.size({"num_hidden_layers", "n_layer", "num_layers"});
    a.heads = config.size({"num_attention_heads", "n_head", "num_heads"});
    a.key_value_heads = key_value_heads(config, a.family, a.heads);
    a.head_dim = head_dim(config, a.family, a.hidden, a.heads);
    const Keys feed_forward = {"intermediate_size", "n_inner", "d_ff"};
    a.feed_forward =
        a.family == Family::gpt2 ? config.find_size(feed_forward).value_or(4 * a.hidden) : config.size(feed_forward);
    a.vocabulary = config.size({"vocab_size"});
    // n_ctx is the older name and may lag behind, so it counts only where the newer ones are absent.
    const auto positions = config.find_size({"max_position_embeddings", "n_positions"});
    a.positions =
        positions ? *positions : config.size({"max_position_embeddings", "n_positions", "n_ctx", "seq_length"});
    if (a.family == Family::bert)
        a.token_types = config.find_size({"type_vocab_size"}).value_or(2);
    const bool usually_tied = a.family == Family::gpt2 || a.family == Family::bert;
    a.tied_embeddings = config.flag("tie_word_embeddings", usually_tied);
    if (a.family == Family::gpt_neox)
        a.attention_bias = config.flag("attention_bias", true);
    else if (a.family == Family::llama || a.family == Family::qwen3)
        a.attention_bias = config.flag("attention_bias", false);
    return a;
}

}  // namespace

Architecture read_hf_config(std::string_view text, const std::string& place)
{
    const json document = parse_json(without_python_numbers(text), place);
    if (!document.is_object())
        throw Error(place, shown(document), "an object with model_type and sizes is expected");
    const Config config(document, place);
    Architecture a = architecture_of(config);
    check(a, place + ": ");
    a.name = name_for(a, config);
    return a;
}

}  // namespace nnpiper
