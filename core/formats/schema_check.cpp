// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/schema_check.h"

#include "core/base/error.h"
#include "core/base/resource.h"
#include "core/formats/json_text.h"

#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

namespace nnpiper {

using nlohmann::json;

namespace {

constexpr int our_version = 1;

/// A schema as the validator wants it and as the document that it was made from, which the messages are written from.
struct ParsedSchema {
    json document;
    valijson::Schema schema;
};

const ParsedSchema& parsed_schema(std::string_view name)
{
    static std::mutex mutex;
    static std::map<std::string, std::unique_ptr<ParsedSchema>, std::less<>> cache;
    const std::lock_guard lock(mutex);
    const auto known = cache.find(name);
    if (known != cache.end())
        return *known->second;
    const std::string file = "schema/" + std::string(name) + ".schema.json";
    const std::string_view text = embedded_resource(file);
    if (text.empty())
        throw Error(file, "this schema is not part of the program");
    auto parsed = std::make_unique<ParsedSchema>();
    parsed->document = parse_json(text, file);
    const valijson::adapters::NlohmannJsonAdapter adapter(parsed->document);
    valijson::SchemaParser(valijson::SchemaParser::kDraft7).populateSchema(adapter, parsed->schema);
    return *cache.emplace(std::string(name), std::move(parsed)).first->second;
}

/// Follows "$ref": "#/definitions/x".
const json& resolved(const json& schema, const json& root)
{
    const auto reference = schema.find("$ref");
    if (reference == schema.end())
        return schema;
    return resolved(root.at(json::json_pointer(reference->get<std::string>().substr(1))), root);
}

/// The part of the schema that speaks of one key or item; nullptr where it says nothing.
const json* child_schema(const json& schema, const json& root, const json& instance, const std::string& key)
{
    if (instance.is_array()) {
        const auto items = schema.find("items");
        return items == schema.end() ? nullptr : &resolved(*items, root);
    }
    if (const auto properties = schema.find("properties"); properties != schema.end()) {
        if (const auto property = properties->find(key); property != properties->end())
            return &resolved(*property, root);
    }
    const auto additional = schema.find("additionalProperties");
    return additional != schema.end() && additional->is_object() ? &resolved(*additional, root) : nullptr;
}

std::string number_text(const json& value)
{
    return value.dump();
}

std::string type_words(const json& schema, const std::string& type)
{
    std::string range;
    const auto bound = [&](const char* keyword, const char* words) {
        if (const auto it = schema.find(keyword); it != schema.end())
            range += (range.empty() ? " " : " and ") + std::string(words) + " " + number_text(*it);
    };
    if (type == "number" || type == "integer") {
        bound("minimum", "of at least");
        bound("exclusiveMinimum", "above");
        // A limit that only guards the program's integers is not worth a word.
        if (const auto it = schema.find("maximum"); it != schema.end() && *it < 1e6)
            bound("maximum", "of at most");
        return (type == "integer" ? "a whole number" : "a number") + range;
    }
    if (type == "string") {
        if (schema.value("minLength", 0) > 0)
            return "a text that is not empty";
        return "a text";
    }
    if (type == "array") {
        if (const auto it = schema.find("minItems"); it != schema.end())
            return "a list of at least " + number_text(*it);
        return "a list";
    }
    if (type == "boolean")
        return "true or false";
    if (type == "object")
        return "an object";
    return "null";
}

/// "a number of at least 0", "one of "fp16", "bf16"", as the schema has it.
std::string allowed_words(const json& schema)
{
    if (const auto it = schema.find("enum"); it != schema.end()) {
        std::string words;
        for (const json& value : *it)
            words += (words.empty() ? "" : ", ") + value.dump();
        return (it->size() > 1 ? "one of " : "") + words;
    }
    const auto type = schema.find("type");
    if (type == schema.end())
        return schema.value("description", std::string());
    std::vector<std::string> parts;
    if (type->is_string()) {
        parts.push_back(type_words(schema, type->get<std::string>()));
    } else {
        for (const json& one : *type)
            parts.push_back(type_words(schema, one.get<std::string>()));
    }
    std::string words = parts.front();
    for (std::size_t i = 1; i < parts.size(); ++i)
        words += " or " + parts[i];
    return words;
}

bool has_type(const json& value, const std::string& type)
{
    return (type == "number" && value.is_number()) || (type == "integer" && value.is_number_integer())
           || (type == "string" && value.is_string()) || (type == "array" && value.is_array())
           || (type == "boolean" && value.is_boolean()) || (type == "object" && value.is_object())
           || (type == "null" && value.is_null());
}

/// Whether a value breaks what its own part of the schema says of it (not of what is inside it).
bool breaks(const json& value, const json& schema)
{
    if (const auto it = schema.find("enum"); it != schema.end())
        return std::find(it->begin(), it->end(), value) == it->end();
    if (const auto it = schema.find("type"); it != schema.end()) {
        const bool fits = it->is_string() ? has_type(value, it->get<std::string>())
                                          : std::any_of(it->begin(), it->end(), [&](const json& type) {
                                                return has_type(value, type.get<std::string>());
                                            });
        if (!fits)
            return true;
    }
    if (value.is_number()) {
        const double number = value.get<double>();
        return (schema.contains("minimum") && number < schema.at("minimum").get<double>())
               || (schema.contains("exclusiveMinimum") && number <= schema.at("exclusiveMinimum").get<double>())
               || (schema.contains("maximum") && number > schema.at("maximum").get<double>());
    }
    if (value.is_string())
        return value.get_ref<const std::string&>().size() < schema.value("minLength", std::size_t{0});
    return value.is_array() && value.size() < schema.value("minItems", std::size_t{0});
}

std::optional<std::string> missing_key(const json& value, const json& schema)
{
    if (const auto required = schema.find("required"); required != schema.end() && value.is_object())
        for (const json& key : *required)
            if (!value.contains(key.get<std::string>()))
                return key.get<std::string>();
    return std::nullopt;
}

/// A key of an object that takes only those its schema names.
std::optional<std::string> stray_key(const json& value, const json& schema)
{
    if (!value.is_object() || schema.value("additionalProperties", json(true)) != json(false))
        return std::nullopt;
    for (const auto& member : value.items())
        if (!schema.at("properties").contains(member.key()))
            return member.key();
    return std::nullopt;
}

std::string known_keys(const json& schema)
{
    std::string words;
    for (const auto& property : schema.at("properties").items())
        words += (words.empty() ? "" : ", ") + property.key();
    return words;
}

void walk_unknown(const json& value, const json& schema, const json& root, const std::string& pointer,
                  std::vector<std::string>& sentences)
{
    if (value.is_object()) {
        for (const auto& [key, member] : value.items()) {
            const std::string at = pointer_to(pointer, key);
            if (const json* child = child_schema(schema, root, value, key))
                walk_unknown(member, *child, root, at, sentences);
            else if (schema.contains("properties"))
                sentences.push_back(at + " is not known and is kept out");
        }
    } else if (value.is_array()) {
        const json* child = child_schema(schema, root, value, {});
        if (!child || !(child->contains("properties") || child->contains("items")))
            return;
        for (std::size_t i = 0; i < value.size(); ++i)
            walk_unknown(value[i], *child, root, pointer_to(pointer, i), sentences);
    }
}

}  // namespace

void check_format(const json& document, std::string_view format, const std::string& place)
{
    if (!document.is_object())
        throw Error(place + ": /", shown(document),
                    "an object with \"format\": \"" + std::string(format) + "\" is expected");
    const std::string expected = "\"" + std::string(format) + "\"";
    const auto found = document.find("format");
    if (found == document.end())
        throw Error(place + ": /format", "missing", expected + " is expected");
    if (*found != json(format))
        throw Error(place + ": /format", "is " + shown(*found), expected + " is expected");
    const auto version = document.find("version");
    if (version == document.end())
        throw Error(place + ": /version", "missing", "1 is expected");
    if (!version->is_number_integer() || *version < 1)
        throw Error(place + ": /version", "is " + shown(*version), "1 is expected");
    if (*version > our_version)
        throw Error(place + ": /version", "is " + shown(*version) + ", written by a newer NN-Piper Workbench",
                    "this program reads version " + std::to_string(our_version));
}

void check_schema(const json& document, std::string_view name, const std::string& place, const std::string& pointer)
{
    const ParsedSchema& parsed = parsed_schema(name);
    valijson::ValidationResults results;
    try {
        valijson::Validator validator(valijson::Validator::kStrongTypes);
        const valijson::adapters::NlohmannJsonAdapter adapter(document);
        if (validator.validate(parsed.schema, adapter, &results))
            return;
    } catch (const std::exception& error) {
        throw Error(place + ": " + (pointer.empty() ? "/" : pointer), error.what());
    }

    // The innermost fault tells most; the validator reports it before those that follow from it.
    const valijson::ValidationResults::Error* worst = nullptr;
    for (const auto& error : results)
        if (!worst || error.context.size() > worst->context.size())
            worst = &error;
    std::string at = pointer;
    const json* value = &document;
    const json* schema = &resolved(parsed.document, parsed.document);
    for (std::size_t i = 1; worst && i < worst->context.size(); ++i) {
        const std::string& step = worst->context[i];
        const std::string key = step.size() >= 2 ? step.substr(1, step.size() - 2) : step;
        const json* next = nullptr;
        if (value->is_array()) {
            next = &value->at(static_cast<std::size_t>(std::stoul(key)));
            schema = child_schema(*schema, parsed.document, *value, key);
            at += "/" + key;
        } else {
            next = &value->at(key);
            schema = child_schema(*schema, parsed.document, *value, key);
            at = pointer_to(at, key);
        }
        value = next;
        if (!schema)
            break;
    }
    const std::string where = place + ": ";
    if (schema && value->is_number() && schema->contains("maximum") && *value > schema->at("maximum"))
        throw Error(where + at, "is " + shown(*value), "at most " + number_text(schema->at("maximum")) + " is allowed");
    if (schema && breaks(*value, *schema))
        throw Error(where + (at.empty() ? "/" : at), "is " + shown(*value), allowed_words(*schema) + " is allowed");
    if (const auto key = schema ? missing_key(*value, *schema) : std::nullopt) {
        const json* wanted = child_schema(*schema, parsed.document, *value, *key);
        throw Error(where + pointer_to(at, *key), "missing",
                    wanted ? allowed_words(*wanted) + " is needed" : "it is needed");
    }
    if (const auto key = schema ? stray_key(*value, *schema) : std::nullopt)
        throw Error(where + pointer_to(at, *key), "is not known", "known are " + known_keys(*schema));
    throw Error(where + (at.empty() ? "/" : at), worst ? worst->description : "does not fit the schema",
                "see " + std::string(name) + ".schema.json");
}

std::vector<std::string> unknown_fields(const json& document, std::string_view name, const std::string& pointer)
{
    const ParsedSchema& parsed = parsed_schema(name);
    std::vector<std::string> sentences;
    walk_unknown(document, parsed.document, parsed.document, pointer, sentences);
    return sentences;
}

}  // namespace nnpiper
